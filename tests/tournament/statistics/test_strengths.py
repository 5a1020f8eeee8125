"""Order-free ratings: right where the strengths are known, the same in any order, honest about what is not known."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from referee.tournament.ratings import RatingSettings, Result
from referee.tournament.statistics.strengths import digest, strengths

from ...soak_share import part_of

BETA = RatingSettings().beta
TIES = RatingSettings(draw_probability=0.1)


def names(bots: int) -> list[str]:
    return [f"bot{number}" for number in range(bots)]


def field(dice: random.Random, bots: int, width: float) -> dict[str, float]:
    """True strengths of a field, relative to its mean; `width` in units of β."""
    skills = {name: dice.gauss(0, width * BETA) for name in names(bots)}
    mean = sum(skills.values()) / bots
    return {name: skill - mean for name, skill in skills.items()}


def play(dice: random.Random, skills: dict[str, float], players: int, noise: dict[str, float] | None = None) -> Result:
    table = dice.sample(sorted(skills), players)
    shown = [dice.gauss(skills[bot], BETA * (noise or {}).get(bot, 1.0)) for bot in table]
    return table, [1 + sum(other > own for other in shown) for own in shown]


FIELDS = [(4, 2, 60), (6, 3, 80), (8, 4, 120), (6, 4, 60), (10, 2, 100)]
"""Bots, players at a table, matches."""
WIDTHS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)
"""How far bots differ, in units of a match's noise: from all alike to a field that a few matches sort."""


def coverage(fields: Sequence[tuple[int, int, int, float]], times: int, seed: str) -> tuple[float, float]:
    """How often the 95 % intervals of strengths, and those of ranks, hold the truth."""
    held = ranks_held = seen = 0
    for bots, players, matches, width in fields:
        dice = random.Random(f"{seed} {bots} {players} {width}")
        for _ in range(times):
            skills = field(dice, bots, width)
            found = strengths([play(dice, skills, players) for _ in range(matches)], names(bots), RatingSettings())
            order = sorted(skills, key=lambda bot: -skills[bot])
            for row in found.rows:
                low, high = row.interval
                seen += 1
                held += low < skills[row.bot] < high
                ranks_held += row.rank_low <= 1 + order.index(row.bot) <= row.rank_high
    return held / seen, ranks_held / seen


@pytest.mark.parametrize("widths", [(0.0, 0.1), (0.3, 1.0)], ids=["narrow fields", "usual fields"])
def test_intervals_of_95_percent_hold_the_true_strength_in_93_to_97_percent_of_cases(widths: tuple[float, ...]) -> None:
    """Also where bots hardly differ, or not at all: 20 fields of each kind, about 1,100 intervals."""
    held, ranks_held = coverage([(*one, width) for one in FIELDS[:4] for width in widths], 20, "coverage")
    assert 0.93 <= held <= 0.97
    assert 0.0 in widths or ranks_held >= 0.95  # bots that are all alike have no true ranks


@pytest.mark.soak
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", FIELDS)
def test_intervals_hold_the_true_strength_in_every_kind_of_field(kind: tuple[int, int, int], width: float) -> None:
    """Each kind by itself, with two standard errors more: the bots of a field are not independent of each other.

    The figures are printed too, for `pytest -rP`.
    """
    times = part_of(400, 100)
    held, _ = coverage([(*kind, width)], times, "every field")
    print(f"{kind[0]} bots at tables of {kind[1]}, {kind[2]} matches, width {width:g}, {times} fields: ", end="")
    print(f"{100 * held:.1f} % of the intervals hold the true strength")
    spread = 2 * (0.05 * 0.95 / (times * (kind[0] - 1))) ** 0.5
    assert 0.93 - spread <= held <= 0.97 + spread


def test_the_bootstrap_finds_the_same_errors_as_the_sandwich_estimate() -> None:
    """Two ways to see how much matches differ, also for risky and for steady bots."""
    dice = random.Random("bootstrap")
    noise = dict(zip(names(6), [0.5] * 3 + [1.8] * 3, strict=True))
    ratios = []
    for _ in range(3):
        skills = field(dice, 6, 0.3)
        results = [play(dice, skills, 3, noise) for _ in range(300)]
        sandwich = strengths(results, names(6), RatingSettings())
        errors = {row.bot: row.error for row in strengths(results, names(6), RatingSettings(), bootstrap=120).rows}
        ratios += [errors[row.bot] / row.error for row in sandwich.rows]
    assert 0.9 < sum(ratios) / len(ratios) < 1.1
    assert all(0.75 < ratio < 1.33 for ratio in ratios)


def test_the_bootstrap_is_the_same_in_any_order_and_leaves_the_values_alone() -> None:
    dice = random.Random("again")
    skills = field(dice, 4, 0.5)
    results = [play(dice, skills, 2) for _ in range(60)]
    first = strengths(results, names(4), TIES, bootstrap=20)
    turned = strengths(results[::-1], names(4), TIES, bootstrap=20)
    assert digest(first) == digest(turned)
    assert [row.value for row in first.rows] == [row.value for row in strengths(results, names(4), TIES).rows]


def test_the_bootstrap_draws_whole_blocks() -> None:
    dice = random.Random("bootstrap blocks")
    once = [play(dice, field(dice, 4, 0.3), 2) for _ in range(60)]
    ten_times = [result for result in once for _ in range(10)]
    apart = strengths(ten_times, names(4), RatingSettings(), bootstrap=60)
    together = strengths(
        ten_times, names(4), RatingSettings(), [number for number in range(60) for _ in range(10)], bootstrap=60
    )
    assert sum(row.error for row in together.rows) > 1.8 * sum(row.error for row in apart.rows)


def test_it_is_nearer_to_the_truth_than_ratings_that_depend_on_the_order() -> None:
    from referee.tournament.ratings import Ratings

    dice = random.Random("error")
    ours = theirs = 0.0
    for _ in range(40):
        skills = field(dice, 6, 0.3)
        results = [play(dice, skills, 3) for _ in range(40)]
        found = strengths(results, names(6), RatingSettings())
        ratings = Ratings(RatingSettings(), names(6))
        for result in results:
            ratings.rate(result)
        mean = sum(row.mu for row in ratings.table()) / 6
        ours += sum((row.value - skills[row.bot]) ** 2 for row in found.rows)
        theirs += sum((row.mu - mean - skills[row.bot]) ** 2 for row in ratings.table())
    assert ours < theirs / 1.2


def test_the_order_of_results_and_seats_does_not_matter() -> None:
    dice = random.Random("order")
    skills = field(dice, 5, 0.5)
    results = [play(dice, skills, 3) for _ in range(40)]
    known = digest(strengths(results, names(5), TIES))
    for _ in range(5):
        dice.shuffle(results)
        turned: list[Result] = []
        for bots, ranks in results:
            seats = dice.sample(range(3), 3)
            turned.append(([bots[seat] for seat in seats], [ranks[seat] for seat in seats]))
        assert digest(strengths(turned, dice.sample(names(5), 5), TIES)) == known


def test_errors_follow_how_steady_a_bot_is() -> None:
    """A bot that wins high and loses low is known less well than the model thinks, a steady one better."""
    dice = random.Random("steady")
    noise = dict(zip(names(8), [0.4] * 4 + [2.0] * 4, strict=True))
    errors = dict.fromkeys(names(8), 0.0)
    for _ in range(4):
        results = [play(dice, dict.fromkeys(names(8), 0.0), 4, noise) for _ in range(400)]
        for row in strengths(results, names(8), RatingSettings()).rows:
            errors[row.bot] += row.error
    steady, risky = [errors[bot] for bot in names(8)[:4]], [errors[bot] for bot in names(8)[4:]]
    assert sum(steady) < 0.9 * sum(risky)


def test_mirrored_matches_of_one_deal_count_as_one_block() -> None:
    """The same result told ten times is no ten results: with blocks the error says so."""
    dice = random.Random("blocks")
    skills = field(dice, 4, 0.3)
    once = [play(dice, skills, 2) for _ in range(60)]
    ten_times = [result for result in once for _ in range(10)]
    blocks = [number for number in range(60) for _ in range(10)]
    apart = strengths(ten_times, names(4), RatingSettings())
    together = strengths(ten_times, names(4), RatingSettings(), blocks)
    for bot in names(4):
        alone = next(row.error for row in apart.rows if row.bot == bot)
        assert next(row.error for row in together.rows if row.bot == bot) > 1.8 * alone


def test_a_bot_that_always_wins_has_a_finite_strength_and_is_surely_first() -> None:
    results: list[Result] = [(["a", "b", "c"], [1, 2, 3]), (["a", "c", "b"], [1, 2, 3])] * 40
    found = strengths(results, ["a", "b", "c"], RatingSettings())
    assert found.rows[0].bot == "a"
    assert found.rows[0].first > 0.999
    assert found.ahead[0][1] > 0.999
    assert 0 < found.rows[0].value < 100
    assert found.groups == ((1, 2),)


def test_bots_that_always_tie_are_level() -> None:
    results: list[Result] = [(["a", "b"], [1, 1])] * 30
    found = strengths(results, ["a", "b"], TIES)
    assert found.rows[0].value == found.rows[1].value == pytest.approx(0.0, abs=1e-4)
    assert found.rows[0].rank == found.rows[1].rank == 1
    assert found.groups == ((0, 1),)


def test_without_results_every_rank_is_as_likely() -> None:
    found = strengths([], ["a", "b"], TIES)
    assert [(row.rank_low, row.rank_high) for row in found.rows] == [(1, 2), (1, 2)]
    assert found.notes == ()
    assert strengths([], [], TIES).rows == ()


def test_groups_of_bots_that_never_met_are_told() -> None:
    results: list[Result] = [(["a", "b"], [1, 2]), (["c", "d"], [1, 2])] * 5
    (note,) = strengths(results, ["a", "b", "c", "d"], TIES).notes
    assert note == "no results link these groups of bots, so nothing tells them apart from each other: a, b; c, d"


def test_models_that_disagree_are_told() -> None:
    """Bot a beats weak bots all the time, b holds its own against strong ones: the mean rank sees only the first."""
    counts = {"aw": 30, "bs": 16, "sb": 14, "sa": 8, "sw": 10}
    results: list[Result] = [([*pair], [1, 2]) for pair, count in counts.items() for _ in range(count)]
    found = strengths(results, ["a", "b", "s", "w"], TIES)
    assert found.rows[0].bot != "a"
    assert any(note.startswith("the mean rank puts a first, not ") for note in found.notes)


def test_tables_of_different_sizes_and_solo_matches_are_taken_together() -> None:
    results: list[Result] = [(["a", "b"], [1, 2]), (["a", "b", "c"], [1, 2, 3]), (["a"], [1])]
    found = strengths(results, ["a", "b", "c"], TIES)
    assert [row.bot for row in found.rows] == ["a", "b", "c"]
    assert found.matches == 2
    assert [row.matches for row in found.rows] == [2, 2, 1]
