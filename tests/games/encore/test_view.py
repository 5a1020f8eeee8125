"""Views: complete for a bot without memory, and open to all but what is sealed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore import GAME
from referee.games.encore.choices import BOMBS
from referee.games.encore.moves import ACTION_NAMES, NUMBER_WORDS
from referee.games.encore.sheet import sheet_for
from referee.games.encore.state import EncoreState
from referee.rules.chance import Scripted, Seeded

Moments = Callable[..., Iterator[EncoreState]]
SHEET = sheet_for("standard")


def seen(state: EncoreState, seat: int | None) -> pb.View:
    view = state.view(seat)
    assert isinstance(view, pb.View)
    return view


def started(players: int, *rolls: str, first: int = 0) -> EncoreState:
    state = GAME.start(players, chance=Scripted({"rolls": rolls, "first": [first]}, GAME.labels))
    assert isinstance(state, EncoreState)
    return state


def play(state: EncoreState, *moves: str) -> None:
    state.play({seat: state.parse(text) for seat, text in zip(state.pending(), moves, strict=True)})


def test_a_view_shows_every_sheet_as_it_is(moments: Moments) -> None:
    for state in moments(3, 2):
        view = seen(state, 1)
        assert view.seat == 1
        for shown, paper in zip(view.players, state.papers, strict=True):
            assert int(shown.marked[::-1], 2) == paper.marked
            assert shown.exclamation_marks == paper.marks
            assert shown.special_dice == paper.circled - paper.used
            assert shown.special_dice_used == paper.used
            assert shown.hearts == paper.hearts
            assert len(shown.rows) == paper.rows.bit_count()
            assert len(shown.columns) == paper.columns.bit_count()
            assert len(shown.colours) == paper.colours.bit_count()
        assert list(view.scores) == [paper.score() for paper in state.papers]
        assert list(view.asked) == list(state.pending())
        assert (view.roll, view.active) == (state.roll, state.active)


def as_a_message(state: EncoreState, seat: int | None, seen: pb.View) -> pb.View:
    """The view built field by field; the printed sheet and the events are those that were seen."""
    sheet, result = state.sheet, state.result()

    def letters(names: str, bits: int) -> str:
        return "".join(name for number, name in enumerate(names) if bits >> number & 1)

    def dice(words: tuple[str, ...], special: str) -> pb.Dice:
        return pb.Dice(colours=words[: len(words) // 2], numbers=words[len(words) // 2 :], special=special)

    colours = [sheet.colour_words[face] for face in state.colour_dice]
    question = pb.QUESTION_BOMB if state.phase == BOMBS else pb.QUESTION_DICE
    if result:
        question = pb.QUESTION_UNSPECIFIED
    return pb.View(
        seat=seat,
        asked=state.pending(),
        events=seen.events,
        scores=state.scores(),
        ranks=result.ranks if result else (),
        reason=result.reason if result else "",
        question=question,
        sheet=seen.sheet,
        roll=state.roll,
        roll_limit=state.roll_limit,
        active=state.active,
        rolled=dice(state.rolled[:-1], state.rolled[-1]),
        dice=dice(
            (*colours, *(NUMBER_WORDS[face] for face in state.number_dice)), ACTION_NAMES.get(state.special_die, "")
        ),
        players=[
            pb.Player(
                marked="".join("1" if paper.marked >> box & 1 else "0" for box in range(105)),
                exclamation_marks=paper.marks,
                special_dice=paper.circled - paper.used,
                special_dice_used=paper.used,
                hearts=paper.hearts,
                bombs_owed=paper.bombs_owed,
                rows=letters(sheet.row_letters, paper.rows),
                columns=letters(sheet.column_letters, paper.columns),
                colours=letters(sheet.colour_letters, paper.colours),
                row_points=paper.row_points,
                column_points=paper.column_points,
                heart_points=paper.heart_points,
                colour_points=paper.colour_points,
                unused_roll_points=paper.unused_roll_points,
            )
            for paper in state.papers
        ],
        rows_taken=letters(sheet.row_letters, state.rows_taken),
        columns_taken=letters(sheet.column_letters, state.columns_taken),
        colours_taken=letters(sheet.colour_letters, state.colours_taken),
    )


@pytest.mark.parametrize(("players", "seed"), [(1, 1), (1, 2), (2, 3), (4, 4), (6, 5)])
@pytest.mark.parametrize("other_sheet", [False, True])
def test_a_view_is_written_as_its_message_is(
    moments: Moments, harlequin: dict[str, Any], players: int, seed: int, other_sheet: bool
) -> None:
    for number, state in enumerate(moments(players, seed, {"sheet": harlequin} if other_sheet else None)):
        if number % 5 and state.pending():
            state.view_bytes(number % players)  # what it keeps of this one is of use for the next
            continue
        twin = state.copy()
        if number % 2 == 0:
            twin = GAME.imagine(state.view_bytes(None), Seeded(b"twin"))
        if asked := twin.pending():
            twin.play({seat: twin.legal(seat).moves[-1] for seat in asked})
        for one in (twin, state):
            for seat in (None, *range(players)):
                written = one.view_bytes(seat)
                message = as_a_message(one, seat, pb.View.FromString(written))
                assert written == message.SerializeToString(deterministic=True)


def test_the_sheet_in_a_view_names_every_box() -> None:
    sheet = seen(started(1), 0).sheet
    names = [sheet.columns[box // 7] + sheet.rows[box % 7] for box in range(105)]
    assert names == [SHEET.notation.box(box) for box in range(105)]
    assert {name for name, star in zip(names, sheet.stars, strict=True) if star == "1"} == set(SHEET.content["stars"])
    golden = {name for name, die in zip(names, sheet.golden_dice, strict=True) if die == "1"}
    assert golden == set(SHEET.content["golden_dice"])
    assert sheet.boxes[names.index("HR")] == "O"
    assert dict(zip(sheet.colours, sheet.colour_names, strict=True)) == SHEET.content["colours"]
    assert sheet.row_bonus[names.index("AV") % 7] == "bomb"


def test_the_active_players_dice_are_missing_from_the_table() -> None:
    roll = "orange orange joker 5 2 ? bomb"
    state = started(2, *[roll] * 4, first=1)
    for _ in range(3):
        play(state, "pass", "pass")
    assert seen(state, 0).dice == seen(state, 0).rolled
    play(state, "orange 5 EQ FQ FR GR HR")
    view = seen(state, 1)
    assert list(view.dice.colours) == ["orange", "joker"]
    assert list(view.dice.numbers) == ["2", "?"]
    assert view.dice.special == "bomb"
    assert list(view.rolled.colours) == ["orange", "orange", "joker"]
    assert view.question == seen(state, 0).question == pb.QUESTION_DICE
    assert list(view.asked) == list(seen(state, 0).asked) == [1]


def test_the_special_die_is_missing_once_taken() -> None:
    state = started(2, *["orange orange joker 5 2 ? heart"] * 4, first=1)
    for _ in range(3):
        play(state, "pass", "pass")
    play(state, "heart")
    view = seen(state, 1)
    assert view.dice.special == ""
    assert view.rolled.special == "heart"
    assert len(view.dice.colours) == len(view.dice.numbers) == 3


def test_a_bomb_that_is_owed_is_asked_for() -> None:
    state = started(3, "pink pink pink 1 1 1 heart")
    state.papers[2].mark(SHEET.rows[1][2])
    play(state, "pass", "pass", "pass")
    view = seen(state, 2)
    assert view.question == pb.QUESTION_BOMB
    assert list(view.asked) == [2]
    assert view.players[2].bombs_owed == 1
    assert view.players[2].rows == "Q"
    assert view.rows_taken == ""  # still this roll: others may yet be first as well
    assert (seen(state, 0).question, list(seen(state, 0).asked)) == (pb.QUESTION_BOMB, [2])
    play(state, "pass")
    assert seen(state, 2).rows_taken == "Q"
    assert seen(state, 2).question == pb.QUESTION_DICE


def test_the_public_sees_all_but_a_seat_of_its_own() -> None:
    state = started(2, "pink pink pink 1 1 1 heart")
    public, own = seen(state, None), seen(state, 0)
    assert not public.HasField("seat")
    assert list(public.asked) == [0, 1]
    own.ClearField("seat")
    assert own == public


def test_a_view_does_not_depend_on_rolls_to_come(moments: Moments) -> None:
    for number, state in enumerate(moments(2, 7)):
        if number % 10:
            continue
        other = state.redealt(0, Seeded(b"another future"))
        for seat in (0, 1, None):
            assert other.view(seat).SerializeToString() == state.view(seat).SerializeToString()


def test_rolls_to_come_are_drawn_anew_by_redealing() -> None:
    state = started(2)
    futures = []
    for chance in (b"one", b"two"):
        twin = state.redealt(None, Seeded(chance))
        rolls = []
        for _ in range(5):
            play(twin, *["pass"] * len(twin.pending()))
            rolls.append(twin.rolled)
        futures.append(rolls)
    assert futures[0] != futures[1]
