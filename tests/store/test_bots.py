"""The register of bots and their tokens."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.store import BotKind, NameTaken, NotAllowed, Refused, Store, Unknown

if TYPE_CHECKING:
    from tests.store.conftest import Hall


def test_a_remote_bot_is_known_by_the_token_it_was_given(store: Store) -> None:
    made = store.bots.add("greedy", note="of Ada")
    assert made.token is not None
    assert len(bytes.fromhex(made.token)) == 32
    assert store.bots.authenticate(made.token) == made.bot
    assert (made.bot.name, made.bot.kind, made.bot.note) == ("greedy", BotKind.REMOTE, "of Ada")


@pytest.mark.parametrize("token", ["", "0" * 64, "not hex", "\0", "\ud800", "'; DROP TABLE bots; --"])
def test_any_other_text_is_nobodys_token(store: Store, token: str) -> None:
    store.bots.add("greedy")
    store.bots.ensure_house("random")
    assert store.bots.authenticate(token) is None


def test_only_the_hash_of_a_token_is_stored(store: Store, hall: Hall) -> None:
    token = store.bots.add("greedy").token
    assert token is not None
    store.close()
    if hall.kind == "sqlite":
        written = Path(hall.address).read_bytes()
        assert token.encode() not in written
        assert bytes.fromhex(token) not in written
        assert hashlib.sha256(token.encode()).hexdigest().encode() in written


def test_a_revoked_bot_is_shut_out_until_it_gets_a_new_token(store: Store) -> None:
    first = store.bots.add("greedy").token
    assert first is not None
    gone = store.bots.revoke("greedy")
    assert gone.revoked is not None
    assert store.bots.authenticate(first) is None
    assert store.bots.revoke("greedy") == gone
    second = store.bots.rotate("greedy")
    assert second.token is not None
    assert second.bot.rotated is not None
    assert store.bots.authenticate(second.token) == second.bot
    assert store.bots.authenticate(first) is None


def test_a_house_bot_cannot_be_revoked(store: Store) -> None:
    store.bots.ensure_house("random")
    with pytest.raises(NotAllowed, match="house bot"):
        store.bots.revoke("random")
    assert store.bots.get("random").revoked is None


def test_a_new_token_takes_the_place_of_the_old_one(store: Store) -> None:
    old = store.bots.add("greedy").token
    new = store.bots.rotate("greedy").token
    assert old is not None
    assert new is not None
    assert old != new
    assert store.bots.authenticate(old) is None
    assert store.bots.authenticate(new) is not None


def test_a_house_bot_has_no_token(store: Store) -> None:
    assert store.bots.add("random", BotKind.HOUSE).token is None
    with pytest.raises(NotAllowed, match="house bot"):
        store.bots.rotate("random")


def test_a_house_bot_is_registered_once(store: Store) -> None:
    assert store.bots.ensure_house("random") == store.bots.ensure_house("random")
    store.bots.add("greedy")
    with pytest.raises(NameTaken, match="remote bot"):
        store.bots.ensure_house("greedy")


def test_a_name_belongs_to_one_bot(store: Store) -> None:
    store.bots.add("greedy")
    with pytest.raises(NameTaken, match="greedy exists already"):
        store.bots.add("greedy")
    assert [bot.name for bot in store.bots.all()] == ["greedy"]


@pytest.mark.parametrize("name", ["", " x", "x ", "a\nb", "a\0b", "\ud800", "\x1b[31m", "x" * 65])
def test_a_name_that_a_screen_cannot_show_is_refused(store: Store, name: str) -> None:
    with pytest.raises(Refused, match="printable"):
        store.bots.add(name)
    assert store.bots.all() == []


def test_a_name_that_could_not_be_listed_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="no comma"):
        store.bots.add("ada,bob")
    assert store.bots.all() == []


def test_names_in_any_script_are_kept_as_they_are(store: Store) -> None:
    for name in ("Ünïcode", "機械", "🤖 two", "x" * 64):
        assert store.bots.add(name).bot.name == name


@pytest.mark.parametrize("verb", ["get", "revoke", "rotate"])
def test_an_unknown_bot_is_refused_by_name(store: Store, verb: str) -> None:
    call: Callable[[str], object] = getattr(store.bots, verb)
    with pytest.raises(Unknown, match="no bot named nobody"):
        call("nobody")


def test_bots_are_listed_by_name(store: Store) -> None:
    for name in ("cy", "ada", "bob"):
        store.bots.add(name)
    assert [bot.name for bot in store.bots.all()] == ["ada", "bob", "cy"]
