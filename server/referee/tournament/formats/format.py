"""A tournament format: a value with one pure function that draws the next round from all results so far.

    drawn = format.next(field, played, chance)      # a Drawn round, Waiting or Finished

A round is drawn when every table of the rounds before it is settled. So it does not matter how many matches are played
at once, in which order they end, or how often the server was killed: the same results give the same round. `chance` is
seeded from the tournament's root, under a label and the number of the round; `verify` draws every round again.

Entrants are numbers 0 … n-1 in the order in which they entered, rounds and tables count from 1, seats from 0, as in
`tournament.schedule.pairing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from referee.rules.chance import Chance

if TYPE_CHECKING:
    from referee.tournament.formats.bracket import Bracket


@dataclass(frozen=True, slots=True)
class Field:
    """Who can be drawn into the next round, and what is known of the entrants from elsewhere."""

    entrants: int
    players: int
    """Seats at a table."""
    active: frozenset[int]
    """Entrants that are in: neither withdrawn nor disqualified. A bot that is merely not connected is active."""
    seeding: tuple[float, ...] = ()
    """A strength per entrant from an earlier tournament or a rating, the higher the better; empty if none was given."""


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A match that is to be played: who sits where, and why these meet."""

    seats: tuple[int, ...]
    why: str
    """One sentence for people: "both have 3.5 points and have not met"."""
    deal: int = 0
    """Tables of a round with the same number above 0 are played on the same deal (mirrored blocks)."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The next round."""

    tables: tuple[DrawnTable, ...]
    stage: str
    """What this round is called: "round 3 of 7", "semi-finals", "group B, round 2"."""
    byes: tuple[int, ...] = ()
    """Active entrants that have no table in this round."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing more is drawn."""

    why: str
    """One sentence: "all 7 rounds are played"."""
    places: tuple[tuple[int, ...], ...] = ()
    """The final order where the format decides it (a bracket does): groups of entrants that share a place."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing can be drawn with those who are active now; ask again when that has changed. Only a ladder says so."""

    why: str
    """One sentence: "3 bots are in and a table needs 4"."""


@dataclass(frozen=True, slots=True)
class SettledTable:
    """A table of an earlier round and what became of it."""

    seats: tuple[int, ...]
    ranks: tuple[int, ...] | None
    """The rank of each seat, 1 is best, equal ranks are ties; None if it was set aside (absent, void, annulled)."""
    scores: tuple[float, ...] = ()
    forfeited: frozenset[int] = frozenset()
    """Seats that forfeited."""
    absent: frozenset[int] = frozenset()
    """Seats whose bots were not there, where the match was set aside for that."""
    deal: int = 0


@dataclass(frozen=True, slots=True)
class SettledRound:
    """An earlier round, complete: all its tables in their order, who was active and who had a bye."""

    number: int
    tables: tuple[SettledTable, ...]
    byes: tuple[int, ...] = ()
    active: frozenset[int] = field(default_factory=frozenset)
    otherwise: tuple[SettledRound, ...] = ()
    """Rounds before it, as they were when it was drawn, where results of them were annulled since.

    Only for formats that ask for it (`Format.stands`)."""

    def drawn_from(self, earlier: Sequence[SettledRound]) -> list[SettledRound]:
        """These earlier rounds as they were known when this one was drawn."""
        then = {round.number: round for round in self.otherwise}
        return [then.get(round.number, round) for round in earlier]


@dataclass(frozen=True, slots=True)
class Forecast:
    """How long a format lasts, before anything is played: rounds and matches, the least and the most."""

    rounds: tuple[int, int]
    matches: tuple[int, int]
    turned: tuple[int, int] = (0, 0)
    """Those of them that are played in blocks on one deal, each bot in every seat."""


class Format(Protocol):
    """A kind of competition. Formats are frozen dataclasses derived from this: their fields are the settings stored."""

    turned: ClassVar[int] = 0
    """Tables that follow each other and turn the seats of the same bots; 0: no table has such a twin."""

    def check(self, entrants: int, players: int) -> None:
        """ScheduleError if it cannot be played with so many entrants at tables of so many; says what to change."""

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Waiting | Finished:
        """The next round after these, or why there is none: not yet, or never."""

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        """How long it lasts; None if it is open-ended."""

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """The order of the field by this format's own count after these rounds, groups that share a place."""

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float] | None:
        """What this format counts of each entrant after these rounds; None where it has no such number."""
        return None

    def tie_breaks(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float] | None:
        """What parts entrants whose own count is the same; None where nothing does."""
        return None

    def verdict(self, field: Field, played: Sequence[SettledRound], names: Sequence[str]) -> str:
        """The answer in a sentence, where this format asks a question and these rounds are the last; else empty."""
        return ""

    def stands(self) -> bool:
        """Whether what a round was drawn from stays decided when results are annulled later, as in a bracket."""
        return False

    def bracket(self, field: Field, played: Sequence[SettledRound]) -> Bracket | None:
        """The bracket with all that is known after these rounds; None where there is none."""
        return None
