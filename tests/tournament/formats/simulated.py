"""Whole tournaments played with made-up results: bots of known strength, seeded luck, ties, absences, withdrawals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from referee.rules.chance import Seeded
from referee.tournament.formats.format import (
    Drawn,
    Field,
    Finished,
    Format,
    SettledRound,
    SettledTable,
    Waiting,
)

Settle = Callable[[tuple[int, ...]], SettledTable]


def by_strength(strengths: Sequence[float], luck: float, seed: int, ties: float = 0.0) -> Settle:
    """Results as strong bots and luck make them: performances that are closer than `ties` are level."""
    rng = random.Random(seed)

    def settle(seats: tuple[int, ...]) -> SettledTable:
        shown = [strengths[entrant] + luck * rng.gauss(0, 1) for entrant in seats]
        if ties:
            shown = [round(value / ties) for value in shown]
        ranks = tuple(1 + sum(other > own for other in shown) for own in shown)
        return SettledTable(seats, ranks, tuple(float(len(seats) - rank) for rank in ranks))

    return settle


@dataclass
class Simulation:
    """A tournament that is drawn round by round; what was drawn and what came of it."""

    format: Format
    entrants: int
    players: int
    settle: Settle
    seed: int = 0
    seeding: tuple[float, ...] = ()
    active: set[int] = field(default_factory=set)
    drawn: list[Drawn] = field(default_factory=list)
    played: list[SettledRound] = field(default_factory=list)
    end: Finished | None = None

    def __post_init__(self) -> None:
        self.active = set(range(self.entrants))
        self.format.check(self.entrants, self.players)

    @property
    def field(self) -> Field:
        return Field(self.entrants, self.players, frozenset(self.active), self.seeding)

    def next(self) -> Drawn | Waiting | Finished:
        chance = Seeded(b"%d round %d" % (self.seed, len(self.played) + 1))
        return self.format.next(self.field, tuple(self.played), chance)

    def step(self) -> Drawn | None:
        """Draw and play a round; None if there is none."""
        answer = self.next()
        if not isinstance(answer, Drawn):
            self.end = answer if isinstance(answer, Finished) else None
            return None
        check_drawn(answer, self.field)
        self.drawn.append(answer)
        tables = []
        for table in answer.tables:
            settled = self.settle(table.seats)
            tables.append(
                SettledTable(table.seats, settled.ranks, settled.scores, settled.forfeited, settled.absent, table.deal)
            )
        self.played.append(SettledRound(len(self.played) + 1, tuple(tables), answer.byes, frozenset(self.active)))
        return answer

    def run(self, most: int = 10_000) -> Finished:
        """Play to the end."""
        for _ in range(most):
            if self.step() is None:
                break
        assert self.end is not None
        return self.end


def check_drawn(drawn: Drawn, field: Field) -> None:
    """What holds for every round of every format."""
    assert drawn.tables
    assert drawn.stage
    at_tables = {entrant for table in drawn.tables for entrant in table.seats}
    assert at_tables <= field.active
    assert not at_tables & set(drawn.byes)
    assert set(drawn.byes) <= field.active
    for table in drawn.tables:
        assert len(table.seats) == field.players == len(set(table.seats))
        assert table.why
        assert not table.why.endswith(".")
