"""Until it is known: hardly ever wrong however often one looks, shorter than a fixed length, within the budget."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from referee.rules.chance import Seeded
from referee.tournament.formats import registry
from referee.tournament.formats.format import Drawn, Finished, SettledRound, SettledTable
from referee.tournament.formats.until import BLOCK, FIRST, ORDER, PAIR, TOP, Known, Until, block, settings_of
from referee.tournament.schedule.pairing import ScheduleError

from ...soak_share import part_of
from .playing_until import blocks_needed, field_of, is_wrong, matches, play, until

LONG = pytest.mark.soak


def error_rate(format: Until, strengths: list[float], players: int, series: int, first_seat: float = 0.0) -> float:
    """In how many tournaments any claim is false; the figure is printed too, for `pytest -rP`."""
    wrong = 0
    for number in range(series):
        known, _, _ = until(format, strengths, players, f"error {format.question} {players} {number}", first_seat)
        wrong += is_wrong(known, strengths)
    print(f"{format.question}, {len(strengths)} bots at tables of {players}, first seat worth {first_seat:g}, ", end="")
    print(f"{format.budget:,} matches each: a false claim in {wrong} of {series} tournaments")
    return wrong / series


EQUAL = [
    (Until(PAIR, pair=(0, 1), budget=200), [0.0, 0.0], 2, 0.0),
    (Until(PAIR, pair=(0, 1), budget=200), [0.0, 0.0], 2, 1.5),
    (Until(FIRST, budget=200), [0.0] * 4, 2, 0.0),
    (Until(ORDER, budget=160), [0.0] * 4, 4, 1.0),
]


@pytest.mark.parametrize(("format", "strengths", "players", "first_seat"), EQUAL)
def test_equal_bots_are_told_apart_in_at_most_5_percent_of_tournaments_though_looked_at_after_every_round(
    format: Until, strengths: list[float], players: int, first_seat: float
) -> None:
    """Also where the first seat is worth a lot: blocks have everybody in everybody's place."""
    assert error_rate(format, strengths, players, 40, first_seat) <= 0.05


@LONG
@pytest.mark.parametrize(("format", "strengths", "players", "first_seat"), EQUAL)
def test_equal_bots_over_thousands_of_matches(
    format: Until, strengths: list[float], players: int, first_seat: float
) -> None:
    assert error_rate(replace(format, budget=3000), strengths, players, part_of(400, 20), first_seat) <= 0.05


@pytest.mark.parametrize(
    ("format", "strengths", "players"),
    [
        (Until(FIRST, budget=4000), [0.8, 0.0, -0.2, -0.4], 2),
        (Until(TOP, top=2, budget=4000), [0.9, 0.7, -0.2, -0.4, -0.6], 4),
        (Until(ORDER, budget=4000), [1.2, 0.4, -0.4, -1.2], 4),
        (Until(PAIR, pair=(1, 0), budget=4000), [0.7, 0.0, 0.2], 3),
    ],
)
def test_a_difference_is_found_and_the_answer_is_right(format: Until, strengths: list[float], players: int) -> None:
    for number in range(3):
        known, played, finished = until(format, strengths, players, f"found {number}")
        assert known.answered
        assert not is_wrong(known, strengths)
        assert "95 % confidence" in finished.why
        told = format.verdict(field_of(len(strengths), players), played, "abcde")
        assert told.endswith(finished.why[finished.why.index(" with 95 %") :])
        answers = {FIRST: "a is the first", TOP: "the top 2 are a and b", ORDER: "the order is a, b, c and d"}
        assert told.startswith(answers.get(format.question, "a is better than b"))
        assert not format.verdict(field_of(len(strengths), players), played[:1], "abcde")
        assert matches(played) < format.budget
        if format.question in (FIRST, ORDER):
            assert finished.places[0] == (0,)
        if format.question == ORDER:
            assert finished.places == ((0,), (1,), (2,), (3,))


@pytest.mark.parametrize(
    ("question", "strengths", "players", "series"),
    [
        (FIRST, [1.2, 0.6, 0.0, -0.6, -1.2], 2, 6),
        pytest.param(FIRST, [0.6, 0.3, 0.1, 0.0, -0.2, -0.4], 2, 40, marks=LONG),
        pytest.param(FIRST, [0.5, 0.0, 0.0, 0.0], 2, 40, marks=LONG),
        pytest.param(ORDER, [0.6, 0.2, -0.2, -0.6], 2, 40, marks=LONG),
        pytest.param(FIRST, [0.6, 0.3, 0.1, 0.0, -0.2, -0.4], 4, 40, marks=LONG),
    ],
)
def test_it_takes_fewer_matches_than_a_length_that_answers_in_90_percent_of_series(
    question: str, strengths: list[float], players: int, series: int
) -> None:
    series = part_of(series, 6)
    format = Until(question, budget=100_000)
    lengths = [matches(until(format, strengths, players, f"saving {number}")[1]) for number in range(series)]
    tables = sum(1 for _ in combinations(strengths, players))
    fixed = blocks_needed(question, strengths, players, series) * BLOCK * tables
    print(f"{question}, strengths {strengths}, tables of {players}: ", end="")
    print(f"{sum(lengths) / series:,.0f} matches on average, ", end="")
    print(f"{sorted(lengths)[int(0.9 * (series - 1))]:,} in 90 % of {series} series; fixed length {fixed:,}")
    assert sum(lengths) / series < fixed / 1.25


def test_the_next_matches_go_to_pairs_on_which_the_question_hangs() -> None:
    """Two bots of five are far behind: once that is known they play no more."""
    format, strengths = Until(FIRST, budget=4000), [0.4, 0.2, 0.0, -3.0, -3.0]
    _, played, _ = until(format, strengths, 2, "hangs")
    last = {bot for table in played[-1].tables for bot in table.seats}
    assert len(played) > 3
    assert last <= {0, 1, 2}


@pytest.mark.parametrize("players", [2, 4])
def test_seats_are_drawn_evenly_and_then_turned_round(players: int) -> None:
    format, field = Until(ORDER, budget=8000), field_of(4, players)
    seats: Counter[tuple[int, int]] = Counter()
    for number in range(60):
        drawn = format.next(field, [], Seeded(f"seats {number}".encode()))
        assert isinstance(drawn, Drawn)
        for one, turned in zip(drawn.tables[::2], drawn.tables[1::2], strict=True):
            assert turned.seats == one.seats[::-1]
            seats.update((seat, bot) for seat, bot in enumerate(one.seats))
    expected = seats.total() / (4 * players)
    assert all(abs(seats[seat, bot] - expected) < 4 * expected**0.5 for seat in range(players) for bot in range(4))


def test_the_same_results_draw_the_same_round_and_the_budget_is_never_exceeded() -> None:
    format = Until(ORDER, budget=101)
    for players in (2, 3, 4):
        _, played, finished = until(format, [0.0] * 6, players, "budget")
        assert matches(played) <= 101
        assert 101 - matches(played) < BLOCK
        assert "the budget is spent" in finished.why
        assert format.verdict(field_of(6, players), played, "abcdef") == finished.why
        field = field_of(6, players)
        for number, round in enumerate(played):
            again = format.next(field, played[:number], Seeded(f"budget {number}".encode()))
            assert isinstance(again, Drawn)
            assert [table.seats for table in again.tables] == [table.seats for table in round.tables]
            assert all("question hangs on" in table.why for table in again.tables)


def test_what_is_open_at_the_end_is_said_in_the_words_of_the_question() -> None:
    _, _, finished = until(Until(FIRST, budget=20), [0.0] * 4, 2, "open")
    assert finished.why.endswith(": 4 bots may be the first")


def test_a_block_with_a_match_that_was_set_aside_says_nothing() -> None:
    dice = random.Random("aside")
    format, field = Until(PAIR, pair=(0, 1), budget=400), field_of(2, 2)
    whole = tuple(play(dice, [9.0, 0.0], seats) for _ in range(40) for seats in block((0, 1)))
    broken = tuple(SettledTable(table.seats, None if at % 2 else table.ranks) for at, table in enumerate(whole))
    assert Known(format, field, [SettledRound(1, whole)]).answered
    assert not Known(format, field, [SettledRound(1, broken)]).answered


def test_too_few_bots_end_it() -> None:
    format, field = Until(FIRST, budget=100), replace(field_of(4, 4), active=frozenset({0, 1, 2}))
    finished = format.next(field, [], Seeded(b""))
    assert isinstance(finished, Finished)
    assert "too few bots" in finished.why
    gone = replace(field_of(3, 2), active=frozenset({0, 2}))
    assert isinstance(Until(PAIR, pair=(0, 1), budget=100).next(gone, [], Seeded(b"")), Finished)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("first known", Until(FIRST, budget=500)),
        ("top 3 known", Until(TOP, top=3, budget=500)),
        (" order  known", Until(ORDER, budget=500)),
        ("bob > ada", Until(PAIR, pair=(1, 0), budget=500)),
    ],
)
def test_a_question_in_words_becomes_the_settings_that_are_stored(text: str, expected: Until) -> None:
    settings = settings_of(text, ["ada", "bob", "cy", "dee"], 0.95, 500)
    assert registry.from_settings(settings) == expected
    assert registry.from_settings(registry.to_settings(expected)) == expected


@pytest.mark.parametrize("text", ["", "second known", "top known", "top three known", "ada > zoe", "ada > bob > cy"])
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(ScheduleError, match="--until"):
        settings_of(text, ["ada", "bob", "cy"], 0.95, 500)


@pytest.mark.parametrize(
    ("format", "says"),
    [
        (Until("last"), "question 'last'"),
        (Until(TOP, top=4), "top 4 of 4"),
        (Until(PAIR, pair=(1, 1)), "two different bots"),
        (Until(PAIR), "two different bots"),
        (Until(confidence=1.0), "confidence of 1.0"),
        (Until(budget=1), "one block of 2"),
    ],
)
def test_settings_that_cannot_be_are_refused(format: Until, says: str) -> None:
    with pytest.raises(ScheduleError, match=says):
        format.check(4, 4)


def test_the_forecast_is_from_one_round_to_the_budget() -> None:
    forecast = Until(budget=101).forecast(6, 4)
    assert forecast is not None
    assert forecast.matches == (16, 100)
    assert forecast.rounds == (1, 6)
    Until(budget=101).check(6, 4)
