"""What happened in Flip 7, in words."""

from __future__ import annotations

import pytest

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import CODES
from referee.games.flip7.telling import about, in_progress, standing, told
from referee.rules.boards.seats import Names

NAMES = ["ann", "bob", "cy"]


def event(kind: pb.EventKind.ValueType, seat: int | None = None, card: str = "", **further: object) -> pb.Event:
    return pb.Event(kind=kind, seat=seat, card=CODES[card] if card else None, **further)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("happened", "words"),
    [
        (event(pb.EVENT_KIND_ROUND_STARTED, 1), "a round begins; bob deals"),
        (event(pb.EVENT_KIND_DEALT, 0, "7"), "ann gets a 7"),
        (event(pb.EVENT_KIND_DEALT, 0, "0"), "ann gets a 0"),
        (event(pb.EVENT_KIND_DEALT, 0, "11"), "ann gets an 11"),
        (event(pb.EVENT_KIND_DEALT, 0, "x2"), "ann gets the x2"),
        (event(pb.EVENT_KIND_DEALT, 0, "SC"), "ann gets a Second Chance"),
        (event(pb.EVENT_KIND_STAYED, 2), "cy stays"),
        (event(pb.EVENT_KIND_SAVED, 2, "7"), "cy is saved by a Second Chance from a second 7"),
        (event(pb.EVENT_KIND_BUSTED, 2, "7"), "cy busts with a second 7"),
        (event(pb.EVENT_KIND_FLIP_7, 2), "cy makes a Flip 7"),
        (event(pb.EVENT_KIND_TARGETED, 2, "T", target=0), "cy gives the Three to ann"),
        (event(pb.EVENT_KIND_KEPT, 2, "SC"), "cy keeps the Second Chance"),
        (event(pb.EVENT_KIND_DISCARDED, 2, "S"), "the Stop of cy is discarded without effect"),
        (event(pb.EVENT_KIND_RESHUFFLED), "the discards are shuffled into a new pile"),
        (event(pb.EVENT_KIND_BROKE_OFF), "no card is to be had: the round breaks off"),
        (event(pb.EVENT_KIND_ROUND_ENDED, points=[3, 0, 40]), "the round ends: ann 3, cy 40"),
        (event(pb.EVENT_KIND_ROUND_ENDED, points=[0, 0, 0]), "the round ends: nothing for anybody"),
        (event(pb.EVENT_KIND_ENDED), "the match is over"),
    ],
)
def test_every_event_is_told(happened: pb.Event, words: str) -> None:
    assert told(pb.View(events=[happened]), NAMES) == [words]


def test_no_kind_of_event_is_left_out() -> None:
    for kind in pb.EventKind.values()[1:]:
        (words,) = told(pb.View(events=[pb.Event(kind=kind, seat=0)]))
        assert str(kind) not in words.split()


def test_what_is_asked_is_said() -> None:
    names = Names(NAMES)
    assert standing(pb.View(asked=[1], question=pb.QUESTION_TURN), names) == "bob: hit or stay?"
    target = pb.View(asked=[1], question=pb.QUESTION_TARGET, card=CODES["S"], targets=[0, 2])
    assert standing(target, names) == "bob: who gets the Stop? One of ann and cy"
    assert standing(pb.View(ranks=[2, 1, 2], reason="finished"), names) == "bob wins"
    assert (
        standing(pb.View(ranks=[1, 1, 3], reason="round_limit"), names)
        == "ann and bob share the first rank (round limit)"
    )


def test_the_round_and_what_is_in_progress_are_said() -> None:
    names = Names(NAMES)
    view = pb.View(round=3, dealer=2, target_score=200, rules=pb.RULES_FAQ, unserved=[1])
    assert about(view, names) == "round 3 · cy deals · to 200 · rules faq"
    view.threes.add(seat=0, left=2, aside=[CODES["S"]])
    assert in_progress(view, names) == [
        "a Three on ann: 2 cards to come, set aside: Stop",
        "the opening deal goes on with bob",
    ]
