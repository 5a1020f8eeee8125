"""Transcript: the log of a match beyond its moves, with thinking times, rejected answers and forfeits.

It is what is stored of a match and what `referee verify` reads: one JSON object with the game's own
record inside.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.match.player import Rejected
from referee.match.result import Ending, Forfeit
from referee.rules.game import Seat
from referee.rules.record import Record


@dataclass(slots=True)
class Seatlog:
    """The account of one seat."""

    seconds: float = 0.0
    strikes: int = 0
    times_ms: list[int] = field(default_factory=list)
    """What each decision took."""

    @property
    def decisions(self) -> int:
        return len(self.times_ms)


class Transcript:
    """Kept while the match is played."""

    __slots__ = ("events", "seats")

    def __init__(self, players: int) -> None:
        self.seats = [Seatlog() for _ in range(players)]
        self.events: list[list[Any]] = []

    def moved(self, seat: Seat, seconds: float) -> None:
        log = self.seats[seat]
        log.seconds += seconds
        log.times_ms.append(round(seconds * 1000))

    def rejected(self, seat: Seat, decision: int, rejected: Rejected) -> None:
        self.events.append(["rejected", decision, seat, rejected.kind.value, rejected.code, rejected.move])

    def forfeited(self, seat: Seat, decision: int, forfeit: Forfeit) -> None:
        self.events.append(["forfeit", decision, seat, forfeit.termination.word, forfeit.text])

    def asked_again(self, seat: Seat, decision: int, why: str) -> None:
        self.events.append(["asked_again", decision, seat, why])

    def to_bytes(self, match: str, names: Sequence[str], record: Record, ending: Ending) -> bytes:
        """The whole match on paper, canonical JSON."""
        value = {
            "match": match,
            "names": list(names),
            "record": record.to_value(),
            **ending.to_value(),
            "events": self.events,
            "times_ms": [log.times_ms for log in self.seats],
        }
        return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode() + b"\n"
