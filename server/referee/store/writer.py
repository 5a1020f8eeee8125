"""The writer thread of the store: the only one that writes, in batched transactions.

All that is queued when the thread is free is written as one transaction, so that many small results share one
sync of the disk. Each unit of work stands on its own savepoint: one that fails is taken back alone. Items, which may be
written again, do without: when one of them fails, all are taken back and written one by one. A future resolves after
the commit, so no one hears of a result that could still be lost.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine

from referee.store.errors import PASSING, DiskFull, NoDescriptors, StoreClosed, StoreError

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Work = Callable[[Connection], Answer]
Batch = Callable[[Connection, Sequence[Item]], Sequence[Answer]]

LOOK_AGAIN = 0.1
"""Seconds between two tries to write while no descriptor is left to do it with."""
GROUP = 500
"""The most units of work in one transaction: enough to share the sync, few enough to answer soon."""


class Writer:
    """Runs units of work on the writing connection, in the order in which they were submitted."""

    def __init__(self, engine: Engine, group: int = GROUP) -> None:
        self._engine = engine
        self._group = group
        self._queue: SimpleQueue[_Unit | None] = SimpleQueue()
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.patience = 0.0
        """How many seconds a fault that may pass is borne before those who wait hear of it: a server waits a while.

        They count from its beginning: what was queued meanwhile is not given as long once more.
        """
        self.borne: tuple[type[StoreError], ...] = PASSING
        """The faults that are borne so long."""
        self.on_trouble: Callable[[StoreError], object] = lambda error: None
        """Called in the writer's thread when such a fault begins to be borne."""
        self.on_relief: Callable[[], object] = lambda: None
        """Called in the writer's thread when it has passed, and something could be written again."""
        self._trouble: StoreError | None = None
        """The fault that is being borne now."""
        self._borne_until: float | None = None
        """When the patience with it ends; None again when something could be written."""
        self._committing = False
        self.transactions = 0
        """How many there were; with `seconds`, what storing costs."""
        self.seconds = 0.0

    @property
    def waiting(self) -> int:
        """Units of work that wait to be written."""
        return self._queue.qsize()

    def submit(self, work: Work[Answer], *, hasty: bool = False) -> Future[Answer]:
        """Run `work(connection)` in a transaction; the future holds its answer once it is on disk.

        What is `hasty` does not wait until a fault has passed: somebody waits for the answer.
        """
        return cast("Future[Answer]", self._put(_Alone(work), None, hasty=hasty))

    def submit_item(self, batch: Batch[Item, Answer], item: Item) -> Future[Answer]:
        """Like `submit`, but neighbours in the queue with the same `batch` are handed to it as one list."""
        return cast("Future[Answer]", self._put(batch, item))

    def close(self) -> None:
        """Write what was submitted, then stop; later submissions are refused."""
        with self._guard:
            self._closed = True
            thread = self._thread
            if thread is not None:
                self._queue.put(None)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _put(self, batch: Batch[Any, Any], item: object, *, hasty: bool = False) -> Future[Any]:
        unit = _Unit(batch, item, Future(), hasty)
        with self._guard:
            if hasty and self._trouble is not None:
                unit.future.set_exception(self._trouble)
                return unit.future
            if self._closed:
                raise StoreClosed("the database was closed: open it again to write to it")
            if self._thread is None:
                # Started with the first write: a program that only reads has no such thread.
                self._thread = threading.Thread(target=self._run, name="referee-writer", daemon=True)
                self._thread.start()
            self._queue.put(unit)
        return unit.future

    def _run(self) -> None:
        last = False
        while not last:
            unit = self._queue.get()
            group: list[_Unit] = []
            while unit is not None:
                # A future cancelled while it waited is not written at all.
                if unit.future.set_running_or_notify_cancel():
                    group.append(unit)
                if len(group) >= self._group:
                    break
                try:
                    unit = self._queue.get_nowait()
                except Empty:
                    break
            else:
                last = True
            if group:
                began = time.perf_counter()
                self._write(group)
                self.transactions += 1
                self.seconds += time.perf_counter() - began

    def _write(self, group: list[_Unit]) -> None:
        try:
            while True:
                try:
                    self._write_group(group)
                    if self._borne_until is not None:
                        self._borne_until = None
                        self.on_relief()
                    break
                except NoDescriptors:
                    # Nothing was written. It gets better when a file is closed, so it is no reason to stop.
                    if self._closed:
                        raise
                except self.borne as error:
                    now, until = time.monotonic(), self._borne_until
                    if self._closed or self._unsure(error) or not self.patience or (until is not None and now > until):
                        raise
                    if until is None:
                        self._borne_until = now + self.patience
                        self.on_trouble(error)
                    group = self._answer_hasty(group, error)
                    if not group:
                        return
                time.sleep(LOOK_AGAIN)
        except Exception as error:  # noqa: BLE001 - who waits for a future must hear of any error
            for unit in group:
                unit.future.set_exception(error)
            return
        finally:
            self._trouble = None
        for unit in group:
            if unit.error is not None:
                unit.future.set_exception(unit.error)
            else:
                unit.future.set_result(unit.answer)

    def _unsure(self, error: StoreError) -> bool:
        """Whether something may have been written all the same, because it failed in the very commit.

        SQLite that finds no room takes a transaction back, also then.
        """
        return self._committing and not (isinstance(error, DiskFull) and self._engine.dialect.name == "sqlite")

    def _answer_hasty(self, group: list[_Unit], error: StoreError) -> list[_Unit]:
        """A fault is being borne, which those hear who do not wait; returns the others."""
        with self._guard:
            self._trouble = error
        for unit in group:
            if unit.hasty:
                unit.future.set_exception(error)
        return [unit for unit in group if not unit.hasty]

    def _write_group(self, group: list[_Unit]) -> None:
        """All of it in one transaction; what one unit got wrong stays with that unit."""
        for unit in group:
            unit.error = None
        self._committing = False
        if not self._write_items(group):
            with self._transaction() as connection:
                for units in _joined(group):
                    _run_batch(connection, units)

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._engine.connect() as connection:
            with connection.begin() as transaction:
                yield connection
                self._committing = True
                transaction.commit()
            self._committing = False

    def _write_items(self, group: list[_Unit]) -> bool:
        """Write a group of items alone; False if one of them failed, or not all are items, and nothing was written."""
        if any(isinstance(unit.batch, _Alone) for unit in group):
            return False
        try:
            with self._transaction() as connection:
                for units in _joined(group):
                    _take_answers(units, units[0].batch(connection, [unit.item for unit in units]))
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - whose it is turns out when they are written one by one
            return False
        return True


@dataclass(slots=True)
class _Unit:
    batch: Batch[Any, Any]
    item: Any
    future: Future[Any]
    hasty: bool = False
    answer: Any = None
    error: Exception | None = None


class _Alone:
    """A batch of one; never equal to another, so never joined."""

    def __init__(self, work: Work[Any]) -> None:
        self._work = work

    def __call__(self, connection: Connection, items: Sequence[object]) -> Sequence[Any]:
        return [self._work(connection)]


def _joined(group: list[_Unit]) -> list[list[_Unit]]:
    """The group as runs of neighbours that share their batch; the order of submission is kept."""
    runs: list[list[_Unit]] = []
    for unit in group:
        if runs and runs[-1][0].batch == unit.batch:
            runs[-1].append(unit)
        else:
            runs.append([unit])
    return runs


def _run_batch(connection: Connection, units: list[_Unit]) -> None:
    savepoint = connection.begin_nested()
    try:
        _take_answers(units, units[0].batch(connection, [unit.item for unit in units]))
        savepoint.commit()
    except StoreError:
        # The environment failed, and SQLite may have rolled back everything, the savepoint with it: the whole group
        # fails. To go back to a savepoint that is gone would be another error, in place of this one.
        raise
    except Exception as error:  # noqa: BLE001 - kept for the one who submitted it; the others go on
        savepoint.rollback()
        if len(units) == 1:
            units[0].error = error
            return
        for unit in units:
            _run_batch(connection, [unit])


def _take_answers(units: list[_Unit], answers: Sequence[Any]) -> None:
    for unit, answer in zip(units, answers, strict=True):
        unit.answer = answer
