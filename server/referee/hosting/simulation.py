"""Simulation: many matches in one process, and their statistics: lengths, scores, wins per seat, one digest.

A bot is a name, or Python itself: a function `decide(decision) -> str`, an object with such a method, or a class.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.hosting.bot import folders
from referee.rules.game import Game, WrongUse
from referee.rules.playout import Chooser, Playout, match_seed, playout, random_chooser
from referee_leaderboard.seats import wilson

if TYPE_CHECKING:
    from arena.bots import Bot

RANDOM = "random"
"""The player without a folder: picks evenly from the legal list and never looks at a view."""

Seater = Callable[[int, bytes], Sequence[Chooser]]


class BotFault(Exception):
    """A bot answered with something that is no legal move, or did not answer at all: which bot, where and what."""


class WinShare(NamedTuple):
    """Wins of one seat (a shared first place counts as its share) and the 95 % interval of the win rate."""

    wins: float
    rate: float
    low: float
    high: float


class PooledTally(NamedTuple):
    """What several seats have together: their share of the wins, and their means."""

    share: WinShare
    rank: float
    score: float


class SimulationTally:
    """The statistics of a series of matches."""

    def __init__(self, players: int) -> None:
        self.matches = 0
        self.decisions = 0
        self.lengths: Counter[int] = Counter()
        self.scores: Counter[int] = Counter()
        self.reasons: Counter[str] = Counter()
        self.wins = [0.0] * players
        self.ranks = [0] * players
        """The sum of its ranks, for every seat."""
        self.points = [0] * players
        """The sum of its scores, for every seat."""
        self.ranked: Counter[tuple[int, ...]] = Counter()
        """How often matches ended with these ranks by seat."""
        self.latest: Playout | None = None
        self._digest = hashlib.sha256()

    @property
    def digest(self) -> str:
        """SHA-256 of all records in order."""
        return self._digest.hexdigest()

    def add(self, match: Playout) -> None:
        result = match.record.result
        assert result is not None
        self.latest = match
        self.matches += 1
        self.decisions += match.decisions
        for seat, (rank, score) in enumerate(zip(result.ranks, result.scores, strict=True)):
            self.ranks[seat] += rank
            self.points[seat] += score
        self.lengths[match.decisions] += 1
        self.scores.update(result.scores)
        self.reasons[result.reason] += 1
        self.ranked[tuple(result.ranks)] += 1
        for seat, share in enumerate(win_shares(result.ranks)):
            self.wins[seat] += share
        self._digest.update(match.record.to_bytes())

    def shares(self) -> list[WinShare]:
        return [self._share(wins) for wins in self.wins]

    def pooled(self, seats: Sequence[int]) -> PooledTally:
        """Several seats taken together: those of a bot that was entered more than once."""
        taken = self.matches * len(seats)
        return PooledTally(
            self._share(sum(self.wins[seat] for seat in seats)),
            sum(self.ranks[seat] for seat in seats) / taken,
            sum(self.points[seat] for seat in seats) / taken,
        )

    def _share(self, wins: float) -> WinShare:
        return WinShare(wins, wins / self.matches, *wilson(wins, self.matches))


def simulate(
    game: Game[Any],
    players: int,
    options: Mapping[str, Any],
    matches: int,
    root: bytes,
    bots: Sequence[str | Bot] = (RANDOM,),
) -> Iterator[SimulationTally]:
    """Play the matches of a series; yields the same tally after every match.

    `options` are resolved; `bots` are names or Python bots, repeated over the seats when there are fewer of them.
    """
    seats = seat_bots(game, players, bots)
    seater = _seater(game, options, seats)
    tally = SimulationTally(players)
    for number in range(matches):
        seed = match_seed(root, number)
        tally.add(playout(game, players, options, seed, seater(number, seed)))
        yield tally


def seat_bots(game: Game[Any], players: int, bots: Sequence[str | Bot]) -> list[str | Bot]:
    """The bot of every seat; `WrongUse` for an unknown one or more bots than seats."""
    if not bots:
        raise WrongUse("name at least one bot")
    if len(bots) > players:
        raise WrongUse(f"{len(bots)} bots for {players} seats: name at most one per seat")
    for bot in bots:
        if isinstance(bot, str) and bot != RANDOM:
            folders.find(bot, game.name)
    return [bots[seat % len(bots)] for seat in range(players)]


def win_shares(ranks: Sequence[int]) -> list[float]:
    """What each seat has of the win: a shared first place is divided."""
    first = list(ranks).count(1)
    return [1 / first if rank == 1 else 0.0 for rank in ranks]


def _seater(game: Game[Any], options: Mapping[str, Any], seats: Sequence[str | Bot]) -> Seater:
    if all(bot == RANDOM for bot in seats):
        return lambda number, seed: [random_chooser(seed, seat) for seat in range(len(seats))]
    from referee.hosting import inprocess  # brings the SDK, which random players do without

    loaded: dict[str, Any] = {}
    for bot in seats:
        if isinstance(bot, str) and bot != RANDOM and bot not in loaded:
            loaded[bot] = folders.load(folders.find(bot, game.name))
    names = [name_of(bot) for bot in seats]

    def chooser(bot: str | Bot, number: int, seed: bytes, seat: int) -> Chooser:
        if bot == RANDOM:
            return random_chooser(seed, seat)
        player = loaded[bot] if isinstance(bot, str) else bot
        return inprocess.chooser(player, names[seat], game, options, str(number), seat, names)

    return lambda number, seed: [chooser(bot, number, seed, seat) for seat, bot in enumerate(seats)]


def name_of(bot: str | Bot) -> str:
    """A bot's name: what it is called in Python, if it is not a name already."""
    return bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__)
