"""What is told of a match: the kinds of events, from when they are news, and what they say."""

from __future__ import annotations

from collections.abc import Callable

from arena.games.stop.v1 import stop_pb2
from referee.games.stop import events, position
from referee.games.stop.cards import PLUS, TWO
from referee.games.stop.state import StopState
from referee.games.stop.view import view_of

Deal = Callable[..., StopState]
Act = Callable[..., None]

NAMES: dict[int, str] = {kind: name.removeprefix("EVENT_KIND_") for name, kind in stop_pb2.EventKind.items()}


def _told(seen: stop_pb2.View) -> list[tuple[str, int]]:
    return [(NAMES[event.kind], event.seat) for event in seen.events]


def test_questions_and_events_are_numbered_as_in_the_proto() -> None:
    assert dict(stop_pb2.Question.items()) == {
        "QUESTION_UNSPECIFIED": position.OVER,
        "QUESTION_CALL": position.CALLS,
        "QUESTION_OPENING": position.OPENING,
        "QUESTION_PLAY": position.PLAYS,
        "QUESTION_SPLIT": position.SPLIT,
    }
    for kind, name in NAMES.items():
        assert kind == getattr(events, name, 0)


def test_an_event_is_written_as_a_view_that_tells_nothing_else() -> None:
    written = stop_pb2.View.FromString(events.wire((events.RAISED, 2, 1, TWO + PLUS)))
    told = stop_pb2.Event(kind=stop_pb2.EVENT_KIND_RAISED, seat=2, owner=1, cards=[2, 1])
    assert written == stop_pb2.View(events=[told])


def test_events_are_what_happened_since_the_own_last_decision(deal: Deal, act: Act) -> None:
    state = deal("2 2 2", "2 2", "+1 2")
    opening = [("DREW", 0), ("DREW", 1), ("DREW", 2), ("DREW", 0)]
    assert _told(view_of(state, 1)) == opening
    act(state)  # seat 1 waits, then draws
    assert _told(view_of(state, 1)) == [("DREW", 1)]
    act(state)  # seat 1 waits, seat 2 draws a 2 and is asked for the first time
    assert _told(view_of(state, 1)) == [("DREW", 2)]
    assert _told(view_of(state, 2)) == [*opening, ("DREW", 1), ("DREW", 2)]
    assert _told(view_of(state, None)) == [("DREW", 2)]
    act(state, s1="stop")
    act(state, s1="bid 2")
    assert _told(view_of(state, 2)) == [("CALLED", 1), ("BID", 1)]
    act(state, s2="raise 1 2 +1")
    assert _told(view_of(state, 1)) == [("RAISED", 2)]
    raised = view_of(state, 1).events[0]
    assert (raised.owner, list(raised.cards)) == (1, [2, 1])
    [bid] = view_of(state, 0).bids
    assert (bid.seat, bid.value, bid.total) == (1, 2, 5)
    assert (list(bid.cards), list(bid.laid_by)) == ([2, 2, 1], [1, 2, 2])


def test_events_of_a_settled_auction_tell_tokens_and_cards(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3")
    act(state, s1="stop")
    act(state, s1="bid 4")
    won = view_of(state, 1).events[-1]
    assert (NAMES[won.kind], won.seat, won.tokens) == ("WON", 1, 1)
    act(state)
    received, drew = view_of(state, 1).events[:2]
    assert (NAMES[received.kind], received.seat, list(received.cards)) == ("RECEIVED", 1, [4])
    assert (NAMES[drew.kind], drew.seat) == ("DREW", 1)


def test_events_tell_shared_bids_shuffles_skips_and_eliminations(
    deal: Deal, act: Act, bury: Callable[[StopState, int], None]
) -> None:
    state = deal("4 3", "4", "3")
    act(state, s1="stop")
    act(state, s1="bid 4")
    act(state, s0="bid 4")
    assert _told(view_of(state, 0))[:4] == [("BID", 0), ("TIED", 0), ("RECEIVED", 0), ("RECEIVED", 1)]

    state = deal("2 2 2 2 2 2", "2 2 2 2 2 2", "2 2 2 2 2 2", first=1)
    while not state.shuffles:
        act(state)
    assert _told(view_of(state, 0)) == [("SHUFFLED_BACK", 1), ("DREW", 1), ("DREW", 2), ("DREW", 0), ("DREW", 1)]

    state = deal("2 2 2", "2 2 2", "2 2 2", "2 2 2", first=1)
    state.full |= 1 << 2
    bury(state, 3)
    bury(state, 0)
    act(state)
    assert _told(view_of(state, 0)) == [("SKIPPED", 2)]
    bury(state, 1)
    act(state)
    gone = view_of(state, 2).events
    assert _told(view_of(state, 2)) == [
        *[("ELIMINATED", 3), ("ELIMINATED", 0), ("ELIMINATED", 1), ("RED_PASSED", 2), ("ENDED", 0)],
    ]
    assert [list(event.cards) for event in gone] == [[2], [2], [2, 2], [], []]
    assert [event.HasField("seat") for event in gone] == [True, True, True, True, False]
    over = view_of(state, None)
    assert (over.question, list(over.asked), over.reason) == (stop_pb2.QUESTION_UNSPECIFIED, [], "last_player")
    assert list(over.ranks) == [3, 2, 1, 4]
