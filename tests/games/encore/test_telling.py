"""What happened in Encore et Encore!, in words."""

from __future__ import annotations

import pytest

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore import GAME
from referee.games.encore.telling import about, complete, dice_taken, marked_lately, standing, told
from referee.rules.boards.seats import Names

NAMES = ["ann", "bob"]
SHEET = pb.Sheet(columns="AB", rows="PQ", colours="PB", colour_names=["pink", "blue"])


@pytest.mark.parametrize(
    ("happened", "words"),
    [
        (pb.Event(kind=pb.EVENT_KIND_ROLLED, seat=1, roll=4, text="pink joker 1"), "roll 4: bob rolls pink joker 1"),
        (pb.Event(kind=pb.EVENT_KIND_MOVED, seat=0, text="pass"), "ann passes"),
        (pb.Event(kind=pb.EVENT_KIND_MOVED, seat=0, text="blue 1 AQ"), "ann: blue 1 AQ"),
        (
            pb.Event(kind=pb.EVENT_KIND_ROW, seat=0, text="P", points=5, bonus="special_die"),
            "ann completes row P: 5 points and a special die",
        ),
        (
            pb.Event(kind=pb.EVENT_KIND_COLUMN, seat=0, text="A", points=1, heart_points=2, bonus="bomb"),
            "ann completes column A: 1 point, 2 for hearts and a bomb",
        ),
        (pb.Event(kind=pb.EVENT_KIND_COLOUR, seat=0, text="B", points=3), "ann completes blue: 3 points"),
        (pb.Event(kind=pb.EVENT_KIND_ENDED), "the match is over"),
    ],
)
def test_every_event_is_told(happened: pb.Event, words: str) -> None:
    assert told(pb.View(sheet=SHEET, events=[happened]), NAMES) == [words]


def test_no_kind_of_event_is_left_out() -> None:
    for kind in pb.EventKind.values()[1:]:
        (words,) = told(pb.View(events=[pb.Event(kind=kind, seat=0)]))
        assert str(kind) not in words.split()


def test_what_is_asked_is_said() -> None:
    names = Names(NAMES)
    assert standing(pb.View(asked=[0, 1], question=pb.QUESTION_DICE), names) == "ann and bob: which dice?"
    assert standing(pb.View(asked=[1], question=pb.QUESTION_BOMB), names) == "bob: a bomb to place"
    assert standing(pb.View(ranks=[2, 1], reason="two_colours"), names) == "bob wins (two colours)"
    assert about(pb.View(roll=4, roll_limit=100, active=1), names) == "roll 4 of 100 · bob is active"


def test_the_boxes_of_a_move_are_those_marked_lately() -> None:
    view = pb.View(sheet=SHEET)
    view.events.add(kind=pb.EVENT_KIND_MOVED, seat=0, text="joker ? AP BQ")
    view.events.add(kind=pb.EVENT_KIND_MOVED, seat=1, text="bomb AQ")
    assert marked_lately(view, 0) == {0, 3}
    assert marked_lately(view, 1) == {1}


def test_of_two_equal_dice_one_is_taken() -> None:
    view = pb.View(
        rolled=pb.Dice(colours=["pink", "pink", "blue"], numbers=["1", "2", "1"], special="bomb"),
        dice=pb.Dice(colours=["pink", "blue"], numbers=["1", "2"], special="bomb"),
    )
    colours, numbers, special = dice_taken(view)
    assert [gone for _, gone in colours] == [False, True, False]
    assert [gone for _, gone in numbers] == [False, False, True]
    assert special == ("bomb", False)


def test_a_view_of_a_match_is_complete_and_one_without_a_sheet_is_not() -> None:
    view = GAME.start(2, seed=b"telling").view(0)
    assert isinstance(view, pb.View)
    assert complete(view)
    view.players[0].marked = "0"
    assert not complete(view)
    assert not complete(pb.View())
