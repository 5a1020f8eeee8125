"""Whole matches with random players keep what holds at every moment."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop import GAME
from referee.games.stop.cards import NUMBERS, SIZES
from referee.games.stop.position import CALLS, OPENING, PLAYS, SPLIT
from referee.games.stop.state import StopState
from referee.rules.chance import Seeded


def _hold(state: StopState) -> None:
    """Counts kept on the side agree with the cards themselves."""
    for seat in range(state.players):
        hand, bit = state.hands[seat], 1 << seat
        assert state.owned[seat] == hand + sum(state.decks[seat])
        assert bool(state.full & bit) == (SIZES[hand] == 6)
        assert bool(state.able & bit) == bool(hand & NUMBERS)
        assert bool(state.inside & bit) == (seat not in state.eliminated)
    assert state.inside >> state.red & 1
    assert state.inside >> state.turn & 1
    assert (state.auction.highest == 0) == (state.phase in (CALLS, OPENING)) or state.result()
    assert (state.result() is None) == bool(state.pending())
    if state.phase == CALLS:
        expected = [
            seat
            for seat in range(state.players)
            if seat != state.red and seat not in state.eliminated and state.hands[seat] & NUMBERS
        ]
        assert list(state.pending()) == expected


@given(st.integers(3, 6), st.binary(max_size=4), st.sampled_from([1, 3, 12]))
@settings(max_examples=40, deadline=None)
def test_random_matches_keep_their_books_and_end_within_the_bound(players: int, seed: bytes, calm: int) -> None:
    """`calm`: one in so many answers is an action, the others wait or pass."""
    chance = Seeded(b"moves " + seed)
    state = GAME.new(players, {}, Seeded(seed))
    pieces = {"2": 9 * players, "3": 6 * players, "4": 3 * players, "+1": 3 * players, "red": 1}
    decisions = 0
    while asked := state.pending():
        _hold(state)
        moves = {}
        for seat in asked:
            acts = len(asked) == 1 or chance.pick("act", range(calm)) == 0
            moves[seat] = chance.pick("move", state.legal(seat).moves) if acts else state.fallback(seat)
            assert state.check(seat, moves[seat]) is None
        state.play(moves)
        assert state.pieces() == pieces
        decisions += 1
    _hold(state)
    assert decisions <= GAME.bound(players, {})
    result = state.result()
    assert result is not None
    assert result.scores == tuple(state.tokens)
    assert result.reason in ("tokens", "last_player", "limit")
    assert (max(result.scores) >= 6) == (result.reason == "tokens")


def test_a_copy_shares_nothing_with_the_match_it_was_made_of() -> None:
    chance = Seeded(b"copies")
    state = GAME.new(4, {}, Seeded(b"copies"))
    seen = set()
    while asked := state.pending():
        seen.add(state.phase)
        before = [state.view(seat).SerializeToString() for seat in range(4)]
        twin = state.copy()
        for _ in range(8):
            if twin.pending():
                twin.play({seat: chance.pick("twin", twin.legal(seat).moves) for seat in twin.pending()})
        assert [state.view(seat).SerializeToString() for seat in range(4)] == before
        moves = {seat: chance.pick("move", state.legal(seat).moves) for seat in asked}
        one, other = state.copy(), state.copy()
        one.play(moves)
        other.play(moves)
        assert one.view(None) == other.view(None), "a copy has the same future"
        state.play(moves)
        assert state.view(None) == one.view(None)
    assert seen == {CALLS, OPENING, PLAYS, SPLIT}


@given(st.integers(3, 6), st.lists(st.integers(0, 9), min_size=6, max_size=6), st.binary(max_size=3))
@settings(max_examples=60, deadline=None)
def test_matches_with_thin_decks_keep_their_books_through_eliminations(
    players: int, left: list[int], seed: bytes
) -> None:
    chance = Seeded(b"moves " + seed)
    state = GAME.new(players, {}, Seeded(seed))
    for seat in range(players):
        cut = len(state.decks[seat]) - left[seat]
        state.gone += sum(state.decks[seat][:cut])
        del state.decks[seat][:cut]
        state.owned[seat] = state.hands[seat] + sum(state.decks[seat])
    pieces = state.pieces()
    while asked := state.pending():
        out = state.eliminated
        state.play(
            {
                seat: chance.pick("move", state.legal(seat).moves)
                if len(asked) == 1 or chance.pick("act", range(4)) == 0
                else state.fallback(seat)
                for seat in asked
            }
        )
        _hold(state)
        assert state.pieces() == pieces
        assert state.eliminated[: len(out)] == out
        for seat in state.eliminated:
            assert seat not in state.pending()
            assert (state.hands[seat], state.owned[seat], state.decks[seat]) == (0, 0, [])
    result = state.result()
    assert result is not None
    assert (len(state.eliminated) == players - 1) == (result.reason == "last_player")
    order = sorted(state.eliminated, key=lambda seat: -result.ranks[seat])
    assert order == list(state.eliminated), "who went first ranks last"
    assert sorted(result.ranks)[len(result.ranks) - len(order) :] == list(
        range(players - len(order) + 1, players + 1)
    ), "below all who stayed"
