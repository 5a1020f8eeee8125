"""The connections that all parts of the store share: the engine that reads, the writer, and the clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine

from referee.store.writer import Answer, Work, Writer

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
        """Run a unit of work and wait until it is on disk."""
        return self.writer.submit(work).result()


def plain(text: str) -> str:
    """Text that every database can hold: no zero byte and no half of a surrogate pair."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")


def binary(value: Any) -> bytes:
    """The bytes of a column; TypeError if a number or a text was put in their place, which `bytes` would make fit."""
    return memoryview(value).tobytes()
