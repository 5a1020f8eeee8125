"""What a seat sees: everything the rules leave open, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.stop.v1 import stop_pb2
from referee.games.stop import GAME, events
from referee.games.stop.cards import NUMBERS, SIZES, counts, faces
from referee.games.stop.state import StopState
from referee.games.stop.view import view
from referee.rules.chance import Extreme, Seeded

Deal = Callable[..., StopState]
Act = Callable[..., None]

NAMES: dict[int, str] = {kind: name.removeprefix("EVENT_KIND_") for name, kind in stop_pb2.EventKind.items()}


def _moments(players: int, seed: bytes) -> Iterator[StopState]:
    """A random match, decision by decision."""
    chance = Seeded(b"moves " + seed)
    state = GAME.new(players, {}, Seeded(seed))
    yield state
    while asked := state.pending():
        state.play({seat: chance.pick("move", state.legal(seat).moves) for seat in asked})
        yield state


matches = given(st.integers(3, 6), st.binary(max_size=3))


def _told(seen: stop_pb2.View) -> list[tuple[str, int]]:
    return [(NAMES[event.kind], event.seat) for event in seen.events]


def test_phases_and_events_are_numbered_as_in_the_proto() -> None:
    for name, phase in stop_pb2.Phase.items():
        assert phase == getattr(events, name.removeprefix("PHASE_"), 0)
    for kind, name in NAMES.items():
        assert kind == getattr(events, name, 0)


@matches
@settings(max_examples=15, deadline=None)
def test_a_view_shows_the_open_facts_of_the_match(players: int, seed: bytes) -> None:
    for state in _moments(players, seed):
        for seat in (None, *range(players)):
            seen = view(state, seat)
            assert seen.phase == state.phase
            assert list(seen.hand) == ([] if seat is None else list(faces(state.hands[seat])))
            assert seen.seat == (-1 if seat is None else seat)
            assert seen.asked == (seat in state.pending())
            assert list(seen.tokens) == state.scores()
            assert list(seen.hand_sizes) == [SIZES[hand] for hand in state.hands]
            assert list(seen.deck_sizes) == [len(deck) for deck in state.decks]
            for other in range(players):
                owned = (seen.twos[other], seen.threes[other], seen.fours[other], seen.plus_ones[other])
                assert owned == counts(state.hands[other] + sum(state.decks[other]))
            assert (seen.red, tuple(seen.eliminated), seen.next_draw) == (state.red, state.eliminated, state.turn)
            assert seen.highest == max([bid.total for bid in seen.bids], default=0)
            alone = state.phase in (events.OPENING, events.SPLIT)
            assert seen.decider == (state.pending()[0] if alone else -1)


@matches
@settings(max_examples=15, deadline=None)
def test_redealing_what_a_seat_cannot_know_leaves_its_view_as_it_is(players: int, seed: bytes) -> None:
    changed = 0
    for number, state in enumerate(_moments(players, seed)):
        for seat in (None, *range(players)):
            twin = state.redealt(seat, Seeded(b"%d" % number + seed))
            assert view(twin, seat).SerializeToString() == view(state, seat).SerializeToString()
            assert twin.pieces() == state.pieces()
            assert bool(twin.pending()) == bool(state.pending()), "a window asks somebody"
            assert state.phase != events.OPENING or twin.hands[twin.red] & NUMBERS, "a caller can open"
            if seat is not None:
                assert twin.hands[seat] == state.hands[seat]
                assert (seat in twin.pending()) == (seat in state.pending())
                assert twin.legal(seat) == state.legal(seat)
            changed += twin.hands != state.hands
    assert changed


@pytest.mark.parametrize("most", [False, True])
def test_redealing_holds_with_the_least_and_the_most_of_chance(most: bool) -> None:
    for state in _moments(4, b"extreme"):
        twin = state.redealt(None, Extreme(most))
        assert bool(twin.pending()) == bool(state.pending())
        for seat in twin.pending():
            assert twin.check(seat, twin.fallback(seat)) is None


def test_whom_else_a_window_asks_is_not_shown(deal: Deal) -> None:
    lone = deal("2 2", "2", "+1")
    both = deal("2 2", "2", "2")
    assert lone.pending() == (1,)
    assert both.pending() == (1, 2)
    for seat in (0, 1, None):
        assert view(lone, seat) == view(both, seat)


def test_what_losers_of_a_window_tried_is_not_shown(deal: Deal) -> None:
    contested = deal("2 2", "2", "2", arbiter=[1])
    stop, wait = contested.parse("stop"), contested.parse("wait")
    contested.play({1: stop, 2: stop})
    alone = deal("2 2", "2", "2")
    alone.play({1: stop, 2: wait})
    for seat in (0, 1, 2, None):
        assert view(contested, seat) == view(alone, seat)


def test_events_are_what_happened_since_the_own_last_decision(deal: Deal, act: Act) -> None:
    state = deal("2 2 2", "2 2", "+1 2")
    opening = [("DREW", 0), ("DREW", 1), ("DREW", 2), ("DREW", 0)]
    assert _told(view(state, 1)) == opening
    act(state)  # seat 1 waits, then draws
    assert _told(view(state, 1)) == [("DREW", 1)]
    act(state)  # seat 1 waits, seat 2 draws a 2 and is asked for the first time
    assert _told(view(state, 1)) == [("DREW", 2)]
    assert _told(view(state, 2)) == [*opening, ("DREW", 1), ("DREW", 2)]
    assert _told(view(state, None)) == [("DREW", 2)]
    act(state, s1="stop")
    act(state, s1="bid 2")
    assert _told(view(state, 2)) == [("CALLED", 1), ("BID", 1)]
    act(state, s2="raise 1 2 +1")
    assert _told(view(state, 1)) == [("RAISED", 2)]
    raised = view(state, 1).events[0]
    assert (raised.owner, list(raised.cards)) == (1, [2, 1])
    [bid] = view(state, 0).bids
    assert (bid.seat, bid.value, bid.total) == (1, 2, 5)
    assert (list(bid.cards), list(bid.laid_by)) == ([2, 2, 1], [1, 2, 2])


def test_events_of_a_settled_auction_tell_tokens_and_cards(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3")
    act(state, s1="stop")
    act(state, s1="bid 4")
    won = view(state, 1).events[-1]
    assert (NAMES[won.kind], won.seat, won.tokens) == ("WON", 1, 1)
    act(state)
    received, drew = view(state, 1).events[:2]
    assert (NAMES[received.kind], received.seat, list(received.cards)) == ("RECEIVED", 1, [4])
    assert (NAMES[drew.kind], drew.seat) == ("DREW", 1)


def test_events_tell_shared_bids_shuffles_skips_and_eliminations(
    deal: Deal, act: Act, bury: Callable[[StopState, int], None]
) -> None:
    state = deal("4 3", "4", "3")
    act(state, s1="stop")
    act(state, s1="bid 4")
    act(state, s0="bid 4")
    assert _told(view(state, 0))[:4] == [("BID", 0), ("TIED", 0), ("RECEIVED", 0), ("RECEIVED", 1)]

    state = deal("2 2 2 2 2 2", "2 2 2 2 2 2", "2 2 2 2 2 2", first=1)
    while not state.shuffles:
        act(state)
    assert _told(view(state, 0)) == [("SHUFFLED_BACK", 1), ("DREW", 1), ("DREW", 2), ("DREW", 0), ("DREW", 1)]

    state = deal("2 2 2", "2 2 2", "2 2 2", "2 2 2", first=1)
    state.full |= 1 << 2
    bury(state, 3)
    bury(state, 0)
    act(state)
    assert _told(view(state, 0)) == [("SKIPPED", 2)]
    bury(state, 1)
    act(state)
    gone = view(state, 2).events
    assert _told(view(state, 2)) == [
        *[("ELIMINATED", 3), ("ELIMINATED", 0), ("ELIMINATED", 1), ("RED_PASSED", 2)],
    ]
    assert [list(event.cards) for event in gone] == [[2], [2], [2, 2], []]
    assert view(state, None).phase == stop_pb2.PHASE_OVER
