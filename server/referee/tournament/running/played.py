"""A match that was played to its end, here or by a worker, and what a worker says of it to its parent.

Workers import this and start without the database: what is stored of a match is in `ended.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from referee.chain_head import ChainHead
from referee.match.match import Match
from referee.match.result import Ending
from referee.match.seat_log import PackedLog


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """What one seat did in a match."""

    decisions: int
    strikes: int
    time_ms: int


def nobody_hears(*news: object) -> None:
    """For a match whose bots are not told by this process; it has a name, so that it can go to another process."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has ended; `announce` tells the bots, once the result is stored."""

    ending: Ending
    record: bytes = field(repr=False)
    seats: tuple[SeatAccount, ...] = ()
    announce: Callable[[], object] = nobody_hears
    logs: tuple[PackedLog, ...] = ()
    """What hosted bots wrote to stderr: for their authors and the host."""
    stored: Callable[[ChainHead], object] = nobody_hears
    """To be called before `announce`, with the head of the hash chain that holds the result."""
    versions: tuple[int | None, ...] = ()
    """By seat, the version of the submitted bot that played; empty if none did."""

    @classmethod
    def of(cls, match: Match, ending: Ending) -> Played:
        """From a match that has ended in this process."""
        accounts = tuple(
            SeatAccount(seat.decisions, seat.strikes, round(seat.seconds * 1000)) for seat in match.transcript.seats
        )
        return cls(ending, match.record(), accounts, match.announce, stored=match.stored)

    def to_value(self) -> dict[str, Any]:
        """As a worker says it to its parent: a JSON object; the record travels beside it as it is."""
        seats = [[seat.decisions, seat.strikes, seat.time_ms] for seat in self.seats]
        value = {"ending": self.ending.to_value(), "seats": seats}
        if self.logs:
            value["logs"] = [[log.seat, log.body.decode()] for log in self.logs]
        return value

    @classmethod
    def from_value(cls, value: dict[str, Any], record: bytes, announce: Callable[[], object]) -> Played:
        """Read what `to_value` wrote."""
        seats = tuple(SeatAccount(*seat) for seat in value["seats"])
        logs = tuple(PackedLog(seat, text.encode()) for seat, text in value.get("logs", ()))
        return cls(Ending.from_value(value["ending"]), record, seats, announce, logs)
