"""Many matches in one process, and what they add up to: lengths, scores, wins per seat, one digest of all records."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

from referee.hosting.bot import folders
from referee.rules.game import Game, WrongUse
from referee.rules.playout import Chooser, Playout, match_seed, playout, random_chooser

RANDOM = "random"
"""The player without a folder: picks evenly from the legal list and never looks at a view."""

Seater = Callable[[int, bytes], Sequence[Chooser]]


class BotFault(Exception):
    """A bot answered with something that is no legal move, or did not answer at all: which bot, where and what."""


class Share(NamedTuple):
    """Wins of one seat (a shared first place counts as its share) and the 95 % interval of the win rate."""

    wins: float
    rate: float
    low: float
    high: float


class Tally:
    """What a series of matches adds up to."""

    def __init__(self, players: int) -> None:
        self.matches = 0
        self.decisions = 0
        self.lengths: Counter[int] = Counter()
        self.scores: Counter[int] = Counter()
        self.reasons: Counter[str] = Counter()
        self.wins = [0.0] * players
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of all records in order."""
        return self._digest.hexdigest()

    def add(self, match: Playout) -> None:
        result = match.record.result
        assert result is not None
        self.matches += 1
        self.decisions += match.decisions
        self.lengths[match.decisions] += 1
        self.scores.update(result.scores)
        self.reasons[result.reason] += 1
        first = [seat for seat, rank in enumerate(result.ranks) if rank == 1]
        for seat in first:
            self.wins[seat] += 1 / len(first)
        self._digest.update(match.record.to_bytes())

    def shares(self) -> list[Share]:
        return [Share(wins, wins / self.matches, *wilson(wins, self.matches)) for wins in self.wins]


def simulate(
    game: Game[Any],
    players: int,
    options: Mapping[str, Any],
    matches: int,
    root: bytes,
    bots: Sequence[str] = (RANDOM,),
) -> Iterator[Tally]:
    """Play the matches of a series; yields the same tally after every match.

    `options` are resolved; `bots` are names, repeated over the seats when there are fewer of them.
    """
    seats = seat_bots(game, players, bots)
    seater = _seater(game, options, seats)
    tally = Tally(players)
    for number in range(matches):
        seed = match_seed(root, number)
        tally.add(playout(game, players, options, seed, seater(number, seed)))
        yield tally


def seat_bots(game: Game[Any], players: int, bots: Sequence[str]) -> list[str]:
    """The bot of every seat; `WrongUse` for an unknown one or more bots than seats."""
    if not bots:
        raise WrongUse("name at least one bot")
    if len(bots) > players:
        raise WrongUse(f"{len(bots)} bots for {players} seats; name at most one per seat")
    for name in bots:
        if name != RANDOM:
            folders.find(name, game.name)
    return [bots[seat % len(bots)] for seat in range(players)]


def wilson(wins: float, matches: int) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate."""
    z = 1.959963984540054
    rate = wins / matches
    scale = 1 + z * z / matches
    centre = (rate + z * z / (2 * matches)) / scale
    reach = z * sqrt(rate * (1 - rate) / matches + z * z / (4 * matches * matches)) / scale
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _seater(game: Game[Any], options: Mapping[str, Any], seats: Sequence[str]) -> Seater:
    if all(name == RANDOM for name in seats):
        return lambda number, seed: [random_chooser(seed, seat) for seat in range(len(seats))]
    from referee.hosting import inprocess  # brings the SDK, which random players do without

    bots = {name: folders.load(folders.find(name, game.name)) for name in dict.fromkeys(seats) if name != RANDOM}

    def seat_all(number: int, seed: bytes) -> list[Chooser]:
        return [
            random_chooser(seed, seat)
            if name == RANDOM
            else inprocess.chooser(bots[name], name, game, options, str(number), seat, seats)
            for seat, name in enumerate(seats)
        ]

    return seat_all
