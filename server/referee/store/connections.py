"""The connections that all parts of the store share: the engine that reads, the writer, and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine

from referee.store import journal
from referee.store.acting import begun, taken
from referee.store.plain import plain
from referee.store.writer import Answer, Work, Writer

__all__ = ["Clock", "Connections", "binary", "plain", "wall_clock"]

Clock = Callable[[], int]


def wall_clock() -> int:
    """Milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Connections:
    """The connections of an open store."""

    readers: Engine
    writer: Writer
    now: Clock

    def write(self, work: Work[Answer]) -> Answer:
        """Run a unit of work and wait until it is on disk; with it, the note of the action that it belongs to.

        Somebody waits for the answer to an action, so it does not wait until the database can be used again.
        """
        deed = taken()
        if deed is None:
            return self.write_beside(work)

        def noted(connection: Connection) -> Answer:
            answer = work(connection)
            journal.append(connection, journal.INSTALLATION, [deed.entry(self.now(), answer)])
            return answer

        try:
            return self.writer.submit(noted, hasty=True).result()
        except Exception:
            deed.give_back()
            raise

    def write_beside(self, work: Work[Answer]) -> Answer:
        """The same for what is not the action itself, but comes before it or follows from what is stored.

        Somebody waits for what comes before it, too: a house bot that is named for the first time in a tournament.
        """
        return self.writer.submit(work, hasty=begun()).result()


def binary(value: Any) -> bytes:
    """The bytes of a column; TypeError if a number or a text was put in their place, which `bytes` would make fit."""
    return memoryview(value).tobytes()
