"""The standings of a tournament as one frozen value: built by the server, carried by the network, drawn here.

Seats are numbered from 0, ranks from 1; a rank is 1 + the number of those strictly better, so ties share a rank.
Times are seconds. `Standings.to_json_value()` is the form in which standings leave the program.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, ClassVar

from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.format import FormatStanding
from referee_leaderboard.json_value import StandingsError, decode, encode
from referee_leaderboard.pooled import Pooled
from referee_leaderboard.seats import Seats
from referee_leaderboard.strengths import Strengths

__all__ = [
    "FaultKind",
    "Head",
    "Order",
    "Outcome",
    "Playing",
    "Standing",
    "Standings",
    "StandingsError",
    "State",
    "VersionRating",
]


class State(StrEnum):
    """Where a tournament stands in its life."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Order(StrEnum):
    """What the rows of a table are ordered by."""

    TRUESKILL = "trueskill"
    """μ − 3σ."""
    STRENGTH = "strength"
    """Order-free strength; bots without a result come last."""
    PLACES = "places"
    """The places of the tournament's own format."""
    POINTS = "points"
    """The mean score: matches have one player."""

    @property
    def about(self) -> str:
        """What orders the table, in a sentence."""
        return _ABOUT[self]


_ABOUT = {
    Order.TRUESKILL: "Ordered by score, the strength a bot has proved: μ − 3σ.",
    Order.STRENGTH: "Ordered by strength, by all results together in whatever order they came; 0 is the field's mean.",
    Order.PLACES: "Ordered by the places of its format.",
    Order.POINTS: "Ordered by the mean of the points.",
}


FAULTS = ("illegal", "timeout", "disconnect", "crash", "flood", "resigned")
"""The ways in which a seat forfeits, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """How often a bot forfeited in one way."""

    kind: str
    """`timeout`, `crash`, …"""
    count: int


@dataclass(frozen=True, slots=True)
class VersionRating:
    """The rating of one version of a bot after its last match so far."""

    version: int
    """0 while it was no submitted version: the bot was connected."""
    matches: int
    mu: float
    sigma: float

    def __post_init__(self) -> None:
        _require_finite(self)


@dataclass(frozen=True, slots=True)
class Standing:
    """One bot's line: its place, its rating and what the rating rests on."""

    computed: ClassVar[tuple[str, ...]] = ("score",)

    rank: int
    bot: str
    mu: float
    sigma: float
    matches: int = 0
    wins: int = 0
    """First places, alone or shared: each who shares one has it."""
    mean_rank: float | None = None
    """None before the bot's first match."""
    faults: int = 0
    mean_score: float | None = None
    previous_rank: int | None = None
    """The rank it held before; None when there is nothing to compare with."""
    absent: bool = False
    absent_seconds: float | None = None
    """How long it has been away, where that is known."""
    wins_split: float | None = None
    """Wins, a shared first place divided among those who share it; None where it is not known."""
    strength: float | None = None
    """Order-free strength relative to the mean of the field, on the scale of μ; None where it is not known …"""
    strength_error: float | None = None
    """… and its standard error."""
    draws: int = 0
    """First places that were shared; in a match of two, the matches that ended level."""
    fault_kinds: tuple[FaultKind, ...] = ()
    """Its faults by kind, the most frequent first; empty where they are not known."""
    versions: tuple[VersionRating, ...] = ()
    """Its versions in the order in which they first played; empty where they are not told apart."""

    def __post_init__(self) -> None:
        _require_finite(self)

    @property
    def won(self) -> float:
        """Wins as they are shown: a shared first place counts as its share."""
        return self.wins if self.wins_split is None else self.wins_split

    @property
    def faults_told(self) -> str:
        """Its faults by kind, in words: `3 timeout, 1 crash`; empty if there are none or they are not known."""
        return ", ".join(f"{one.count:,} {one.kind}" for one in self.fault_kinds)

    @property
    def score(self) -> float:
        """The strength the bot has proved, μ − 3σ."""
        return self.mu - 3 * self.sigma

    @property
    def climbed(self) -> int:
        """Places gained since the previous ranking (negative: lost)."""
        return 0 if self.previous_rank is None else self.previous_rank - self.rank


@dataclass(frozen=True, slots=True)
class Playing:
    """A match on the table right now; bots and scores by seat."""

    match: str
    round: int
    bots: tuple[str, ...]
    elapsed: float = 0.0
    scores: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        _require_finite(self)
        _require_seats(self.bots, scores=self.scores)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended; everything by seat. An empty fault means that the seat played to the end."""

    match: str
    round: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None = None
    reason: str = "finished"
    faults: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        _require_seats(self.bots, ranks=self.ranks, scores=self.scores, faults=self.faults)


@dataclass(frozen=True, slots=True)
class Head:
    """The head of the hash chain over all that is stored of a tournament: who notes it can check later."""

    entries: int = 0
    hash: str = ""


@dataclass(frozen=True, slots=True)
class Standings:
    """A tournament at one moment: everything a leaderboard shows."""

    tournament: str
    game: str
    players: int
    state: State = State.CREATED
    provisional: bool = False
    """True while matches are open whose results may still change the order."""
    rounds: int = 0
    matches_done: int = 0
    matches_total: int = 0
    started: float | None = None
    """When the first match began, in seconds since 1970 (UTC)."""
    elapsed: float | None = None
    """Since then, until now or until its end."""
    matches_per_second: float | None = None
    eta: float | None = None
    digest: str = ""
    """Fingerprint of the final ratings; empty while provisional."""
    rows: tuple[Standing, ...] = ()
    """In order of rank."""
    playing: tuple[Playing, ...] = ()
    latest: tuple[Outcome, ...] = ()
    """Newest first."""
    crosstable: Crosstable = field(default_factory=Crosstable)
    seats: Seats = field(default_factory=Seats)
    notices: tuple[str, ...] = ()
    matches_set_aside: int = 0
    """Of those that are done, how many have no result: a bot was not there, or the match came to nothing."""
    matches_playing: int = 0
    """How many are on the tables right now; `playing` may hold only the first of them."""
    strengths: Strengths = field(default_factory=Strengths)
    """Order-free ratings; while matches are played they may lag behind the rows."""
    pooled: tuple[Pooled, ...] = ()
    """Bots that were entered more than once: what their entries have together."""
    format: FormatStanding = field(default_factory=FormatStanding)
    """What a format that draws its rounds adds; empty for a round-robin."""
    order: Order = Order.TRUESKILL
    """What the rows are ordered by."""
    head: Head = field(default_factory=Head)
    """Empty where it is not known."""

    def __post_init__(self) -> None:
        _require_finite(self)

    def to_json_value(self) -> dict[str, Any]:
        """A plain dict in a stable order of keys."""
        value: dict[str, Any] = encode(self)
        return value

    @classmethod
    def from_json_value(cls, value: Mapping[str, Any]) -> Standings:
        """The standings that `to_json_value` wrote; StandingsError names the place that does not fit."""
        return decode(cls, value, "standings")

    @property
    def met(self) -> tuple[Standing, ...]:
        """The rows of the crosstable: those of all bots while none has a result, or where there is no crosstable."""
        there = frozenset(self.crosstable.bots)
        return tuple(row for row in self.rows if row.bot in there) if there else self.rows

    def after(self, seconds: float) -> Standings:
        """The same standings so many seconds later, if nothing is heard meanwhile: only the clocks move on."""
        if self.state is not State.RUNNING or seconds <= 0:
            return self
        return replace(
            self,
            elapsed=None if self.elapsed is None else self.elapsed + seconds,
            eta=None if self.eta is None else max(0.0, self.eta - seconds),
            playing=tuple(replace(match, elapsed=match.elapsed + seconds) for match in self.playing),
        )


def _require_finite(value: Any) -> None:
    for entry in fields(value):
        number = getattr(value, entry.name)
        if isinstance(number, float) and not math.isfinite(number):
            raise ValueError(f"{entry.name} of {type(value).__name__} must be a finite number, not {number}")


def _require_seats(bots: tuple[str, ...], **by_seat: tuple[object, ...] | None) -> None:
    for name, entries in by_seat.items():
        if entries is not None and len(entries) != len(bots):
            raise ValueError(f"{len(bots)} bots but {len(entries)} {name}: one is needed for every seat")
