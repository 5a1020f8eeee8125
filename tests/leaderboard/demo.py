"""An invented tournament, to see the live leaderboard without a server: `python tests/leaderboard/demo.py`.

`--speed` is in matches per second, `--gone-at` lets the server vanish for a while after so many matches,
`--fail-at` breaks the feed. The tests drive this same program in a pseudo-terminal.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from referee_leaderboard import (
    Connection,
    Crosstable,
    Outcome,
    Playing,
    Seats,
    Standing,
    Standings,
    State,
    Strength,
    Strengths,
    to_svg,
    watch,
)

HOUSE = (
    "cautious", "greedy", "monte-carlo-1000", "random", "random-2", "counter", "rolling stone", "seven or bust",
    "Zoë's bot", "骰子大師", "dicey [bold]", "last-minute",
)  # fmt: skip


@dataclass
class Tournament:
    """Matches of invented bots: the earlier a bot is named, the better it plays."""

    bots: Sequence[str] = HOUSE
    players: int = 4
    total: int = 600
    seed: int = 7
    name: str = "Spring Cup"
    results: list[Outcome] = field(default_factory=list)
    ranks: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def play(self, matches: int = 1) -> None:
        """Play so many matches."""
        for _ in range(matches):
            number = len(self.results) + 1
            bots = tuple(self.random.sample(list(self.bots), min(self.players, len(self.bots))))
            scores = tuple(self._score(bot, seat) for seat, bot in enumerate(bots))
            faults = tuple("timeout" if bot == "last-minute" and self.random.random() < 0.1 else "" for bot in bots)
            strength = [(not fault, score) for fault, score in zip(faults, scores, strict=True)]
            ranks = tuple(1 + sum(other > own for other in strength) for own in strength)
            played_round = 1 + (number - 1) * self.players // max(1, len(self.bots))
            self.results.append(Outcome(str(number), played_round, bots, ranks, scores, "finished", faults))

    def standings(self, pace: float = 12.5, busy: int = 3) -> Standings:
        """The standings after the matches played so far; `busy` matches are on the tables."""
        done = len(self.results)
        pairs = [(result.bots, result.ranks) for result in self.results]
        ordered = sorted((self._row(bot) for bot in self.bots), key=lambda row: -row.score)
        rows = []
        for row in ordered:
            rank = 1 + sum(other.score > row.score for other in ordered)
            rows.append(replace(row, rank=rank, previous_rank=self.ranks.get(row.bot)))
        if done % 25 == 0:
            self.ranks = {row.bot: row.rank for row in rows}
        finished = done >= self.total
        return Standings(
            tournament=self.name,
            game="flip7",
            players=self.players,
            state=State.FINISHED if finished else State.RUNNING,
            provisional=not finished,
            rounds=self.total * self.players // max(1, len(self.bots)),
            matches_done=done,
            matches_total=self.total,
            elapsed=done / pace,
            matches_per_second=pace,
            eta=(self.total - done) / pace,
            digest="9f2c61d0a4b87e35" * 4 if finished else "",
            rows=tuple(rows),
            playing=tuple(self._playing(done + 1 + index, index) for index in range(min(busy, self.total - done))),
            latest=tuple(reversed(self.results[-60:])),
            crosstable=Crosstable.tally([row.bot for row in rows], pairs),
            seats=replace(Seats.tally([row.bot for row in rows], pairs), p_value=0.21 if done else None),
            notices=("last-minute is away; its next matches wait",) if self._someone_away() else (),
            strengths=_strengths(rows, done) if done else Strengths(),
        )

    def _someone_away(self) -> bool:
        return len(self.results) % 200 > 150

    def _score(self, bot: str, seat: int) -> int:
        strength = 1 - self.bots.index(bot) / max(1, len(self.bots))
        return max(0, round(self.random.gauss(150 + 60 * strength - 3 * seat, 45)))

    def _row(self, bot: str) -> Standing:
        mine = [(result, result.bots.index(bot)) for result in self.results if bot in result.bots]
        if not mine:
            return Standing(0, bot, 25.0, 25 / 3)
        ranks = [result.ranks[seat] for result, seat in mine]
        mean = sum(ranks) / len(ranks)
        trust = 1 - math.exp(-len(mine) / 20)
        away = bot == "last-minute" and self._someone_away()
        return Standing(
            0,
            bot,
            mu=25 + trust * 9 * ((self.players + 1) / 2 - mean),
            sigma=25 / 3 / math.sqrt(1 + len(mine) / 3),
            matches=len(mine),
            wins=ranks.count(1),
            wins_split=sum(1 / result.ranks.count(1) for result, seat in mine if result.ranks[seat] == 1),
            mean_rank=mean,
            faults=sum(bool(result.faults and result.faults[seat]) for result, seat in mine),
            mean_score=sum((result.scores or ())[seat] for result, seat in mine) / len(mine),
            absent=away,
            absent_seconds=12.0 if away else None,
        )

    def _playing(self, number: int, index: int) -> Playing:
        choice = random.Random(number)
        bots = tuple(choice.sample(list(self.bots), min(self.players, len(self.bots))))
        return Playing(
            str(number), 1 + number // 3, bots, 2.0 * index + 0.5, tuple(choice.randrange(180) for _ in bots)
        )


def _strengths(rows: Sequence[Standing], matches: int) -> Strengths:
    """Invented from the ratings: as good as real ones for looking at."""
    ordered = sorted(rows, key=lambda row: -row.mu)
    mean = sum(row.mu for row in rows) / len(rows)
    ahead = [[_ahead(one, other) for other in ordered] for one in ordered]
    found = []
    for place, row in enumerate(ordered):
        better = sum(ahead[other][place] >= 0.975 for other in range(len(ordered)))
        worse = sum(ahead[place][other] >= 0.975 for other in range(len(ordered)))
        first = math.prod(sure for other, sure in enumerate(ahead[place]) if other != place)
        error = round(row.sigma / 3, 3)
        found.append(
            Strength(
                row.bot, round(row.mu - mean, 3), error, place + 1, better + 1, len(rows) - worse, first, row.matches
            )
        )
    groups: list[tuple[int, ...]] = []
    for place, strength in enumerate(found):
        if strength.rank_high - 1 > place and (not groups or strength.rank_high - 1 > groups[-1][1]):
            groups.append((place, strength.rank_high - 1))
    note = f"the mean rank puts {found[1].bot} first, not {found[0].bot}: the lead of {found[0].bot} is 71 % sure"
    square = tuple(tuple(row) for row in ahead)
    return Strengths(tuple(found), square, tuple(groups), 2.5, matches, (note,) if len(found) > 1 else ())


def _ahead(one: Standing, other: Standing) -> float:
    spread = math.hypot(one.sigma, other.sigma) / 3
    return round(0.5 * math.erfc((other.mu - one.mu) / spread / math.sqrt(2)), 4)


async def feed(
    tournament: Tournament, pace: float, gone_at: int, fail_at: int
) -> AsyncIterator[Standings | Connection]:
    """Standings as the tournament plays, with the troubles that were asked for."""
    yield tournament.standings(pace)
    while len(tournament.results) < tournament.total:
        await asyncio.sleep(max(0.05, 1 / pace))
        tournament.play(min(max(1, round(pace * 0.05)), tournament.total - len(tournament.results)))
        done = len(tournament.results)
        if gone_at and done >= gone_at:
            gone_at = 0
            yield Connection.lost(3)
            await asyncio.sleep(3)
            yield Connection()
        if fail_at and done >= fail_at:
            raise RuntimeError("the feed broke, as asked for")
        yield tournament.standings(pace)


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description="A live leaderboard over an invented tournament.")
    parser.add_argument("--speed", type=float, default=20.0, help="matches per second")
    parser.add_argument("--bots", type=int, default=len(HOUSE))
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--matches", type=int, default=600)
    parser.add_argument("--gone-at", type=int, default=0, help="the server vanishes after so many matches")
    parser.add_argument("--fail-at", type=int, default=0, help="the feed breaks after so many matches")
    parser.add_argument("--svg", type=Path, help="write a picture of the middle of the tournament instead, and leave")
    chosen = parser.parse_args()
    bots = (*HOUSE, *(f"entrant-{index}" for index in range(len(HOUSE), chosen.bots)))[: chosen.bots]
    tournament = Tournament(bots, chosen.players, chosen.matches)
    if chosen.svg is not None:
        tournament.play(chosen.matches // 2 // 25 * 25)
        tournament.standings()
        tournament.play(12)
        chosen.svg.write_text(to_svg(tournament.standings(), 96, 29), encoding="utf-8")
        return
    try:
        asyncio.run(watch(feed(tournament, chosen.speed, chosen.gone_at, chosen.fail_at)))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
