"""What happened in STOP me GO, in words."""

from __future__ import annotations

import pytest

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.telling import about, caught, standing, told
from referee.rules.boards.seats import Names

NAMES = ["ann", "bob", "cy"]


@pytest.mark.parametrize(
    ("happened", "words"),
    [
        (pb.Event(kind=pb.EVENT_KIND_ROUND_STARTED, round=2), "round 2 begins"),
        (pb.Event(kind=pb.EVENT_KIND_RESHUFFLED), "the discarded gangsters are shuffled into a new pile"),
        (pb.Event(kind=pb.EVENT_KIND_CRIME, gangster=7), "gangster 7 joins the line"),
        (
            pb.Event(kind=pb.EVENT_KIND_ESCAPED, gangster=7, stops=[0, 2]),
            "gangster 7 escapes: stop by ann and cy",
        ),
        (pb.Event(kind=pb.EVENT_KIND_ESCAPED, gangster=7), "gangster 7 escapes: no stop"),
        (pb.Event(kind=pb.EVENT_KIND_CAPTURED, gangster=7, seat=1, stops=[1]), "bob captures gangster 7"),
        (pb.Event(kind=pb.EVENT_KIND_DISCARDED, gangster=3), "gangster 3 is discarded: no stop"),
        (
            pb.Event(kind=pb.EVENT_KIND_ROUND_WON, gangster=7, seat=1),
            "bob wins the round with gangster 7 and takes a token",
        ),
        (
            pb.Event(kind=pb.EVENT_KIND_ROUND_VOID),
            "the fiftieth escape: the round is void and a token leaves play",
        ),
        (pb.Event(kind=pb.EVENT_KIND_ENDED), "the match is over"),
    ],
)
def test_every_event_is_told(happened: pb.Event, words: str) -> None:
    assert told(pb.View(events=[happened]), NAMES) == [words]


def test_no_kind_of_event_is_left_out() -> None:
    for kind in pb.EventKind.values()[1:]:
        (words,) = told(pb.View(events=[pb.Event(kind=kind, seat=0)]))
        assert str(kind) not in words.split()


def test_what_is_asked_and_how_it_stands_is_said() -> None:
    names = Names(NAMES)
    view = pb.View(asked=[0, 1, 2], tokens=[0, 1, 0], table=[7, 10], round=2, tokens_left=4, tokens_void=1)
    assert standing(view, names) == "everybody: go or stop on the 10?"
    assert about(view, names) == "round 2 · 4 tokens left, 1 void"
    assert standing(pb.View(asked=[0, 1], tokens=[0, 1], table=[7]), names) == "ann and bob: go or stop on the 7?"
    assert standing(pb.View(ranks=[2, 1, 2], reason="three_tokens"), names) == "bob wins (three tokens)"


def test_what_an_agent_caught_is_found() -> None:
    captures = [pb.Capture(round=1, gangster=7, seat=0), pb.Capture(round=2, gangster=3, seat=1)]
    assert caught(pb.View(captures=captures), 1) == [(2, 3)]
