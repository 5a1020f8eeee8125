"""What a seat sees: everything the rules leave open, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop import GAME
from referee.games.stop.cards import NUMBERS, SIZES, counts, faces
from referee.games.stop.position import OPENING, SPLIT
from referee.games.stop.state import StopState
from referee.games.stop.view import WINDOWS, view_of
from referee.rules.chance import Extreme, Seeded

Deal = Callable[..., StopState]
Act = Callable[..., None]


def _moments(players: int, seed: bytes) -> Iterator[StopState]:
    """A random match, decision by decision."""
    chance = Seeded(b"moves " + seed)
    state = GAME.new(players, {}, Seeded(seed))
    yield state
    while asked := state.pending():
        state.play({seat: chance.pick("move", state.legal(seat).moves) for seat in asked})
        yield state


matches = given(st.integers(3, 6), st.binary(max_size=3))


@matches
@settings(max_examples=15, deadline=None)
def test_a_view_shows_the_open_facts_of_the_match(players: int, seed: bytes) -> None:
    for state in _moments(players, seed):
        for seat in (None, *range(players)):
            seen = view_of(state, seat)
            assert seen.question == state.phase
            assert list(seen.hand) == ([] if seat is None else list(faces(state.hands[seat])))
            assert (seen.seat if seen.HasField("seat") else None) == seat
            assert list(seen.scores) == state.scores()
            assert list(seen.hand_sizes) == [SIZES[hand] for hand in state.hands]
            assert list(seen.deck_sizes) == [len(deck) for deck in state.decks]
            for other in range(players):
                owned = (seen.twos[other], seen.threes[other], seen.fours[other], seen.plus_ones[other])
                assert owned == counts(state.hands[other] + sum(state.decks[other]))
            assert (seen.red, tuple(seen.eliminated), seen.next_draw) == (state.red, state.eliminated, state.turn)
            assert seen.highest == max([bid.total for bid in seen.bids], default=0)
            in_the_open = state.phase in (OPENING, SPLIT)
            assert list(seen.asked) == [who for who in state.pending() if in_the_open or who == seat]


def _as_a_message(state: StopState, seat: int | None, events: Iterable[pb.Event]) -> pb.View:
    """The view built field by field."""
    window, result = state.phase in WINDOWS, state.result()
    return pb.View(
        seat=seat,
        asked=[who for who in state.pending() if not window or who == seat],
        events=events,
        scores=state.scores(),
        ranks=result.ranks if result else (),
        reason=result.reason if result else "",
        question=state.phase,  # type: ignore[arg-type]  # numbered as in the proto
        hand=() if seat is None else faces(state.hands[seat]),
        hand_sizes=[SIZES[hand] for hand in state.hands],
        deck_sizes=map(len, state.decks),
        twos=[counts(heap)[0] for heap in state.owned],
        threes=[counts(heap)[1] for heap in state.owned],
        fours=[counts(heap)[2] for heap in state.owned],
        plus_ones=[counts(heap)[3] for heap in state.owned],
        red=state.red,
        next_draw=state.turn,
        eliminated=state.eliminated,
        opening_rule=state.opening_rule,
        bids=[
            pb.Bid(seat=owner, value=bid.value, total=bid.total, cards=bid.faces, laid_by=bid.by)
            for owner, bid in enumerate(state.auction.bids)
            if bid
        ],
        highest=state.auction.highest,
        auctions=state.auctions,
        shuffles=state.shuffles,
        shuffles_in_row=state.shuffles_in_row,
    )


@matches
@settings(max_examples=15, deadline=None)
def test_a_view_is_written_as_its_message_is(players: int, seed: bytes) -> None:
    for number, state in enumerate(_moments(players, seed)):
        twin = state.copy()
        if number % 3 == 0:
            twin = GAME.imagine(state.view_bytes(number % players), Seeded(seed))
        if asked := twin.pending():
            twin.play({seat: twin.legal(seat).moves[-1] for seat in asked})
        for one in (twin, state):
            for seat in (None, *range(players)):
                written = one.view_bytes(seat)
                message = _as_a_message(one, seat, pb.View.FromString(written).events)
                assert written == message.SerializeToString(deterministic=True)


@matches
@settings(max_examples=15, deadline=None)
def test_redealing_what_a_seat_cannot_know_leaves_its_view_as_it_is(players: int, seed: bytes) -> None:
    changed = 0
    for number, state in enumerate(_moments(players, seed)):
        for seat in (None, *range(players)):
            twin = state.redealt(seat, Seeded(b"%d" % number + seed))
            assert view_of(twin, seat).SerializeToString() == view_of(state, seat).SerializeToString()
            assert twin.pieces() == state.pieces()
            assert bool(twin.pending()) == bool(state.pending()), "a window asks somebody"
            assert state.phase != OPENING or twin.hands[twin.red] & NUMBERS, "a caller can open"
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
        assert view_of(lone, seat) == view_of(both, seat)


def test_what_losers_of_a_window_tried_is_not_shown(deal: Deal) -> None:
    contested = deal("2 2", "2", "2", arbiter=[1])
    stop, wait = contested.parse("stop"), contested.parse("wait")
    contested.play({1: stop, 2: stop})
    alone = deal("2 2", "2", "2")
    alone.play({1: stop, 2: wait})
    for seat in (0, 1, 2, None):
        assert view_of(contested, seat) == view_of(alone, seat)
