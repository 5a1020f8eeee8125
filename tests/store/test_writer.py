"""The writer thread: nothing is lost, nothing is heard of before it is on disk."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, event, insert
from sqlalchemy.exc import IntegrityError

from referee.store import (
    PASSING,
    Counts,
    DiskFull,
    Locked,
    MatchResult,
    Store,
    StoreClosed,
    StoreError,
    Tournament,
    Unreachable,
)
from referee.store.tables import meta

from ..waiting import PATIENCE
from .claiming import claim_next, records_of
from .facts import set_fact

if TYPE_CHECKING:
    from tests.store.conftest import Hall

League = Callable[..., Tournament]
ResultOf = Callable[..., MatchResult]

INCREMENTS = """
import sys, time
from referee.store import Store
from referee.store.tables import meta
from sqlalchemy import select, update

def increment(connection):
    number = int(connection.execute(select(meta.c.value).where(meta.c.key == "n")).scalar())
    time.sleep(0.002)
    connection.execute(update(meta).where(meta.c.key == "n").values(value=str(number + 1)))

with Store.open(sys.argv[1], timeout=60) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(40):
        store.writer.submit(increment).result()
"""


def note(key: str, value: str = "") -> Callable[[Connection], str]:
    """A unit of work that inserts a fact, and so fails if it is there already."""

    def work(connection: Connection) -> str:
        connection.execute(insert(meta).values(key=key, value=value))
        return key

    return work


class Gate:
    """A unit of work that holds the writer up, so that what is submitted meanwhile becomes one group."""

    def __init__(self, store: Store) -> None:
        self._open = threading.Event()
        self._entered = threading.Event()
        self.future: Future[None] = store.writer.submit(self._wait)
        assert self._entered.wait(PATIENCE)

    def _wait(self, connection: Connection) -> None:
        self._entered.set()
        assert self._open.wait(PATIENCE)

    def open(self) -> None:
        self._open.set()


def test_reporters_in_several_threads_lose_nothing(store: Store, new_league: League, result_of: ResultOf) -> None:
    league = new_league(store, matches=320)
    taken = [match.id for match in claim_next(store, league.id, 320)]
    stored: list[int] = []

    def report(matches: list[int]) -> None:
        stored.extend(match for match in matches if store.matches.report(result_of(match)))

    # Each match is reported by two of the threads.
    threads = [threading.Thread(target=report, args=(taken[part % 4 :: 4],)) for part in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(stored) == taken
    assert store.tournaments.counts(league.id) == Counts(finished=320)
    kept = list(records_of(store, league.id))
    assert [(match.id, record) for match, record in kept] == [(match, result_of(match).record) for match in taken]


def test_increments_from_several_processes_lose_nothing(store: Store, hall: Hall) -> None:
    set_fact(store, "n", "0")
    command = [sys.executable, "-c", INCREMENTS, hall.address]
    pipe = subprocess.PIPE
    children = [subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(3)]
    # All start together, once each of them has the database open.
    assert [child.stdout.readline() for child in children if child.stdout] == ["ready\n"] * 3
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    complaints = [child.communicate(timeout=120)[1] for child in children]
    assert complaints == [""] * 3
    assert store.fact("n") == "120"


def test_a_unit_that_fails_is_taken_back_alone(store: Store) -> None:
    gate = Gate(store)

    def half_done(connection: Connection) -> None:
        connection.execute(insert(meta).values(key="half", value=""))
        raise RuntimeError("gave up halfway")

    good, twice = store.writer.submit(note("a")), store.writer.submit(note("a"))
    half, after = store.writer.submit(half_done), store.writer.submit(note("b"))
    gate.open()
    assert good.result() == "a"
    assert after.result() == "b"
    with pytest.raises(IntegrityError):
        twice.result()
    with pytest.raises(RuntimeError, match="halfway"):
        half.result()
    assert (store.fact("a"), store.fact("half"), store.fact("b")) == ("", None, "")


def test_nobody_hears_of_a_result_before_it_is_stored(store: Store, open_store: Callable[..., Store]) -> None:
    other = open_store()
    seen: list[str | None] = []
    gate = Gate(store)
    future = store.writer.submit(note("result", "stored"))
    future.add_done_callback(lambda _: seen.append(other.fact("result")))
    assert other.fact("result") is None
    assert not future.done()
    gate.open()
    future.result()
    store.close()
    assert seen == ["stored"]


def test_units_run_in_the_order_of_submission(store: Store) -> None:
    order: list[int] = []

    def unit(number: int) -> Callable[[Connection], None]:
        return lambda connection: order.append(number)

    gate = Gate(store)
    futures = [store.writer.submit(unit(number)) for number in range(1_200)]
    gate.open()
    for future in futures:
        future.result()
    assert order == list(range(1_200))


def test_a_unit_cancelled_while_it_waits_is_not_written(store: Store) -> None:
    gate = Gate(store)
    future = store.writer.submit(note("cancelled"))
    assert future.cancel()
    gate.open()
    store.writer.submit(note("later")).result()
    with pytest.raises(CancelledError):
        future.result()
    assert store.fact("cancelled") is None


def test_closing_writes_what_was_submitted_and_refuses_the_rest(store: Store, open_store: Callable[..., Store]) -> None:
    gate = Gate(store)
    futures = [store.writer.submit(note(f"key {number}")) for number in range(20)]
    gate.open()
    store.close()
    assert all(future.done() for future in futures)
    assert open_store().fact("key 19") == ""
    with pytest.raises(StoreClosed, match="open it again"):
        set_fact(store, "late", "x")
    store.close()


def test_when_the_environment_fails_the_whole_group_hears_of_it_and_the_next_one_goes_on(store: Store) -> None:
    def fail(connection: Connection) -> None:
        raise DiskFull("no room")

    gate = Gate(store)
    before, failing, after = (store.writer.submit(work) for work in (note("x"), fail, note("y")))
    gate.open()
    for future in (before, failing, after):
        with pytest.raises(DiskFull, match="no room"):
            future.result()
    assert (store.fact("x"), store.fact("y")) == (None, None)
    assert store.writer.submit(note("x")).result() == "x"


def test_readers_cannot_write(store: Store) -> None:
    with store._readers.connect() as connection, pytest.raises(Exception, match=r"read-?only"):
        connection.execute(insert(meta).values(key="a", value="b"))
    assert store.fact("a") is None


def test_a_lock_that_passes_is_borne_by_a_patient_writer_and_told_once(tmp_path: Path) -> None:
    with Store.open(tmp_path / "league.db", timeout=0.01) as store, closing(lock(tmp_path / "league.db")) as other:
        with pytest.raises(Locked, match="is locked by another program"):
            store.writer.submit(note("at once")).result(PATIENCE)
        told: list[StoreError] = []
        troubled = threading.Event()

        def trouble(error: StoreError) -> None:
            told.append(error)
            troubled.set()

        relieved: list[bool] = []
        store.writer.patience, store.writer.on_trouble = PATIENCE, trouble
        store.writer.on_relief = lambda: relieved.append(True)
        waiting = store.writer.submit(note("later"))
        assert troubled.wait(PATIENCE)
        assert not relieved
        other.execute("ROLLBACK")
        assert waiting.result(PATIENCE) == "later"
        assert relieved == [True]
        assert [type(error) for error in told] == [Locked]
        assert store.fact("at once") is None


def test_a_full_disk_is_borne_where_that_is_wanted_and_whoever_cannot_wait_is_told_at_once(tmp_path: Path) -> None:
    """Without room SQLite takes back what it was about to commit, so it can be written again."""
    with Store.open(tmp_path / "league.db") as store:
        store.writer.patience, store.writer.borne = PATIENCE, (*PASSING, DiskFull)
        troubled = threading.Event()
        store.writer.on_trouble = lambda error: troubled.set()
        limit_pages(store, 1)  # as many as there are
        much = "x" * 100_000
        waiting = store.writer.submit(note("waits", much))
        assert troubled.wait(PATIENCE)
        with pytest.raises(DiskFull, match="no room left"):
            store.writer.submit(note("hasty"), hasty=True).result(PATIENCE)
        assert not waiting.done()
        limit_pages(store, 1_000_000)
        assert waiting.result(PATIENCE) == "waits"
        assert (store.fact("waits"), store.fact("hasty")) == (much, None)
        assert store.writer.submit(note("hasty"), hasty=True).result(PATIENCE) == "hasty"


def test_patience_counts_from_the_beginning_of_a_fault_also_for_what_was_queued_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with Store.open(path, timeout=0.05) as store, closing(lock(path)) as other:
        troubled, told = threading.Event(), []

        def trouble(error: StoreError) -> None:
            told.append(error)
            troubled.set()

        store.writer.patience, store.writer.on_trouble = 0.5, trouble
        first = store.writer.submit(note("first"))
        assert troubled.wait(PATIENCE)
        second = store.writer.submit(note("second"))
        for waiting in (first, second):
            with pytest.raises(Locked):
                waiting.result(PATIENCE)
        assert len(told) == 1
        other.execute("ROLLBACK")
        assert store.writer.submit(note("third")).result(PATIENCE) == "third"
        other.execute("BEGIN IMMEDIATE")
        fourth = store.writer.submit(note("fourth"))
        with pytest.raises(Locked):
            fourth.result(PATIENCE)
        assert len(told) == 2, "a fault after a write that went well is another one"


def limit_pages(store: Store, pages: int) -> None:
    with closing(store.writer._engine.raw_connection()) as connection:
        connection.cursor().execute(f"PRAGMA max_page_count = {pages}")


def test_a_commit_that_fails_is_not_tried_again(tmp_path: Path) -> None:
    """Nobody knows then whether it is written."""
    with Store.open(tmp_path / "league.db") as store:
        store.writer.patience = PATIENCE
        commits: list[object] = []

        @event.listens_for(store.writer._engine, "commit")
        def breaks(connection: Connection) -> None:
            commits.append(connection)
            raise Unreachable("The connection broke in the very commit.")

        with pytest.raises(Unreachable, match="in the very commit"):
            store.writer.submit(note("perhaps")).result(PATIENCE)
        assert len(commits) == 1


def lock(path: Path) -> sqlite3.Connection:
    """Another program that writes, and takes its time."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    return other


def test_a_full_disk_that_takes_the_whole_transaction_back_fails_all_who_share_it(tmp_path: Path) -> None:
    """SQLite may roll back everything by itself, savepoints and all: no one may hear that it was stored."""
    with Store.open(tmp_path / "league.db") as store:
        held, go_on = threading.Event(), threading.Event()

        def hold(connection: Connection) -> None:
            held.set()
            assert go_on.wait(PATIENCE)

        def add(connection: Connection) -> None:
            connection.execute(insert(meta).values(key="a", value="1"))

        def full(connection: Connection) -> None:
            connection.exec_driver_sql("ROLLBACK")
            raise DiskFull("no room left")

        first = store.writer.submit(hold)
        assert held.wait(PATIENCE)
        shared = [store.writer.submit(work) for work in (add, full, add)]
        go_on.set()
        first.result(PATIENCE)
        for future in shared:
            with pytest.raises(DiskFull):
                future.result(PATIENCE)
        assert store.fact("a") is None
        set_fact(store, "a", "2")
        assert store.fact("a") == "2"
