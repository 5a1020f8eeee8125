"""What the format of a tournament adds to its standings: its rounds, who went through, its own points and places.

Empty for a round-robin, whose table says it all.
"""

from __future__ import annotations

from dataclasses import dataclass

MET = "the mean points of the bots it met: what parts equal points"


@dataclass(frozen=True, slots=True)
class FormatTable:
    """A table of a round; bots and ranks by seat."""

    match: str
    bots: tuple[str, ...]
    state: str = "scheduled"
    """`scheduled`, `playing`, `finished`, `absent` or `void`."""
    ranks: tuple[int, ...] | None = None
    why: str = ""
    """Why these bots meet."""
    advanced: tuple[str, ...] = ()
    """Who went through at this table, where the format has it so."""

    def __post_init__(self) -> None:
        if self.ranks is not None and len(self.ranks) != len(self.bots):
            raise ValueError(f"{len(self.bots)} bots but {len(self.ranks)} ranks: one is needed for every seat")


@dataclass(frozen=True, slots=True)
class FormatRound:
    """A round that was drawn."""

    number: int
    stage: str
    """What it is called: `round 3 of 7`, `semi-finals`."""
    tables: tuple[FormatTable, ...] = ()
    byes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormatPairing:
    """A table of a bracket; its bots by name once they are known, before that `winner of table 4`."""

    number: int
    bots: tuple[str, ...]
    advanced: tuple[str, ...] = ()
    """Best first; empty while it is open."""
    how: str = ""
    """How it was decided: `played`, `further block`, `seeding` or `walkover`."""


@dataclass(frozen=True, slots=True)
class FormatStage:
    """Tables of a bracket that are played at the same time, and who waits meanwhile."""

    name: str
    tables: tuple[FormatPairing, ...] = ()
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormatPlace:
    """Where a bot stands by the count of the format."""

    place: int
    bot: str
    points: float | None = None
    climbed: int = 0
    """Places gained with the last round (negative: lost)."""
    out: str = ""
    """`disqualified` or `withdrawn`; empty for those who are in."""
    tie_break: float | None = None
    """What parts those with the same points: in a Swiss the mean points of the bots it met."""


@dataclass(frozen=True, slots=True)
class FormatStanding:
    """A tournament by the count of its format."""

    name: str = ""
    """`swiss`, `knockout`, …; empty for a round-robin."""
    stage: str = ""
    """What the last round is called; at the end of a format that asks a question, the answer."""
    rounds_drawn: int = 0
    places: tuple[FormatPlace, ...] = ()
    """Best first."""
    rounds: tuple[FormatRound, ...] = ()
    """In their order; of very many only the last ones."""
    bracket: tuple[FormatStage, ...] = ()
    """The whole bracket of a knock-out, the final last; empty in other formats."""
    most: int | None = None
    """Where it is not known how many matches there will be: the most that are allowed, 0 where nothing bounds them."""
