"""Piles, limits and what stays where: what a scenario's script cannot look at."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.games.flip7 import GAME
from referee.games.flip7.cards import CODES, NAMES
from referee.games.flip7.moves import HIT, STAY
from referee.games.flip7.state import Flip7State

Laid = Callable[..., Flip7State]


def play(state: Flip7State, *turns: tuple[int, int]) -> None:
    for seat, move in turns:
        assert state.pending() == (seat,)
        assert state.check(seat, move) is None
        state.play({seat: move})


def names(cards: list[int]) -> list[str]:
    return sorted(NAMES[card] for card in cards)


def test_a_reshuffle_leaves_the_cards_of_busted_and_stopped_players_where_they_are(laid: Laid) -> None:
    state = laid("5 6 7 5 S", "1 2")
    play(state, (0, HIT), (1, HIT), (2, HIT), (0, HIT), (1, HIT), (1, 1), (2, HIT))
    assert names(state.hands[0]) == ["5", "5"]
    assert names(state.hands[1]) == ["6", "S"]
    assert names(state.pile + state.hands[2]) == ["1", "2", "7"]
    assert state.discard == []


def test_a_duplicate_and_its_second_chance_can_be_reshuffled_in_the_same_round(laid: Laid) -> None:
    state = laid("SC 5 5")
    play(state, (0, HIT), (1, STAY), (2, STAY), (0, HIT), (0, HIT))
    assert names(state.discard) == ["5", "SC"]
    play(state, (0, HIT))
    assert state.reshuffles == 1
    assert names(state.pile + state.hands[0]) == ["5", "5", "SC"]


def test_a_three_in_progress_and_what_it_set_aside_are_not_reshuffled(laid: Laid) -> None:
    state = laid("T S T", "1 2 3 4 8")
    play(state, (0, HIT), (0, 1))
    assert state.reshuffles == 1
    assert names([*state.pile, *state.hands[1]]) == ["1", "2", "3", "4", "8"]
    assert state.pending() == (1,), "the Stop set aside wants its target"


def test_a_three_joins_the_discards_once_all_it_set_aside_is_resolved(laid: Laid) -> None:
    state = laid("T S 8 9")
    play(state, (0, HIT), (0, 1))
    assert state.discard == []
    play(state, (1, 2))
    assert names(state.discard) == ["T"]
    assert names(state.hands[2]) == ["S"]


def test_an_inner_three_is_discarded_before_the_outer_one_goes_on(laid: Laid) -> None:
    state = laid("T T S 1 2 3 4")
    play(state, (0, HIT), (0, 0), (0, 1))
    assert state.pending() == (0,), "the Stop of the outer Three"
    assert names(state.discard) == ["T"]
    play(state, (0, 2))
    assert names(state.discard) == ["T", "T"]


def test_a_special_nobody_can_take_is_discarded_at_once(laid: Laid) -> None:
    state = laid("SC SC")
    play(state, (0, HIT), (1, STAY), (2, STAY), (0, HIT))
    assert names(state.discard) == ["SC"]
    assert names(state.hands[0]) == ["SC"]


@pytest.mark.parametrize("faq", [False, True])
def test_ten_reshuffles_of_a_round_are_made_and_the_eleventh_breaks_it_off(laid: Laid, faq: bool) -> None:
    state = laid("6 SC SC", faq=faq)
    state.hands[1].append(CODES["+2"])
    state.hands[2].append(CODES["+4"])
    play(state, (0, HIT), (1, STAY), (2, STAY), (0, HIT), (0, HIT))
    for reshuffle in range(1, 11):
        play(state, (0, HIT))
        assert state.reshuffles == reshuffle
        assert state.number == 1
    assert (len(state.pile), len(state.discard)) == (0, 1)
    state.faq = False  # an opening deal of the next round is not the point here
    play(state, (0, HIT))
    assert state.number == 2
    assert state.scores() == [6, 2, 4]
    assert state.reshuffles == 0
    play(state, (1, HIT))
    assert state.reshuffles == 1, "a new round may reshuffle again"


def test_when_both_piles_are_empty_threes_are_discarded_without_effect_and_nobody_busts(laid: Laid) -> None:
    state = laid("5 6 T T S")
    play(state, (0, HIT), (1, HIT), (2, HIT), (2, 0))
    assert state.number == 2
    assert state.scores() == [5, 6, 0]
    assert names(state.discard) == ["5", "6", "S", "T", "T"]
    assert state.threes == []


def test_a_hit_with_both_piles_empty_ends_the_round_for_all(laid: Laid) -> None:
    state = laid("5 6 7")
    play(state, (0, HIT), (1, HIT), (2, HIT), (0, HIT))
    assert (state.number, state.scores()) == (2, [5, 6, 7])


def test_after_300_rounds_the_match_ends_with_the_totals_as_they_are() -> None:
    state = GAME.start(4, {"target_score": 10_000})
    decisions = 0
    while state.result() is None:
        [seat] = state.pending()
        state.play({seat: STAY})
        decisions += 1
    result = state.result()
    assert result is not None
    assert decisions == 300 * 4
    assert (result.reason, result.ranks, result.scores) == ("round_limit", (1, 1, 1, 1), (0, 0, 0, 0))


def test_a_match_won_in_round_300_is_finished(laid: Laid) -> None:
    state = laid("5", target_score=5)
    state.number = 300
    play(state, (0, HIT), (1, STAY), (2, STAY), (0, STAY))
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks) == ("finished", (1, 2, 2))


def test_a_shared_lead_in_round_300_ends_by_the_limit_with_shared_ranks(laid: Laid) -> None:
    state = laid("5 5 4", target_score=5)
    state.number = 300
    play(state, (0, HIT), (1, HIT), (2, HIT), (0, STAY), (1, STAY), (2, STAY))
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks, result.scores) == ("round_limit", (1, 1, 3), (5, 5, 4))
