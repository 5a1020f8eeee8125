"""The redeal agrees with all that was seen: bids, shuffled decks, windows that opened and windows that did not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop import GAME
from referee.games.stop.cards import FOUR, NUMBERS, PLUS, SIZES, THREE, TWO, covers, spread
from referee.games.stop.game import Stop
from referee.games.stop.memory import moments
from referee.games.stop.position import CALLS, OPENING, PLAYS, SEATS
from referee.games.stop.state import StopState
from referee.rules.chance import Chance, Seeded
from referee.rules.laws.cases import Case, LawBroken, Trial
from referee.rules.laws.memory import redealt_agrees_with_all_that_was_seen

Deal = Callable[..., StopState]
Act = Callable[..., None]


def redeals(state: StopState, seat: int | None, count: int = 200) -> Iterator[StopState]:
    for number in range(count):
        yield state.redealt(seat, Seeded(b"%d" % number))


class ForgetfulState(StopState):
    """A redeal that respects the present view alone: hands are drawn from all that a seat owns."""

    __slots__ = ()

    def redealt(self, seat: int | None, chance: Chance) -> Self:
        while True:
            twin = self.copy()
            for other, hand in enumerate(self.hands):
                if other != seat:
                    twin.hands[other] = sum(chance.order("redeal", spread(self.owned[other]))[: SIZES[hand]])
                twin.decks[other] = chance.order("redeal", spread(self.owned[other] - twin.hands[other]))
            twin.able = sum(1 << other for other, hand in enumerate(twin.hands) if hand & NUMBERS)
            if self.phase == CALLS:
                twin.asked = SEATS[twin.able & ~(1 << self.red)]
            elif self.phase == PLAYS:
                twin.asked = twin.auction.able(twin.hands)
            opens = self.phase != OPENING or twin.able >> self.red & 1
            if opens and bool(twin.asked) == bool(self.asked):
                twin.chance = chance.copy()
                return twin


class Forgetful(Stop):
    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> StopState:
        return ForgetfulState(players, chance)


class EverySeed(Trial):
    """A trial that looks at every seed where a law is content with one."""

    @property
    def settings(self) -> list[Case]:
        return self.cases


def test_the_law_of_what_was_seen_holds_for_this_game_without_exception() -> None:
    assert GAME.redealt_forgets == ""
    redealt_agrees_with_all_that_was_seen(EverySeed(GAME, 3, [3, 4]))


def test_the_law_catches_a_redeal_that_forgets_an_auction() -> None:
    with pytest.raises(LawBroken, match=r"redealt\(\w+\) forgets what was seen"):
        redealt_agrees_with_all_that_was_seen(EverySeed(Forgetful(), 3, [3, 4]))


@given(st.integers(3, 6), st.binary(max_size=3), st.integers(1, 120))
@settings(max_examples=15, deadline=None)
def test_every_moment_of_the_rewritten_past_agrees_with_what_the_table_saw(
    players: int, seed: bytes, decisions: int
) -> None:
    chance = Seeded(b"moves " + seed)
    state = GAME.new(players, {}, Seeded(seed))
    for _ in range(decisions):
        if not (asked := state.pending()):
            break
        state.play({seat: chance.pick("move", state.legal(seat).moves) for seat in asked})
    for seat in (None, *range(players)):
        twin = state.redealt(seat, Seeded(b"once" + seed))
        again = twin.redealt(seat, Seeded(b"twice" + seed))
        for other in (state, twin, again):
            history = moments(other.log, other.owned, bool(other.asked))
            assert [moment.holds() for moment in history] == [True] * len(history)
            assert history[-1].hands == other.hands
            for moment in history:
                assert all(map(covers, moment.owned, moment.hands)), "a hand holds what its owner did not have then"
            if seat is not None:
                assert [moment.hands[seat] for moment in history] == [
                    moment.hands[seat] for moment in moments(state.log, state.owned, bool(state.asked))
                ]


def test_every_hand_that_is_possible_is_dealt(deal: Deal) -> None:
    state = deal("2 2", "2", "2")
    assert {twin.hands[1] for twin in redeals(state, 0)} == {TWO, THREE, FOUR, PLUS}
    assert {twin.hands[1] for twin in redeals(state, 1)} == {TWO}


def test_a_window_asked_a_seat_so_one_of_them_could_call_and_still_can(deal: Deal, act: Act) -> None:
    state = deal("2 2 2", "2", "+1")
    act(state)
    assert (state.turn, state.pending()) == (2, (1,))
    for twin in redeals(state, None):
        assert twin.hands[1] & NUMBERS or twin.hands[2] & NUMBERS


def test_no_window_opened_so_the_others_held_nothing_but_plus_ones(deal: Deal, act: Act) -> None:
    state = deal("2 2", "+1 2", "+1")
    assert (state.turn, state.pending()) == (2, (1,)), "the second card of the red token brought no window"
    for twin in redeals(state, 0):
        assert twin.hands[1] >= PLUS, "one of his two cards is the +1 he held then"
        assert twin.hands[2] == PLUS


def test_a_player_who_could_not_play_when_the_auction_ended_has_no_such_card(deal: Deal, act: Act) -> None:
    """A bid of two 4s is out of reach of hands of two cards, except with two 4s, or with 4s and +1s on that bid."""
    state = deal("2 2", "4 4", "2 2")
    act(state)
    act(state, s1="stop")
    act(state, s1="bid 4 4")
    assert (state.auctions, state.pending()) == (0, (1,)), "no hand could play, and the winner shares"
    for twin in redeals(state, None):
        assert twin.hands[2] & (255 * FOUR + 255 * PLUS) == 0
        assert not twin.auction.able(twin.hands)
