"""What happened in STOP!, in words."""

from __future__ import annotations

import pytest

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.telling import about, owned, standing, told
from referee.rules.boards.seats import Names

NAMES = ["ann", "bob", "cy"]


@pytest.mark.parametrize(
    ("happened", "words"),
    [
        (pb.Event(kind=pb.EVENT_KIND_DREW, seat=0), "ann draws a card"),
        (pb.Event(kind=pb.EVENT_KIND_SKIPPED, seat=0), "ann has six cards and skips the draw"),
        (pb.Event(kind=pb.EVENT_KIND_ELIMINATED, seat=0), "ann cannot draw and is out"),
        (
            pb.Event(kind=pb.EVENT_KIND_ELIMINATED, seat=0, cards=[2, 1]),
            "ann cannot draw and is out; 2 +1 leave the game",
        ),
        (pb.Event(kind=pb.EVENT_KIND_RED_PASSED, seat=1), "the red token passes to bob"),
        (
            pb.Event(kind=pb.EVENT_KIND_SHUFFLED_BACK, seat=1),
            "all hands are full and are shuffled back into the decks",
        ),
        (pb.Event(kind=pb.EVENT_KIND_CALLED, seat=2), "cy calls stop and takes the red token"),
        (pb.Event(kind=pb.EVENT_KIND_BID, seat=2, cards=[3, 3, 1]), "cy bids 3 3 +1"),
        (pb.Event(kind=pb.EVENT_KIND_RAISED, seat=2, owner=0, cards=[3]), "cy raises the bid of ann with 3"),
        (pb.Event(kind=pb.EVENT_KIND_RAISED, seat=0, owner=0, cards=[1]), "ann raises their own bid with +1"),
        (pb.Event(kind=pb.EVENT_KIND_WON, seat=2, tokens=3), "cy wins the auction and 3 blue tokens"),
        (pb.Event(kind=pb.EVENT_KIND_TIED, seat=2), "the highest bid is shared: nobody takes a token"),
        (pb.Event(kind=pb.EVENT_KIND_RECEIVED, seat=2, cards=[2, 4]), "cy shuffles 2 4 into the deck"),
        (pb.Event(kind=pb.EVENT_KIND_ENDED), "the match is over"),
    ],
)
def test_every_event_is_told(happened: pb.Event, words: str) -> None:
    assert told(pb.View(events=[happened]), NAMES) == [words]


def test_no_kind_of_event_is_left_out() -> None:
    for kind in pb.EventKind.values()[1:]:
        (words,) = told(pb.View(events=[pb.Event(kind=kind, seat=0)]))
        assert str(kind) not in words.split()


@pytest.mark.parametrize(
    ("view", "words"),
    [
        (pb.View(asked=[1], question=pb.QUESTION_CALL), "bob: stop or wait?"),
        (pb.View(question=pb.QUESTION_CALL), "who may call: stop or wait?"),
        (pb.View(asked=[1], question=pb.QUESTION_OPENING), "bob: which opening bid?"),
        (pb.View(asked=[1], question=pb.QUESTION_PLAY), "bob: bid, raise or pass?"),
        (pb.View(question=pb.QUESTION_PLAY), "who can play: bid, raise or pass?"),
        (pb.View(asked=[1], question=pb.QUESTION_SPLIT), "bob: how to share the cards on the table?"),
        (pb.View(ranks=[2, 1, 3], reason="last_player"), "bob wins (last player)"),
    ],
)
def test_what_is_asked_is_said(view: pb.View, words: str) -> None:
    assert standing(view, Names(NAMES)) == words


def test_how_it_stands_is_said() -> None:
    view = pb.View(auctions=1, shuffles=2, opening_rule=True, twos=[9], threes=[6], fours=[3], plus_ones=[2])
    assert about(view, Names()) == "1 auction settled · hands shuffled back 2 times · no calls yet (opening)"
    assert owned(view, 0) == (9, 6, 3, 2)
    assert owned(view, 5) == (0, 0, 0, 0)
