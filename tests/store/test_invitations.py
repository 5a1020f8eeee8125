"""Invitations: a code becomes a bot and its token exactly once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.store import NameTaken, NotAllowed, Refused, Store, Unknown
from referee.store.invitations import MOST_AT_ONCE, code_hash, new_code
from referee.tournament.audit.database import check_installation

if TYPE_CHECKING:
    from tests.store.conftest import Hall


def test_a_code_becomes_a_bot_and_its_token_once(store: Store) -> None:
    [made] = store.invitations.create(1, "host")
    token = store.invitations.redeem(made.code, "greedy").token
    assert token is not None
    found = store.bots.authenticate(token)
    assert found is not None
    assert found.name == "greedy"
    with pytest.raises(NotAllowed, match="this invitation has been used: ask the host"):
        store.invitations.redeem(made.code, "other")
    assert [bot.name for bot in store.bots.all()] == ["greedy"]
    [stored] = store.invitations.all()
    assert (stored.state(0), stored.bot, stored.made_by) == ("redeemed", "greedy", "host")
    check_installation(store)


def test_only_the_hashes_of_codes_are_stored(store: Store, hall: Hall) -> None:
    made = store.invitations.create(30, "host", notes=["Ada"])
    assert len({one.code for one in made}) == 30
    assert [one.invitation.number for one in made] == list(range(1, 31))
    assert [one.invitation.note for one in made[:2]] == ["Ada", ""]
    store.close()
    if hall.kind == "sqlite":
        written = Path(hall.address).read_bytes()
        assert made[0].code.encode() not in written
        assert code_hash(made[0].code).encode() in written


def test_of_many_who_redeem_a_code_at_once_one_gets_a_bot(store: Store, open_store: Callable[..., Store]) -> None:
    [made] = store.invitations.create(1, "host")
    others = [store, open_store()]
    ready = threading.Barrier(8)
    got: list[str] = []
    refused: list[Exception] = []

    def redeem(number: int) -> None:
        ready.wait()
        try:
            got.append(others[number % 2].invitations.redeem(made.code, f"bot-{number}").bot.name)
        except NotAllowed as error:
            refused.append(error)

    threads = [threading.Thread(target=redeem, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(got), len(refused)) == (1, 7)
    assert [bot.name for bot in store.bots.all()] == got
    check_installation(store)


def test_a_name_that_is_taken_leaves_the_invitation_open(store: Store) -> None:
    store.bots.add("greedy")
    [made] = store.invitations.create(1, "host")
    for name, error in (("greedy", NameTaken), ("Greedy", NameTaken), ("", Refused)):
        with pytest.raises(error):
            store.invitations.redeem(made.code, name)
    assert store.invitations.redeem(made.code, "modest").bot.name == "modest"


def test_an_invitation_expires(open_store: Callable[..., Store]) -> None:
    at = [1_000_000]
    store = open_store(now=lambda: at[0])
    [made] = store.invitations.create(1, "host", seconds=60)
    at[0] += 60_000
    assert store.invitations.all()[0].state(at[0]) == "expired"
    with pytest.raises(NotAllowed, match="this invitation has expired: ask the host"):
        store.invitations.redeem(made.code, "late")
    at[0] -= 1
    assert store.invitations.redeem(made.code, "late").bot.name == "late"


def test_a_revoked_invitation_is_void_and_a_used_one_cannot_be_revoked(store: Store) -> None:
    first, second = store.invitations.create(2, "host")
    store.invitations.redeem(first.code, "greedy")
    with pytest.raises(NotAllowed, match="invitation 1 became the bot greedy"):
        store.invitations.revoke([2, 1])
    assert store.invitations.all()[1].revoked is None
    assert [one.number for one in store.invitations.revoke([2])] == [2]
    with pytest.raises(NotAllowed, match="this invitation was taken back"):
        store.invitations.redeem(second.code, "late")
    with pytest.raises(NotAllowed, match="revoked already"):
        store.invitations.revoke([2])
    with pytest.raises(Unknown, match="there is no invitation 9"):
        store.invitations.revoke([9])
    check_installation(store)


def test_a_code_is_read_whatever_its_case_dashes_and_link(store: Store) -> None:
    code = new_code()
    typed = code.lower().replace("-", " ").replace("0", "o").replace("1", "l")
    for text in (typed, f"https://arena.example.org/join#{code}", code.replace("-", "")):
        assert code_hash(text) == code_hash(code)


@pytest.mark.parametrize("code", ["", "#", "00000-00000-00000-00000", "\0", "\ud800", "é" * 1000])
def test_any_other_text_is_no_invitation(store: Store, code: str) -> None:
    store.invitations.create(1, "host")
    assert not store.invitations.known(code)
    with pytest.raises(Unknown, match="there is no such invitation"):
        store.invitations.redeem(code, "greedy")


@pytest.mark.parametrize("count", [0, -1, MOST_AT_ONCE + 1])
def test_a_count_that_makes_no_sense_is_refused(store: Store, count: int) -> None:
    with pytest.raises(Refused, match="cannot be made"):
        store.invitations.create(count, "host")
