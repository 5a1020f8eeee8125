"""What is told of a match: the kinds of events, and what a round, a shuffle and a void round bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import events

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import NewMatch, Told

LINE = [8, 2, 9, 5, 3, 4, 6, 7, 1, 10]


def test_every_kind_of_event_has_its_name() -> None:
    kinds = {name.removeprefix("EVENT_KIND_"): kind for name, kind in pb.EventKind.items() if kind}
    assert {name: getattr(events, name) for name in kinds} == kinds


def test_an_event_is_written_as_a_view_that_tells_nothing_else() -> None:
    written = pb.View.FromString(events.wire(events.CAPTURED, 7, 0, 0b001))
    assert written == pb.View(events=[pb.Event(kind=pb.EVENT_KIND_CAPTURED, gangster=7, seat=0, stops=[0])])


def test_the_end_of_a_round_is_told_in_events_and_kept_as_captures(new_match: NewMatch, told: Told) -> None:
    match = new_match(4, gangsters=[[10, 3, 1, 4], [6]])
    match.put("sggg", "ggss", "gsgg", "gggg")
    view = match.state.view(2)
    assert told(view) == [
        ("CAPTURED", 10, 0, [0]),
        ("DISCARDED", 3, None, [2, 3]),
        ("CAPTURED", 1, 1, [1]),
        ("DISCARDED", 4, None, []),
        ("ROUND_WON", 1, 1, []),
        ("ROUND_STARTED", 2),
        ("CRIME", 6, None, []),
    ]
    assert [(capture.round, capture.gangster, capture.seat) for capture in view.captures] == [(1, 10, 0), (1, 1, 1)]
    assert (list(view.arrests), list(view.discarded), view.pile_size) == ([], [], 9)
    assert (list(view.tokens), list(view.scores), view.tokens_left) == ([0, 1, 0, 0], [0, 1, 0, 0], 5)
    assert (view.go_in_hand, view.stop_in_hand) == (4, True)


def test_a_shuffle_of_the_discards_is_told(new_match: NewMatch, told: Told) -> None:
    match = new_match(2, gangsters=[LINE, [6]])
    match.put(*["gg"] * 10)
    view = match.state.view(None)
    assert told(view) == [("ESCAPED", 6, None, []), ("RESHUFFLED", 0, None, []), ("CRIME", 6, None, [])]
    assert (list(view.discarded), view.pile_size, list(view.table)) == ([], 6, [7, 1, 10, 6])
    assert len(view.arrests) == 7


def test_a_void_round_is_told_and_its_token_counted(new_match: NewMatch, told: Told) -> None:
    match = new_match(2)
    match.put(*["gg"] * 53)
    view = match.state.view(0)
    assert [event[0] for event in told(view)] == ["ESCAPED", "ROUND_VOID", "ROUND_STARTED", "CRIME"]
    assert (view.round, view.tokens_left, view.tokens_void, list(view.tokens)) == (2, 3, 1, [0, 0])
