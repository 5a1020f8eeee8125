"""The store's writer without its thread: the same transactions, at moments of the virtual clock, with seeded faults."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from referee.store.errors import DiskFull
from referee.store.writer import Batch, Writer, _Unit

from .virtual_time import Death

FULL = "no room left to write the database: this disk is a simulated one"


class SimulatedWriter(Writer):
    """Writes what is queued a moment later; whoever waits for an answer in a thread has it written at once."""

    def __init__(
        self, writer: Writer, chance: random.Random, written: Callable[[], object], *, errors: float, deaths: float
    ) -> None:
        """`written` is called after every commit.

        `errors` is how likely a write fails, before or after its commit, `deaths` how likely the process is killed
        around it.
        """
        super().__init__(writer._engine)
        self._chance = chance
        self._written = written
        self._errors, self._deaths = errors, deaths
        self._group_now: list[_Unit] = []

    def _put(self, batch: Batch[Any, Any], item: object, *, hasty: bool = False) -> Future[Any]:
        unit = _Unit(batch, item, _Waited(self), hasty)
        self._group_now.append(unit)
        with suppress(RuntimeError):  # outside the loop: the caller waits for it
            asyncio.get_running_loop().call_later(self._chance.uniform(0.0, 0.003), self.flush)
        return unit.future

    def flush(self) -> None:
        group, self._group_now = self._group_now, []
        group = [unit for unit in group if unit.future.set_running_or_notify_cancel()]
        if not group:
            return
        before = self._chance.random() < 0.5
        killed = self._chance.random() < self._deaths
        if killed and before:
            raise Death
        if self._chance.random() < self._errors:
            if not before:  # it is on disk, and the writer hears of an error all the same
                self._write_group(group)
                self._written()
            for unit in group:
                unit.future.set_exception(DiskFull(FULL))
            return
        self._write(group)
        self._written()
        if killed:
            raise Death

    def close(self) -> None:
        self.flush()


class _Waited(Future[Any]):
    def __init__(self, writer: SimulatedWriter) -> None:
        super().__init__()
        self._writer = writer

    def result(self, timeout: float | None = None) -> Any:
        if not self.done():
            self._writer.flush()
        return super().result(0)
