"""An action and the note of who did it are stored together or not at all."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from referee.store import BotKind, Deed, DiskFull, Locked, NameTaken, Role, Store
from referee.store.acting import acting
from referee.store.journal_entry import INSTALLATION


def notes(store: Store) -> list[str]:
    entries = [json.loads(one.entry) for one in store.journal.read(INSTALLATION)]
    return [f"{one['who']} {one['action']} {one['subject']}" for one in entries if one["kind"] == "action"]


def deed(subject: str | Callable[[Any], str] = "ada") -> Deed:
    return Deed("mo", "host", "registered the bot", subject)


def test_the_note_is_stored_in_the_transaction_of_the_action(store: Store) -> None:
    before = store.writer.transactions
    with store.admins.acting(deed()):
        store.bots.add("ada")
    assert store.writer.transactions == before + 1
    assert notes(store) == ["mo registered the bot ada"]


def test_what_follows_the_first_thing_that_is_stored_is_not_noted_again(store: Store) -> None:
    with store.admins.acting(deed()):
        store.bots.add("ada")
        store.bots.add("bob")
    store.bots.add("cy")
    assert notes(store) == ["mo registered the bot ada"]


def test_an_action_that_stores_nothing_is_noted_at_its_end(store: Store) -> None:
    with store.admins.acting(deed()):
        assert notes(store) == []
    assert notes(store) == ["mo registered the bot ada"]


def test_a_refused_action_is_not_noted_even_if_something_is_stored_later(store: Store) -> None:
    store.bots.add("ada")
    done = deed()
    with pytest.raises(NameTaken), store.admins.acting(done):
        store.bots.add("ada")
    with acting(done):
        store.bots.add("bob")
    assert notes(store) == []


def test_the_subject_may_tell_what_came_of_it(store: Store) -> None:
    with store.admins.acting(deed(lambda bot: f"{bot.name}, a {bot.kind} bot")):
        store.bots.add("ada")
    assert notes(store) == ["mo registered the bot ada, a remote bot"]


def test_a_house_bot_that_is_named_for_the_first_time_is_not_the_action(store: Store) -> None:
    store.bots.add("ada")

    def create() -> None:
        store.bots.ensure_house("random")
        store.bots.add("ada")

    with pytest.raises(NameTaken), store.admins.acting(deed()):
        create()
    assert store.bots.get("random").kind is BotKind.HOUSE
    assert notes(store) == []


def test_what_has_to_be_there_before_an_action_does_not_wait_for_a_fault_to_pass(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with (
        ThreadPoolExecutor(1) as pool,
        Store.open(path, timeout=0.05) as store,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        store.writer.patience = 3600.0

        def create() -> None:
            with store.admins.acting(deed()):
                store.bots.ensure_house("random")

        other.execute("BEGIN IMMEDIATE")
        try:
            with pytest.raises(Locked):
                pool.submit(create).result(20.0)
        finally:
            other.execute("ROLLBACK")


def test_without_room_for_the_note_nothing_is_done(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Deed, now: int, answer: Any) -> dict[str, Any]:
        raise DiskFull("no room left")

    with monkeypatch.context() as patch:
        patch.setattr(Deed, "entry", full)
        with pytest.raises(DiskFull), store.admins.acting(deed()):
            store.bots.add("ada")
    assert store.bots.all() == []
    with store.admins.acting(deed()):
        store.bots.add("ada")
    assert notes(store) == ["mo registered the bot ada"]


def test_a_thread_that_works_in_the_context_belongs_to_the_action(store: Store) -> None:
    with store.admins.acting(deed()):
        context = copy_context()
        thread = threading.Thread(target=context.run, args=(store.admins.add, "jo", Role.HELPER))
        thread.start()
        thread.join()
        other = threading.Thread(target=store.bots.add, args=("bob",))
        other.start()
        other.join()
    assert notes(store) == ["mo registered the bot ada"]
    kinds = [json.loads(one.entry)["kind"] for one in store.journal.read(INSTALLATION)]
    assert kinds == ["admin", "action", "bot"]


KILLED = """
import os
from referee.cli.main import main
from referee.store.writer import Writer

write = Writer._write

def write_and_die(self, group):
    write(self, group)
    os._exit(9)  # as SIGKILL between two transactions

Writer._write = write_and_die
main(["bot", "add", "ada", "--db", "league.db"])
"""


def test_a_command_that_is_killed_after_it_stored_something_has_stored_who_did_it(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED], cwd=tmp_path, capture_output=True, env={**os.environ, "LOGNAME": "ada-l"}
    )
    assert ended.returncode == 9, ended.stderr.decode()
    with Store.open(tmp_path / "league.db") as store:
        assert [bot.name for bot in store.bots.all()] == ["ada"]
        assert notes(store) == ["ada-l registered the bot ada"]
