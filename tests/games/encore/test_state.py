"""Scores and ends, where a scenario would be long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.encore import GAME
from referee.games.encore.paper import Paper
from referee.games.encore.sheet import sheet_for
from referee.games.encore.state import EncoreState
from referee.rules.chance import Scripted
from referee.rules.laws import check_game
from referee.rules.record import Record, replayed
from referee.rules.table import Table

Moments = Callable[..., Iterator[EncoreState]]
SHEET = sheet_for("standard")


def boxes(text: str) -> int:
    return SHEET.notation.parse(f"bomb {text}").boxes


def colour(number: int) -> int:
    return SHEET.colours[number][2]


def table(players: int, roll: str, rolls: int = 1) -> EncoreState:
    state = GAME.start(players, chance=Scripted({"rolls": [roll] * rolls, "first": [0]}, GAME.labels))
    assert isinstance(state, EncoreState)
    return state


def everybody_passes(state: EncoreState) -> None:
    state.play({seat: state.fallback(seat) for seat in state.pending()})


def test_the_parts_of_a_score_add_up() -> None:
    paper = Paper(SHEET)
    paper.colour_points = 5 + 3
    paper.column_points = 5 + 2
    paper.row_points = 10
    paper.heart_points = 7
    paper.marks = 2
    paper.circled, paper.used = 4, 3
    paper.mark(SHEET.stars & ~boxes("AV BS CP DS"))
    assert paper.score() == 28


def test_an_empty_sheet_scores_its_marks_and_die_less_its_stars() -> None:
    assert table(3, "pink pink pink 1 1 1 heart").scores() == [6 + 2 - 30] * 3


def test_two_colours_count_before_the_roll_limit() -> None:
    state = table(2, "pink pink pink 1 1 1 heart")
    while state.roll < 100 or (len(state.pending()) == 1 and state.pending()[0] == state.active):
        everybody_passes(state)
    state.papers[0].mark(colour(0) | colour(1))
    everybody_passes(state)
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks) == ("two_colours", (1, 2))


def test_alone_two_colours_in_the_last_roll_leave_no_roll_unused() -> None:
    state = table(1, "pink pink 1 1 heart")
    while state.roll < 30:
        everybody_passes(state)
    state.papers[0].mark(colour(0) | colour(1))
    everybody_passes(state)
    result = state.result()
    assert result is not None
    assert result.reason == "two_colours"
    assert state.papers[0].unused_roll_points == 0


def test_several_may_end_the_match_together() -> None:
    state = table(3, "pink pink pink 1 1 1 heart")
    for paper in state.papers[:2]:
        paper.mark(colour(0) | colour(1))
    everybody_passes(state)
    result = state.result()
    assert result is not None
    assert result.ranks == (1, 1, 3)
    assert [paper.colour_points for paper in state.papers] == [10, 10, 0]


def test_rows_of_an_earlier_roll_give_points_but_no_bonus() -> None:
    state = table(2, "pink pink pink 1 1 1 heart", rolls=3)
    state.papers[0].mark(SHEET.rows[1][2])
    everybody_passes(state)
    assert state.pending() == (0,)
    everybody_passes(state)
    state.papers[1].mark(SHEET.rows[1][2])
    everybody_passes(state)
    assert state.roll == 3
    assert [paper.row_points for paper in state.papers] == [5, 5]
    assert [paper.bombs_owed for paper in state.papers] == [0, 0]


def test_everything_full_at_once_is_settled_in_one_roll() -> None:
    state = table(2, "pink pink pink 1 1 1 heart")
    for paper in state.papers:
        paper.mark((1 << 105) - 1)
    asked = []
    while state.pending():
        everybody_passes(state)
        asked.append(state.pending())
    assert asked == [(0, 1)] * 3 + [()]  # three bombs each, one per decision
    paper = state.papers[0]
    assert (paper.row_points, paper.colour_points, paper.hearts) == (35, 25, 2)
    assert paper.column_points == sum(SHEET.column_first)
    assert paper.heart_points == 15 * 2
    assert paper.circled == 9
    assert paper.score() == 35 + 25 + sum(SHEET.column_first) + 30 + 6 + 18


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), players=st.integers(1, 6))
def test_points_follow_from_what_is_marked(seed: int, players: int, moments: Moments) -> None:
    """Between rolls every full line is settled, and the points are those of the lines."""
    roll = 0
    for state in moments(players, seed):
        if state.roll == roll and state.result() is None:
            continue
        roll = state.roll
        for paper in state.papers:
            full = [
                sum(bit for bit, _, mask in lines if not mask & ~paper.marked)
                for lines in (SHEET.rows, SHEET.columns, SHEET.colours)
            ]
            assert [paper.rows, paper.columns, paper.colours] == full
            assert paper.row_points == 5 * paper.rows.bit_count()
            assert 3 * paper.colours.bit_count() <= paper.colour_points <= 5 * paper.colours.bit_count()
            columns = [number for bit, number, _ in SHEET.columns if paper.columns & bit]
            assert paper.column_points >= sum(SHEET.column_later[number] for number in columns)
            assert paper.column_points <= sum(SHEET.column_first[number] for number in columns)
            assert paper.heart_points <= paper.hearts * len(columns)
            assert 0 <= paper.used <= paper.circled <= 9
            assert 0 <= paper.marks <= 6
            assert paper.bombs_owed == 0


def test_a_copy_shares_nothing_that_changes(moments: Moments) -> None:
    state = next(islice(moments(3, 11), 40, None))
    before = (state.scores(), [paper.marked for paper in state.papers], list(state.colour_dice), state.pending())
    twin = state.copy()
    while twin.pending():
        twin.play({seat: twin.legal(seat).moves[-1] for seat in twin.pending()})
    assert before == (
        state.scores(),
        [paper.marked for paper in state.papers],
        list(state.colour_dice),
        state.pending(),
    )


def test_a_match_on_another_sheet_replays_from_its_record(harlequin: dict[str, Any]) -> None:
    table = Table(GAME, 2, GAME.resolve_options({"sheet": harlequin}), b"seed")
    while table.result() is None:
        for seat in table.pending():
            moves = table.legal(seat).moves
            table.put(seat, moves[(7 * table.decisions + seat) % len(moves)])
    paper = table.record().to_bytes()
    assert replayed(GAME, Record.from_bytes(paper)).to_bytes() == paper


def test_another_sheet_keeps_the_laws(harlequin: dict[str, Any]) -> None:
    check_game(GAME, matches=1, players=[3], options={"sheet": harlequin})
