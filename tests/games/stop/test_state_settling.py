"""Settling an auction: tokens, splits, shared bids, and who shuffles what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.games.stop import GAME
from referee.games.stop.cards import names
from referee.games.stop.position import PLAYS, SPLIT
from referee.games.stop.state import StopState
from referee.rules.chance import Scripted, Seeded

Deal = Callable[..., StopState]
Act = Callable[..., None]


class Overheard(Scripted):
    """A scripted chance that remembers what was shuffled."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.shuffled: list[tuple[str, int]] = []

    def order(self, label: str, items: Any) -> list[Any]:
        self.shuffled.append((label, len(items)))
        return super().order(label, items)


def _settled(split: str, act: Act) -> tuple[StopState, list[tuple[str, int]]]:
    script = {"first": [0], "decks": [["2", "3"], ["2"], ["3"]]}
    chance = Overheard(script, GAME.labels, b"")
    state = GAME.new(3, {}, chance)
    act(state, s1="stop")
    act(state, s1="bid 2")
    act(state, s0="bid 2")
    act(state, s2="bid 3")
    act(state, s0="raise 2 3")
    assert state.phase == SPLIT
    chance.shuffled.clear()
    act(state, s2=split)
    return state, chance.shuffled


@pytest.mark.parametrize(
    ("split", "sizes"),
    [
        ("share 2:2,2,3,3", [24]),
        ("share 0:2 1:2 2:3,3", [20, 21, 22]),
        ("share 1:2,2,3,3", [24]),
        ("share 2:2 0:2,3,3", [22, 21]),
    ],
)
def test_only_who_receives_cards_shuffles_and_lower_seats_first(split: str, sizes: list[int], act: Act) -> None:
    _, shuffled = _settled(split, act)
    assert shuffled == [("reshuffle", size) for size in sizes]


def test_an_auction_brings_a_token_for_every_bid_and_ends_with_the_split(act: Act) -> None:
    state, _ = _settled("share 2:2,2,3,3", act)
    assert state.scores() == [0, 0, 3]
    assert state.auctions == 1
    assert state.auction.bidders() == []
    assert state.red == 1


def test_a_shared_bid_returns_the_piles_with_what_others_laid_there(deal: Deal, act: Act) -> None:
    state = deal("+1 2", "4", "3 +1")
    act(state)
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 4")
    act(state, s2="bid 3 +1")
    while state.phase == PLAYS:
        act(state)
    assert state.scores() == [0, 0, 0]
    assert [sum(map(int, names(state.owned[seat]))) for seat in range(3)] == [51, 51, 51]
    state = deal("+1 2 2", "4", "3 +1")
    act(state)
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 4")
    act(state, s2="bid 3 +1")
    act(state, s0="raise 1 +1")
    assert state.owned[0] >> 24 == 2
    while state.phase == PLAYS:
        act(state)
    assert state.scores() == [0, 2, 0]


def test_the_sixtieth_auction_ends_the_match_after_its_split(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3", reshuffle=[["2"]])
    state.auctions = 59
    act(state, s1="stop")
    act(state, s1="bid 4")
    assert state.result() is None, "the split is still to come"
    assert state.pending() == (1,)
    act(state)
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks, result.scores) == ("limit", (2, 1, 2), (0, 1, 0))


def test_the_sixtieth_auction_ends_the_match_when_it_is_shared(deal: Deal, act: Act) -> None:
    state = deal("4 3", "4", "3")
    state.auctions = 59
    act(state, s1="stop")
    act(state, s1="bid 4")
    act(state, s0="bid 4")
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks) == ("limit", (1, 1, 1))


def test_six_tokens_in_the_sixtieth_auction_win(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3")
    state.auctions = 59
    state.tokens = [5, 5, 0]
    act(state, s1="stop")
    act(state, s1="bid 4")
    result = state.result()
    assert result is not None
    assert (result.reason, result.ranks, result.scores) == ("tokens", (2, 1, 3), (5, 6, 0))
    assert state.auction.bidders() == [1], "nothing is split"


def test_five_tokens_do_not_win(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3")
    state.tokens = [0, 4, 0]
    act(state, s1="stop")
    act(state, s1="bid 4")
    assert state.result() is None
    assert state.scores() == [0, 5, 0]


def test_the_winner_ranks_first_and_eliminated_players_last_whatever_their_tokens(deal: Deal, act: Act) -> None:
    state = deal("2 3", "4", "3", "2")
    state.tokens = [1, 5, 2, 0]
    state.inside &= ~(1 << 2)
    state.eliminated = (2,)
    state.hands[2] = state.owned[2] = 0
    act(state, s1="stop")
    act(state, s1="bid 4")
    result = state.result()
    assert result is not None
    assert result.ranks == (2, 1, 4, 3)


@pytest.mark.parametrize(("hand", "opening"), [("3 2", "bid 2"), ("4 3", "bid 3"), ("+1 4", "bid 4")])
def test_the_fallback_opens_with_the_lowest_single_card(hand: str, opening: str, deal: Deal, act: Act) -> None:
    state = deal("2 2", hand, "2")
    act(state)
    act(state, s1="stop")
    assert state.format(state.fallback(1)) == opening


def test_the_fallback_splits_by_piles(deal: Deal, act: Act) -> None:
    state = deal("+1 2", "4", "3 +1")
    act(state)
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 4")
    assert state.format(state.fallback(0)) == "pass"
    act(state, s2="bid 3 +1")
    act(state, s0="raise 1 +1")
    while state.phase == PLAYS:
        act(state)
    assert state.format(state.fallback(1)) == "share 1:4,+1 2:3,+1"
    assert not state.legal(1).complete


def test_the_arbiter_prefers_no_seat() -> None:
    chosen = [0] * 4
    for number in range(200):
        state = GAME.new(4, {}, Seeded(b"%d" % number))
        asked = state.pending()
        if len(asked) == 3:
            state.play(dict.fromkeys(asked, state.parse("stop")))
            chosen[state.red] += 1
    assert min(chosen) > 20


def test_the_order_in_which_answers_are_given_makes_no_difference(deal: Deal) -> None:
    one, other = deal("2 2", "2", "2"), deal("2 2", "2", "2")
    stop = one.parse("stop")
    one.play({1: stop, 2: stop})
    other.play({2: stop, 1: stop})
    assert one.red == other.red
