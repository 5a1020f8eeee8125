"""Drawing: the opening rule, skips, eliminations, hands shuffled back, and the limits of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop import GAME
from referee.games.stop.cards import SIZES
from referee.games.stop.position import CALLS, SPLIT
from referee.games.stop.state import StopState
from referee.rules.chance import Extreme, Seeded

Deal = Callable[..., StopState]
Act = Callable[..., None]
Bury = Callable[[StopState, int], None]


@given(st.integers(3, 6), st.binary(max_size=4))
@settings(max_examples=30, deadline=None)
def test_the_first_window_comes_with_the_second_card_of_the_red_token_at_the_earliest(
    players: int, seed: bytes
) -> None:
    state = GAME.new(players, {}, Seeded(seed))
    sizes = [SIZES[hand] for hand in state.hands]
    assert sizes[state.red] >= 2
    assert max(sizes) - min(sizes) <= 1
    assert state.red not in state.pending()


def test_elimination_opens_no_window_and_the_next_player_draws(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2", "2 2 2", "2 2 2")
    bury(state, 1)
    act(state)  # seat 1 should draw
    assert state.eliminated == (1,)
    assert [SIZES[hand] for hand in state.hands] == [2, 0, 2]
    assert state.pending() == (2,)


def test_the_red_token_passes_over_players_who_are_out(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2", "2 2 2", "2 2 2", "2 2 2", first=0)
    bury(state, 0)
    bury(state, 1)
    act(state)  # seat 1 goes; seat 2 draws
    act(state)  # seat 3 draws
    act(state)  # seat 0, who has the red token, goes; seat 1 is out; seat 2 has it and draws
    assert state.eliminated == (1, 0)
    assert state.red == 2
    assert state.pending() == (3,)


def test_a_call_after_an_elimination_takes_the_red_token(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2", "2 2 2", "4 2 2", "2 2 2")
    bury(state, 1)
    act(state)
    act(state, s2="stop")
    act(state, s2="bid 4")
    assert state.pending()
    while state.phase != SPLIT:
        act(state)
    act(state)
    assert state.red == 2
    assert state.eliminated == (1,)


def test_hands_go_back_when_an_elimination_leaves_only_full_hands(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2 2 2 2", "2 2 2 2 2 2", "2 2 2 2 2 2")
    while SIZES[state.hands[1]] < 6:
        act(state)
    bury(state, 2)  # he has five cards, and it is his draw
    act(state)
    assert state.eliminated == (2,)
    assert state.shuffles == 1
    assert [SIZES[hand] for hand in state.hands] == [2, 1, 0]


def test_two_players_play_on_and_the_last_one_wins_with_fewer_tokens(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2", "2 2 2", "2 2 2")
    state.tokens = [0, 5, 3]
    bury(state, 1)
    bury(state, 2)
    act(state)
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks, result.scores) == ("last_player", (1, 3, 2), (0, 5, 3))
    assert state.pending() == ()


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_without_a_call_the_match_ends_where_the_tenth_shuffle_would_be(players: int, act: Act) -> None:
    state = GAME.new(players, {}, Seeded(b"quiet"))
    while state.pending():
        assert state.shuffles < 10
        act(state)
    result = state.result()
    assert result is not None
    assert (state.shuffles, result.reason, result.ranks) == (9, "limit", (1,) * players)


@pytest.mark.parametrize("most", [False, True])
def test_the_limit_is_reached_on_the_luckiest_and_the_unluckiest_decks(most: bool, act: Act) -> None:
    state = GAME.new(3, {}, Extreme(most))
    while state.pending():
        act(state)
    assert state.shuffles == 9


def test_a_call_starts_the_count_in_a_row_anew_and_the_thirtieth_shuffle_ends_the_match(act: Act) -> None:
    state = GAME.new(3, {}, Seeded(b"now and then"))
    auctions = 0
    while state.pending():
        if state.phase == CALLS and state.shuffles_in_row == 9:
            act(state, **{f"s{state.pending()[0]}": "stop"})
            assert state.shuffles_in_row == 0
            auctions += 1
        else:
            act(state)
    result = state.result()
    assert result is not None
    assert (state.shuffles, result.reason, auctions) == (29, "limit", 3)
    assert list(result.scores) == state.tokens
    assert sum(state.tokens) == 3
    assert sorted(result.ranks) in ([1, 1, 1], [1, 2, 2], [1, 2, 3])


def test_eliminated_players_rank_below_all_others_at_a_limit(deal: Deal, act: Act, bury: Bury) -> None:
    state = deal("2 2 2", "2 2 2", "2 2 2", "2 2 2", "2 2 2")
    state.tokens = [1, 5, 4, 1, 2]
    bury(state, 1)
    bury(state, 2)
    while state.pending():
        act(state)
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks) == ("limit", (2, 5, 4, 2, 1))
