"""The house bot `planner` of Encore et Encore!: legal, the same every time, sensible where it matters, and strong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.games.encore.v1 import encore_pb2 as encore
from referee.games.encore import GAME
from referee.rules.game import State

from . import house
from .house import Bot, Work, load

ROOT = Path(__file__).parents[2]
HARLEQUIN = json.loads((ROOT / "tests" / "scenarios" / "encore" / "harlequin_sheet.json").read_text(encoding="utf-8"))
INFO = arena.Match("m", "encore", 0, ("a", "b", "c", "d"))
ask = partial(house.ask, INFO)
PLANNER = load("planner")
TIDY = load("tidy")


def play(bots: Sequence[Bot], seed: int) -> State[Any]:
    """A match to its end."""
    state = GAME.start(len(bots), {}, seed=b"%d" % seed)
    while asked := state.pending():
        state.play({seat: ask(bots[seat], state, seat) for seat in asked})
    return state


def positions(players: int, seed: int, options: dict[str, Any]) -> Iterator[State[Any]]:
    """Every state of one match of players who choose anything but rarely pass."""
    dice = Random(seed)
    state = GAME.start(players, options, seed=b"%d" % seed)
    while asked := state.pending():
        yield state
        lists = {seat: state.legal(seat).moves for seat in asked}
        state.play({seat: dice.choice(moves[1:] or moves) for seat, moves in lists.items()})


def sheet() -> encore.Sheet:
    view = GAME.start(1).view(0)
    assert isinstance(view, encore.View)
    return view.sheet


SHEET = sheet()


def paper(unmarked: Sequence[str] | None = None, **more: Any) -> encore.Player:
    """A player's sheet that is empty, or full but for these boxes."""
    names = [column + row for column in SHEET.columns for row in SHEET.rows]
    marked = "".join("0" if unmarked is None or name in unmarked else "1" for name in names)
    return encore.Player(marked=marked, **{"exclamation_marks": 6, "special_dice": 1} | more)


def coloured(*letters: str) -> list[str]:
    """The names of all boxes of these colours."""
    return [
        SHEET.columns[box // 7] + SHEET.rows[box % 7] for box, letter in enumerate(SHEET.boxes) if letter in letters
    ]


def table(*players: encore.Player, dice: str = "blue pink green 1 2 3 line", roll: int = 20, active: int = 0) -> Any:
    """Seat 0 is asked for a choice among the dice."""
    faces = dice.split()
    shown = encore.Dice(colours=faces[:3], numbers=faces[3:6], special=faces[6])
    return encore.View(
        sheet=SHEET,
        seat=0,
        question=encore.QUESTION_DICE,
        asked=[0],
        roll=roll,
        roll_limit=100,
        active=active,
        rolled=shown,
        dice=shown,
        players=players,
    )


def choice(view: Any, *legal: str) -> str:
    answer: str = PLANNER.decide(arena.Decision(INFO, 0, list(legal), view))
    return answer


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([1, 2, 3, 6]), st.integers(0, 10**6), st.sampled_from([{}, {"sheet": HARLEQUIN}]))
def test_it_answers_legally_and_always_the_same(players: int, seed: int, options: dict[str, Any]) -> None:
    again = load("planner")
    for number, state in enumerate(positions(players, seed, options)):
        if number % 6 == seed % 6:
            for seat in state.pending():
                assert ask(PLANNER.decide, state, seat) == ask(again.decide, state, seat)


def test_it_answers_for_the_bombs_it_won() -> None:
    asked = 0
    for seed in range(12):
        for state in positions(3, seed, {}):
            for seat in state.pending():
                view = state.view(seat)
                assert isinstance(view, encore.View)
                if view.question == encore.QUESTION_BOMB:
                    asked += 1
                    assert state.format(ask(PLANNER.decide, state, seat)).startswith("bomb")
    assert asked > 3


def test_of_bombs_and_lines_only_those_are_looked_at_that_mark_all_they_can() -> None:
    view = table(paper(["AP", "AQ", "BP", "HP", "IP", "JP", "KP"]), paper(), dice="blue pink green 1 2 3 bomb")
    looked_at = PLANNER.Table(view).worth_a_look
    bombs = ["pass", "blue 1 AQ", "bomb AP", "bomb AP AQ", "bomb AP AQ BP", "bomb BP", "bomb HP", "bomb HP IP"]
    assert looked_at(bombs) == ["pass", "blue 1 AQ", "bomb AP AQ BP", "bomb BP", "bomb HP", "bomb HP IP"]
    lines = ["pass", "line AP", "line AP BP", "line AP BP HP", "line HP IP JP", "line AQ", "block AP BP"]
    assert looked_at(lines) == ["pass", "line AP BP HP", "line HP IP JP", "line AQ", "block AP BP"]


def test_boxes_that_hang_together_are_told_from_those_that_do_not() -> None:
    read = PLANNER.Table(table(paper())).sheet
    assert len(read.blocks) == 30
    assert [len(read.shapes["joker", number]) for number in "1?"] == [105, 284]
    assert read.box["EQ"] | read.box["EP"] not in read.shapes["joker", "2"]  # orange beside yellow
    assert read.box["EQ"] | read.box["FQ"] in read.shapes["orange", "2"]


def all_but_column_a() -> list[str]:
    """Every box outside column A, and AQ: what a sheet lacks that has only begun on the left."""
    return [*[name for name in coloured(*SHEET.colours) if name[0] != "A"], "AQ"]


@pytest.mark.parametrize(("roll", "best"), [(20, "blue 1 HS"), (97, "blue 1 AQ")])
def test_a_box_that_fills_a_column_can_wait_while_there_is_time(roll: int, best: str) -> None:
    view = table(paper(all_but_column_a()), paper(), roll=roll)
    assert choice(view, "pass", "blue 1 HS", "blue 1 AQ") == best


@pytest.mark.parametrize(("lead", "ends"), [(30, True), (-30, False)])
def test_it_ends_the_match_when_ahead_and_not_when_behind(lead: int, ends: bool) -> None:
    everything_else = [name for name in coloured("O", "Y", "P") if name != "HR"]
    mine = paper([*everything_else, "AQ"], colours="G", colour_points=5, row_points=50 + lead)
    rival = paper(everything_else + coloured("B"), colours="G", colour_points=3, row_points=50)
    assert (choice(table(mine, rival), "pass", "blue 1 AQ") == "blue 1 AQ") is ends


def test_being_first_is_worth_more_while_it_is_open() -> None:
    worth = []
    for taken in ("", "A"):
        view = table(paper(all_but_column_a()), paper())
        view.columns_taken = taken
        seats = PLANNER.Table(view)
        worth.append(seats.forecast(0, 5).score(seats.after(["blue", "1", "AQ"])))
    assert worth[0] - worth[1] == pytest.approx(SHEET.column_first[0] - SHEET.column_later[0])


def test_a_rival_who_is_nearly_there_makes_being_first_less_likely() -> None:
    lacking_two = paper([*all_but_column_a(), "AR"])
    alone, chased = (
        PLANNER.Table(table(lacking_two, rival)).forecast(0, 10).score(PLANNER.Table(table(lacking_two)).papers[0])
        for rival in (paper(), paper(all_but_column_a()))
    )
    assert alone > chased


def test_the_active_player_takes_away_what_a_rival_needs() -> None:
    needs_blue_1 = paper([name for name in all_but_column_a() if name == "AQ" or name not in coloured("B")])
    gains = PLANNER.Table(table(paper(), needs_blue_1, dice="blue pink green 1 5 4 line", roll=97)).gains
    assert gains(["pass"]) == gains(["line", "GS"]) == gains(["green", "5", "DS"])
    assert gains(["pass"]) > gains(["blue", "1", "HS"])
    assert gains(["pass"]) > gains(["green", "1", "HP"])


def test_only_the_active_player_thinks_of_taking_away() -> None:
    assert PLANNER.Table(table(paper(), paper())).removing
    assert not PLANNER.Table(table(paper(), paper(), active=1)).removing
    everybody = table(paper(), paper(), roll=2)
    everybody.asked.append(1)
    assert not PLANNER.Table(everybody).removing


def test_an_exclamation_mark_is_not_spent_without_need() -> None:
    view = table(paper(), paper(), dice="joker blue green 2 ? 3 heart")
    assert choice(view, "joker ? HS HT", "joker 2 HS HT", "blue ? HS HT", "blue 2 HS HT") == "blue 2 HS HT"


@pytest.mark.parametrize("seed", range(2))
def test_a_decision_takes_little_work(seed: int) -> None:
    work = Work(PLANNER.decide)
    play([work, TIDY.decide, TIDY.decide], seed)
    assert mean(work.lines) < 100_000


def test_it_beats_tidy_at_a_table_of_four() -> None:
    won = 0
    for seed in range(12):
        seats = [PLANNER.decide, TIDY.decide] * 2
        bots = seats[seed % 2 :] + seats[: seed % 2]
        result = play(bots, seed).result()
        assert result is not None
        won += bots[result.ranks.index(1)] is PLANNER.decide
    assert won >= 10


def test_it_scores_far_more_than_tidy_alone() -> None:
    totals = [sum(play([bot.decide], seed).scores()[0] for seed in range(10)) for bot in (PLANNER, TIDY)]
    assert totals[0] > 1.4 * totals[1]
