"""Versions of submitted bots: numbered, at most one active, and every change in the journal."""

from __future__ import annotations

import json

import pytest

from referee.store import NotAllowed, Store, Unknown, VersionState
from referee.store.journal_entry import INSTALLATION
from referee.store.versions import log_digest

A, B = "a" * 64, "b" * 64


def submitted(store: Store, bot: int, digest: str = A) -> int:
    return store.versions.add(bot, digest, 2, 100).number


def states(store: Store, bot: int) -> list[str]:
    return [version.state.value for version in store.versions.of(bot)]


def test_versions_count_per_bot_and_one_is_active(store: Store) -> None:
    ada, bob = (store.bots.add(name).bot.id for name in ("ada", "bob"))
    assert [submitted(store, ada), submitted(store, bob)] == [1, 1]
    assert store.versions.activate(ada, 1, "built").state is VersionState.ACTIVE
    assert submitted(store, ada, B) == 2
    store.versions.activate(ada, 2, "built again")
    assert states(store, ada) == ["replaced", "active"]
    assert states(store, bob) == ["testing"]
    assert store.versions.get(ada, 2).log == "built again"
    assert [version.bot_name for version in store.versions.in_state(VersionState.ACTIVE)] == ["ada"]
    assert [version.number for version in store.versions.with_digest(A)] == [1, 1]
    back = store.versions.activate(ada, 1)
    assert (back.number, back.state, back.log) == (1, VersionState.ACTIVE, "built")
    assert states(store, ada) == ["active", "replaced"]
    assert store.versions.retire(ada, "holiday").reason == "holiday"
    assert states(store, ada) == ["retired", "replaced"]
    assert store.versions.since(ada, 0) == 2


def test_what_makes_no_sense_is_refused(store: Store) -> None:
    ada = store.bots.add("ada").bot.id
    submitted(store, ada)
    with pytest.raises(NotAllowed, match="version 1 is still being tested"):
        submitted(store, ada, B)
    with pytest.raises(NotAllowed, match="still being tested"):
        store.versions.activate(ada, 1)
    with pytest.raises(NotAllowed, match="no version"):
        store.versions.retire(ada)
    with pytest.raises(Unknown, match="no version 7"):
        store.versions.activate(ada, 7)
    assert store.versions.refuse(ada, 1, "it does not build", "the log").state is VersionState.REFUSED
    with pytest.raises(NotAllowed, match="refused: it does not build"):
        store.versions.activate(ada, 1)
    with pytest.raises(NotAllowed, match="not being tested"):
        store.versions.refuse(ada, 1, "again", "")


def test_the_journal_has_every_state_and_the_hash_of_the_log(store: Store) -> None:
    ada = store.bots.add("ada").bot.id
    submitted(store, ada)
    store.versions.activate(ada, 1, "the log")
    submitted(store, ada, B)
    store.versions.activate(ada, 2, "")
    entries = [json.loads(line.entry) for line in store.journal.read(INSTALLATION)]
    told = [entry["version"] | {"bot": entry["bot"]} for entry in entries if entry["kind"] == "version"]
    assert [(one["bot"], one["label"], one["state"]) for one in told] == [
        ("ada", "1", "testing"),
        ("ada", "1", "active"),
        ("ada", "2", "testing"),
        ("ada", "1", "replaced"),
        ("ada", "2", "active"),
    ]
    assert told[1]["log"] == log_digest("the log")
