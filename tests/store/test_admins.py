"""Admins: names, roles, tokens of which only the hash is kept, and what they did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import inspect, text

from referee.store import ADMIN_FACT, Deed, NameTaken, NotAllowed, Refused, Role, Store, Unknown
from referee.store.address import parse_address
from referee.store.bots import token_hash
from referee.store.engines import writer_engine
from referee.store.journal_entry import INSTALLATION
from referee.store.migrate import upgrade
from referee.tournament.audit.database import check_installation

from .facts import set_fact

if TYPE_CHECKING:
    from tests.store.conftest import Hall


def test_an_admin_is_known_by_its_token_and_the_hash_alone_is_stored(store: Store, hall: Hall) -> None:
    made = store.admins.add("ada", Role.HELPER)
    assert store.admins.with_hash(token_hash(made.token)) == made.admin
    assert store.admins.by_hash() == {token_hash(made.token): made.admin}
    assert store.admins.with_hash(token_hash("x")) is None
    check_installation(store)
    store.close()
    if hall.kind == "sqlite":
        assert made.token.encode() not in Path(hall.address).read_bytes()


def test_a_role_may_do_what_the_lesser_ones_may(store: Store) -> None:
    helper = store.admins.add("ada", Role.HELPER).admin
    assert [helper.may(role) for role in Role] == [False, True, True]
    host = store.admins.set_role("ada", Role.HOST)
    assert all(host.may(role) for role in Role)


def test_a_new_token_voids_the_old_one_and_a_removed_admin_has_none(store: Store) -> None:
    first = store.admins.add("ada", Role.HELPER)
    second = store.admins.rotate("ada")
    assert store.admins.with_hash(token_hash(first.token)) is None
    assert store.admins.with_hash(token_hash(second.token)) == second.admin
    gone = store.admins.remove("ada")
    assert not gone.may(Role.SPECTATOR)
    assert store.admins.with_hash(token_hash(second.token)) is None
    assert store.admins.all() == []
    for verb in (store.admins.rotate, store.admins.remove):
        with pytest.raises(Unknown, match="no admin named ada"):
            verb("ada")
    again = store.admins.add("ada", Role.SPECTATOR)
    assert store.admins.all() == [again.admin]
    check_installation(store)


def test_the_admin_token_of_the_installation_is_the_host(store: Store) -> None:
    set_fact(store, ADMIN_FACT, token_hash("old"))
    assert [(one.name, one.role) for one in store.admins.all()] == [("host", Role.HOST)]
    made = store.admins.rotate("host")
    assert store.admins.with_hash(token_hash("old")) is None
    found = store.admins.with_hash(token_hash(made.token))
    assert found is not None
    assert found.may(Role.HOST)
    with pytest.raises(NotAllowed, match="admin rotate host"):
        store.admins.remove("host")
    with pytest.raises(NotAllowed, match="always do everything"):
        store.admins.set_role("host", Role.HELPER)
    check_installation(store)


@pytest.mark.parametrize("name", ["ada", "Ada", "host", "H0ST"])
def test_names_that_can_be_taken_for_an_admins_are_refused(store: Store, name: str) -> None:
    store.admins.add("ada", Role.HELPER)
    with pytest.raises(NameTaken, match="choose another name"):
        store.admins.add(name, Role.HELPER)


def test_what_cannot_be_a_name_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="an admin's name has 1 to 64"):
        store.admins.add("", Role.HELPER)


def test_actions_are_kept_with_who_did_them(store: Store) -> None:
    store.admins.note(Deed("ada", "helper", "paused the tournament", "league"))
    last = json.loads(list(store.journal.read(INSTALLATION))[-1].entry)
    assert {key: last[key] for key in ("kind", "who", "role", "action", "subject")} == {
        "kind": "action",
        "who": "ada",
        "role": "helper",
        "action": "paused the tournament",
        "subject": "league",
    }
    check_installation(store)


def test_a_database_of_before_keeps_its_admin_token(hall: Hall, open_store: Callable[..., Store]) -> None:
    with writer_engine(parse_address(hall.address), 10).begin() as connection:
        upgrade(connection, "0008")
        assert "admins" not in inspect(connection).get_table_names()
        values = {"key": ADMIN_FACT, "value": token_hash("old")}
        connection.execute(text("INSERT INTO meta (key, value) VALUES (:key, :value)"), values)
    store = open_store()
    found = store.admins.with_hash(token_hash("old"))
    assert found is not None
    assert (found.name, found.role) == ("host", Role.HOST)
    assert store.invitations.all() == []
