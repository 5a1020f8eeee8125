"""Comparing two bots: fair blocks, one paired difference for each, and a verdict that is hardly ever a false alarm."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Iterable
from random import Random

import pytest

from referee.analysis.compare import Comparison, ComparisonVerdict, Design, Lineup, Series, Side, compared
from referee.match.clock import TimeControl
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.rules.playout import fallback_chooser, match_seed, playout, random_chooser
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture

COMPARISONS = 1000
BLOCKS = 120


def ended(ranks: Iterable[int], scores: Iterable[int] = (), forfeits: Iterable[int] = ()) -> Ending:
    ranks, out = tuple(ranks), set(forfeits)
    how = tuple(Termination.TIMEOUT if seat in out else Termination.FINISHED for seat in range(len(ranks)))
    texts = tuple("no answer in time" if seat in out else "" for seat in range(len(ranks)))
    return Ending(ranks, tuple(scores) or (0,) * len(ranks), how, texts, "finished")


# Which matches are played.


@pytest.mark.parametrize("players", [2, 3, 4, 7])
def test_against_opponents_both_bots_take_every_seat_once_and_meet_the_same_others_in_the_same_seats(
    players: int,
) -> None:
    others = tuple(f"other-{number}" for number in range(players - 1))
    block = Design(players, ("new",), ("old",), others).block(b"deal")
    assert len(block) == 2 * players == Design(players, ("new",), ("old",), others).matches_per_block
    for one, other in zip(block[::2], block[1::2], strict=True):
        assert [bot if bot != "new" else "old" for bot in one.bots] == list(other.bots)
    for name in ("new", "old"):
        assert [line.bots.index(name) for line in block if name in line.bots] == list(range(players))
    seats = Counter((bot, seat) for line in block for seat, bot in enumerate(line.bots) if bot in others)
    assert set(seats.values()) == {2}, "every opponent sits in every seat equally often too"


def test_of_many_opponents_each_block_draws_some_and_in_the_long_run_all_alike() -> None:
    others = tuple("abcde")
    design = Design(3, ("new",), ("old",), others)
    drawn: Counter[str] = Counter()
    for number in range(500):
        lines = design.block(match_seed(b"", number))
        table = {bot for line in lines for bot in line.bots} - {"new", "old"}
        assert len(table) == 2
        drawn.update(table)
    assert design.block(b"x") == design.block(b"x")
    assert all(150 < drawn[bot] < 250 for bot in others)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_without_opponents_the_two_sit_alternately_and_exchange_seats(players: int) -> None:
    copies = -(-players // 2)
    new, old = (tuple(f"{name}{number}" for number in range(copies)) for name in ("new", "old"))
    first, second = Design(players, new, old).block(b"deal")
    assert list(first.sides) == [
        Side.OLD if side is Side.NEW else Side.NEW for side in second.sides if side is not None
    ]
    for line in (first, second):
        assert len(set(line.bots)) == players
        assert all(bot.startswith(side.value) for bot, side in zip(line.bots, line.sides, strict=True) if side)


def test_all_matches_of_a_block_have_the_same_deal_and_blocks_have_different_ones() -> None:
    design = Design(3, ("new",), ("old",), ("a", "b"))
    fixtures = list(Series(design, "flip7", {}, TimeControl(), b"root", fresh=True).fixtures(3))
    assert [fixture.id for fixture in fixtures] == [f"compare/{number}" for number in range(18)]
    deals = [fixture.seed for fixture in fixtures]
    assert len(set(deals)) == 3
    assert all(len(set(deals[block * 6 : block * 6 + 6])) == 1 for block in range(3))
    assert all(fixture.fresh for fixture in fixtures)


# What follows from their results.


def head_to_head(comparison: Comparison, first: Ending, second: Ending) -> None:
    """A block of two players: the new bot in seat 0, then in seat 1."""
    lines = Design(2, ("new",), ("old",)).block(b"")
    comparison.add(list(zip(lines, (first, second), strict=True)))


def test_means_and_differences_are_those_of_the_matches() -> None:
    comparison = Comparison(2)
    head_to_head(comparison, ended((1, 2), (10, 4)), ended((1, 1), (6, 8)))
    assert comparison.matches == 2
    assert (comparison.rank.new, comparison.rank.old, comparison.rank.difference) == (1.0, 1.5, -0.5)
    assert (comparison.win_share.new, comparison.win_share.old) == (0.75, 0.25)
    assert (comparison.score.new, comparison.score.old, comparison.score.difference) == (9.0, 5.0, 4.0)
    for measure in (comparison.rank, comparison.win_share, comparison.score):
        assert measure.interval.low <= measure.difference <= measure.interval.high


@pytest.mark.parametrize(("first", "verdict"), [((1, 2), ComparisonVerdict.BETTER), ((2, 1), ComparisonVerdict.WORSE)])
def test_a_clear_difference_is_known_soon_and_the_interval_says_the_same(
    first: tuple[int, int], verdict: ComparisonVerdict
) -> None:
    comparison = Comparison(2)
    while comparison.verdict is ComparisonVerdict.UNKNOWN:
        head_to_head(comparison, ended(first), ended(first[::-1]))
        assert comparison.blocks < 30
    low, high = comparison.rank.interval
    assert comparison.verdict is verdict
    assert (high <= 0) if verdict is ComparisonVerdict.BETTER else (low >= 0)


def test_forfeits_are_counted_and_cost_what_they_cost_everywhere() -> None:
    comparison = Comparison(3)
    design = Design(3, ("new",), ("old",), ("a", "b"))
    lines = design.block(b"")
    comparison.add([(line, ended((1, 2, 3), forfeits=[2])) for line in lines])
    faults = {side: comparison.accounts[side].faults for side in Side}
    assert faults == {Side.NEW: {"timeout": 1}, Side.OLD: {"timeout": 1}}
    assert comparison.accounts[Side.NEW].last_fault == "no answer in time"
    assert sum(account.faults.total() for account in comparison.others.values()) == 4
    assert not comparison.accounts[Side.NEW].useless


def test_a_bot_that_finishes_nothing_is_useless() -> None:
    comparison = Comparison(2)
    head_to_head(comparison, ended((2, 1), forfeits=[0]), ended((1, 2), forfeits=[1]))
    assert comparison.accounts[Side.NEW].useless
    assert not comparison.accounts[Side.OLD].useless


async def test_it_stops_as_soon_as_it_knows() -> None:
    series = Series(Design(2, ("new",), ("old",)), "flip7", {}, TimeControl(), b"root")
    given = 0

    async def results() -> AsyncGenerator[tuple[Fixture, Played], None]:
        nonlocal given
        for fixture in series.fixtures(1000):
            given += 1
            new = fixture.bots.index("new")
            yield fixture, Played(ended((1, 2) if new == 0 else (2, 1)), b"")

    seen = [comparison.blocks async for comparison in compared(Comparison(2), series, results())]
    assert seen == list(range(1, len(seen) + 1))
    assert 2 * len(seen) == given < 60


# False alarms.


def drawn(chance: Random, players: int) -> tuple[float, float, float]:
    """The paired differences of a block of equal bots at a table of so many, with now and then a shared place."""
    new, old = (chance.randint(1, players) for _ in range(2))
    return (old - new) / (players - 1), (new == 1) - (old == 1), float(old - new)


@pytest.mark.parametrize("players", [2, 4])
def test_of_a_thousand_comparisons_of_equal_bots_at_most_five_percent_say_better(players: int) -> None:
    better = worse = 0
    for number in range(COMPARISONS):
        chance = Random(f"{players} {number}")
        comparison = Comparison(players)
        while comparison.verdict is ComparisonVerdict.UNKNOWN and comparison.blocks < BLOCKS:
            comparison.take(*drawn(chance, players))
        better += comparison.verdict is ComparisonVerdict.BETTER
        worse += comparison.verdict is ComparisonVerdict.WORSE
    assert better <= 0.05 * COMPARISONS
    assert worse <= 0.05 * COMPARISONS


def played(game: str, number: int, weak: Side | None, blocks: int) -> Comparison:
    """A comparison with real matches in this process: random players, or one that lets the referee play for it."""
    chosen = registry.find(game)
    options = chosen.resolve_options()
    comparison = Comparison(2)
    design = Design(2, ("new",), ("old",))
    while comparison.verdict is ComparisonVerdict.UNKNOWN and comparison.blocks < blocks:
        seed = match_seed(f"{game} {number}".encode(), comparison.blocks)
        block: list[tuple[Lineup, Ending]] = []
        for line in design.block(seed):
            choosers = [
                fallback_chooser if side is weak else random_chooser(seed + str(side).encode(), seat)
                for seat, side in enumerate(line.sides)
            ]
            result = playout(chosen, 2, options, seed, choosers).record.result
            assert result is not None
            block.append((line, ended(result.ranks, result.scores)))
        comparison.add(block)
    return comparison


def test_equal_bots_in_real_matches_are_hardly_ever_told_apart() -> None:
    verdicts = Counter(played("stop_me_go", number, None, 20).verdict for number in range(40))
    assert verdicts[ComparisonVerdict.BETTER] <= 2
    assert verdicts[ComparisonVerdict.WORSE] <= 2


def test_a_planted_difference_is_found_in_real_matches() -> None:
    assert played("stop_me_go", 0, Side.OLD, 400).verdict is ComparisonVerdict.BETTER
    assert played("stop_me_go", 0, Side.NEW, 400).verdict is ComparisonVerdict.WORSE
