"""A recorded match read from its bytes: moves, names, thinking times, rejected answers, forfeits, ending.

The bytes are what the store keeps, what `referee tournament export` writes and what `GetRecord` answers: a transcript
(`match/transcript.py`), or a bare record of moves, which has neither names nor times. Reading plays the match once
and compares, so that nothing is shown of a record that does not hold.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from referee.match.player import RejectionKind
from referee.match.result import Ending
from referee.rules import registry
from referee.rules.game import Game, Seat
from referee.rules.record import Record
from referee.tournament.audit.replay import DoesNotHold, replay

STRIKES = frozenset(
    [RejectionKind.UNREADABLE, RejectionKind.ILLEGAL, RejectionKind.OUT_OF_TURN, RejectionKind.DUPLICATE]
)
"""The kinds of rejected answers that count as a strike."""


@dataclass(frozen=True, slots=True)
class RejectedAnswer:
    """An answer that was not accepted, while the decision of this number was open."""

    decision: int
    seat: Seat
    kind: str
    code: str
    move: str
    """What was sent, shortened to 80 characters."""

    @property
    def strike(self) -> bool:
        return RejectionKind(self.kind) in STRIKES


@dataclass(frozen=True, slots=True)
class Forfeited:
    """A seat that did not play on from the decision of this number."""

    decision: int
    seat: Seat
    termination: str
    text: str


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """A question that was put once more: after a reconnect, or because the referee was late."""

    decision: int
    seat: Seat
    why: str


Incident = RejectedAnswer | Forfeited | AskedAgain


@dataclass(frozen=True)
class RecordedMatch:
    """Everything that is written down of a match."""

    match: str
    """`league/12`, `practice/5`; empty for a bare record."""
    game: Game[Any]
    record: Record
    names: tuple[str, ...]
    ending: Ending
    incidents: tuple[Incident, ...]
    times_ms: tuple[tuple[int, ...], ...] | None
    """By seat, the time of each answer of its own, in order; None where none were written down."""

    @cached_property
    def at(self) -> dict[int, list[Incident]]:
        """What went wrong, by decision."""
        found: dict[int, list[Incident]] = {}
        for one in self.incidents:
            found.setdefault(one.decision, []).append(one)
        return found

    @cached_property
    def forfeits(self) -> dict[Seat, int]:
        """The seats that forfeited, with the decision at which they did."""
        return {one.seat: one.decision for one in self.incidents if isinstance(one, Forfeited)}

    @property
    def decisions(self) -> int:
        return len(self.record.moves)

    @property
    def players(self) -> int:
        return self.record.players

    def by_bot(self, seat: Seat, decision: int, before: int) -> bool:
        """Whether a seat answered a decision itself, after `before` others of its own; else the referee played for it.

        A seat answers its first so many decisions itself, and the referee all that follow.
        """
        if self.times_ms is not None:
            return before < len(self.times_ms[seat])
        return self.forfeits.get(seat, decision + 1) > decision

    def label(self, seat: Seat) -> str:
        """The name of a seat for people; with its number where two seats have the same name."""
        name = self.names[seat]
        return f"{name} (seat {seat})" if self.names.count(name) > 1 else name


def read_match(data: bytes) -> RecordedMatch:
    """The match that these bytes tell of; DoesNotHold if they are no record, or one that is not true.

    WrongUse if the game, or the version of it that was played, is not installed.
    """
    played = replay(data)
    value = json.loads(data)
    record = played.record
    try:
        incidents = tuple([_incident(event, record) for event in value.get("events", [])])
        times = _times(value["times_ms"], record.players) if "times_ms" in value else None
        names = tuple([str(name) for name in played.names]) or tuple(f"seat {seat}" for seat in range(record.players))
        if len(names) != record.players:
            raise ValueError(f"{len(names)} names for {record.players} players")
    except (ValueError, TypeError, KeyError) as error:
        raise DoesNotHold(f"this is not a record of a match: {error}") from None
    return RecordedMatch(played.match, registry.find(record.game), record, names, played.ending, incidents, times)


def _incident(event: Any, record: Record) -> Incident:
    kind, decision, seat, *rest = event
    whole = type(decision) is int and type(seat) is int
    if not whole or not 0 <= decision <= len(record.moves) or not 0 <= seat < record.players:
        raise ValueError("an event at a decision or of a seat that there is not")
    if not all(isinstance(word, str) for word in rest):
        raise TypeError("an event is not written as one")
    if kind == "rejected":
        what, code, move = rest
        return RejectedAnswer(decision, seat, RejectionKind(what).value, code, move)
    if kind == "forfeit":
        termination, text = rest
        return Forfeited(decision, seat, termination, text)
    if kind == "asked_again":
        (why,) = rest
        return AskedAgain(decision, seat, why)
    raise ValueError(f"an event of the unknown kind {kind!r}")


def _times(value: Any, players: int) -> tuple[tuple[int, ...], ...]:
    if not isinstance(value, list) or len(value) != players:
        raise ValueError("the times are not those of its seats")
    return tuple([_of_seat(seat) for seat in value])


def _of_seat(times: Sequence[Any]) -> tuple[int, ...]:
    if not all(type(time) is int and time >= 0 for time in times):
        raise ValueError("the times are no times")
    return tuple(times)
