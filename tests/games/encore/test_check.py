"""Every refusal has its own stable code."""

from __future__ import annotations

import pytest

from referee.games.encore import GAME
from referee.games.encore.state import EncoreState
from referee.rules.chance import Scripted


def table(roll: str, marked: str = "") -> EncoreState:
    """A match at its first roll, in which seat 0 has marked these boxes."""
    state = GAME.start(2, chance=Scripted({"rolls": [roll], "first": [0]}, GAME.labels))
    assert isinstance(state, EncoreState)
    if marked:
        state.papers[0].mark(state.parse(f"bomb {marked}").boxes)
    return state


DICE = "green orange joker 2 3 ? bomb"


@pytest.mark.parametrize(
    ("code", "roll", "marked", "move"),
    [
        ("no_such_die", DICE, "", "blue 2 GT HT"),
        ("no_such_die", DICE, "", "green 1 HP"),
        ("no_such_die", DICE, "", "heart"),
        ("no_such_die", "green orange blue 2 3 4 bomb", "", "joker 2 HP IP"),
        ("wrong_count", DICE, "", "green 3 HP IP"),
        ("wrong_count", DICE, "HU", "green ? ET EU FU FV GU GV"),
        ("already_marked", DICE, "HP", "green 2 HP IP"),
        ("already_marked", DICE, "HP", "bomb HP HQ"),
        ("wrong_colour", DICE, "", "green 2 HP HQ"),
        ("mixed_colours", DICE, "", "joker 2 HP HQ"),
        ("not_connected", DICE, "HS", "joker 2 HR EQ"),
        ("not_connected", DICE, "HU", "green 2 ET GV"),
        ("out_of_reach", DICE, "", "orange 2 EQ FQ"),
        ("not_in_a_square", DICE, "", "bomb HP HR"),
        ("not_a_star", "pink pink pink 1 1 1 stars", "", "stars HQ"),
        ("too_many_boxes", "pink pink pink 1 1 1 stars", "HS IU HU", "stars HR GU IV"),
        ("out_of_reach", "pink pink pink 1 1 1 stars", "", "stars HR JQ"),
        ("not_in_a_row", "pink pink pink 1 1 1 line", "HS", "line HR HT"),
        ("too_many_boxes", "pink pink pink 1 1 1 line", "GS HS IS JS", "line GT HT IT JT"),
        ("out_of_reach", "pink pink pink 1 1 1 line", "HS", "line HR IR"),
        ("not_one_block", "pink pink pink 1 1 1 block", "HS", "block HR HT"),
        ("not_the_whole_block", "pink pink pink 1 1 1 block", "HS", "block HT"),
        ("out_of_reach", "pink pink pink 1 1 1 block", "", "block GS FS"),
    ],
)
def test_a_refusal_says_why(code: str, roll: str, marked: str, move: str) -> None:
    state = table(roll, marked)
    rejection = state.check(0, state.parse(move))
    assert rejection is not None
    assert rejection.code == code
    assert len(rejection.message) > 15


def test_jokers_without_marks_are_refused() -> None:
    state = table(DICE)
    state.papers[0].marks = 1
    assert state.check(0, state.parse("joker 2 HP IP")) is None
    rejection = state.check(0, state.parse("joker ? HP IP"))
    assert rejection is not None
    assert rejection.code == "no_mark_left"
    assert "2 needed, 1 left" in rejection.message


def test_the_special_die_without_a_circled_one_is_refused() -> None:
    state = table(DICE)
    state.papers[0].used = 1
    rejection = state.check(0, state.parse("bomb AP"))
    assert rejection is not None
    assert rejection.code == "no_special_die"


def test_a_heart_with_all_circled_is_refused() -> None:
    state = table("pink pink pink 1 1 1 heart")
    state.papers[0].hearts = 5
    rejection = state.check(0, state.parse("heart"))
    assert rejection is not None
    assert rejection.code == "hearts_full"


def test_who_is_owed_a_bomb_can_do_nothing_else() -> None:
    state = table("pink pink pink 1 1 1 heart")
    state.papers[0].bombs_owed = 1
    state.play({0: state.parse("pass"), 1: state.parse("pass")})
    assert state.pending() == (0,)
    rejection = state.check(0, state.parse("pink 1 HQ"))
    assert rejection is not None
    assert rejection.code == "only_a_bomb"
    assert state.check(0, state.parse("bomb HQ")) is None
    assert state.check(0, state.parse("pass")) is None
