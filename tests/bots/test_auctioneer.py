"""The house bot `auctioneer` of STOP!: legal, the same every time, exact about hands, sensible, and strong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from random import Random
from statistics import mean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.games.stop.v1 import stop_pb2 as stop
from referee.games.stop import GAME
from referee.rules.game import State

from . import house
from .house import Bot, Work, load

INFO = arena.Match("m", "stop", 0, ("a", "b", "c"))
ask = partial(house.ask, INFO)
DECK = [2] * 9 + [3] * 6 + [4] * 3 + [1] * 3
AUCTIONEER = load("auctioneer")
FRUGAL = load("frugal")


def play(bots: Sequence[Bot], seed: int) -> State[Any]:
    """A match to its end."""
    state = GAME.start(len(bots), {}, seed=b"%d" % seed)
    while asked := state.pending():
        state.play({seat: ask(bots[seat], state, seat) for seat in asked})
    return state


def positions(players: int, seed: int, calls: float) -> Iterator[State[Any]]:
    """Every state of one match of players who call with a probability and else do anything."""
    dice = Random(seed)
    state = GAME.start(players, {}, seed=b"%d" % seed)

    def answer(seat: int) -> Any:
        moves = state.legal(seat).moves
        if state.format(moves[0]) == "stop":
            return moves[0] if dice.random() < calls else moves[1]
        return dice.choice(moves)

    while asked := state.pending():
        yield state
        state.play({seat: answer(seat) for seat in asked})


def table(
    hand: Sequence[int],
    bids: dict[int, Sequence[int]],
    *,
    tokens: Sequence[int] = (0, 0, 0),
    hand_sizes: Sequence[int] = (6, 6, 6),
    question: Any = stop.QUESTION_PLAY,
) -> stop.View:
    """What seat 0 sees with this hand; everybody owns a deck as it was at the start."""
    shown = [
        stop.Bid(seat=seat, value=max(cards), total=sum(cards), cards=cards, laid_by=[seat] * len(cards))
        for seat, cards in sorted(bids.items())
    ]
    players = len(tokens)
    return stop.View(
        seat=0,
        asked=[0],
        scores=tokens,
        question=question,
        hand=sorted(hand),
        hand_sizes=hand_sizes,
        deck_sizes=[15] * players,
        twos=[9] * players,
        threes=[6] * players,
        fours=[3] * players,
        plus_ones=[3] * players,
        bids=shown,
        highest=max((bid.total for bid in shown), default=0),
    )


def choice(view: stop.View, *legal: str) -> str:
    answer: str = AUCTIONEER.decide(arena.Decision(INFO, 0, list(legal), view))
    return answer


@settings(max_examples=20, deadline=None)
@given(st.integers(3, 6), st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 1.0]))
def test_it_answers_legally_and_always_the_same(players: int, seed: int, calls: float) -> None:
    again = load("auctioneer")
    for number, state in enumerate(positions(players, seed, calls)):
        if number % 5 == seed % 5 or not state.legal(state.pending()[0]).complete:
            for seat in state.pending():
                assert ask(AUCTIONEER.decide, state, seat) == ask(again.decide, state, seat)


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_the_odds_of_hands_are_those_of_counting_them_all(size: int) -> None:
    counted = Counter(AUCTIONEER.heap(hand) for hand in combinations(DECK, size))
    odds = dict(AUCTIONEER.hands(AUCTIONEER.heap(DECK), size))
    assert odds == pytest.approx({hand: count / counted.total() for hand, count in counted.items()})


@pytest.mark.parametrize(("value", "best"), [(0, 13), (2, 8), (3, 12), (4, 13)])
def test_nobody_goes_further_than_the_best_hand_out_of_his_cards(value: int, best: int) -> None:
    odds = AUCTIONEER.below(AUCTIONEER.heap(DECK), 4, value)
    assert odds == sorted(odds)
    assert odds[best] < 1
    assert odds[best + 1] == pytest.approx(1)


def test_plus_ones_alone_are_no_bid_but_raise_one() -> None:
    assert AUCTIONEER.worth((0, 0, 0, 3), 0) == 0
    assert AUCTIONEER.worth((0, 0, 0, 3), 4) == 3
    assert AUCTIONEER.worth((4, 2, 0, 1), 0) == 9


def test_the_odds_to_win_and_to_tie_add_up() -> None:
    view = table([2, 3, 3, 3, 4, 1], {1: [3], 2: [2, 1]})
    seats = AUCTIONEER.Table(view)
    less = {seat: seats.less(seat, seats.totals, 3, 10) for seat in range(3)}
    wins = [seats.wins(seat, less) for seat in range(3)]
    assert all(0 < odds < 1 for odds in wins)
    assert sum(wins) < 1


def test_it_calls_with_a_strong_hand_and_not_with_a_weak_one() -> None:
    strong = table([3, 3, 3, 3, 1, 1], {}, question=stop.QUESTION_CALL)
    weak = table([2, 3, 4], {}, question=stop.QUESTION_CALL)
    assert choice(strong, "stop", "wait") == "stop"
    assert choice(weak, "stop", "wait") == "wait"


def test_the_same_hand_is_worth_a_call_while_the_others_hold_little() -> None:
    early = table([3, 3, 2], {}, hand_sizes=(3, 2, 2), question=stop.QUESTION_CALL)
    late = table([3, 3, 2], {}, hand_sizes=(3, 6, 6), question=stop.QUESTION_CALL)
    assert choice(early, "stop", "wait") == "stop"
    assert choice(late, "stop", "wait") == "wait"


def test_it_opens_with_one_card_of_its_strongest_value() -> None:
    view = table([2, 2, 3, 3, 3, 1], {}, question=stop.QUESTION_OPENING)
    assert choice(view, "bid 2", "bid 2 2", "bid 3", "bid 3 3", "bid 3 3 3", "bid 3 3 3 +1") == "bid 3"


def test_who_leads_alone_passes() -> None:
    assert choice(table([3, 3, 1], {0: [3, 1], 1: [3]}), "pass", "raise 0 3", "raise 0 +1") == "pass"


def test_it_goes_no_further_than_it_has_to() -> None:
    # Who draws level is asked again, and can still take the lead.
    level = table([3, 3, 3, 1], {0: [3], 1: [4]}, hand_sizes=(4, 1, 1))
    assert choice(level, "pass", "raise 0 +1", "raise 0 3", "raise 0 3 3", "raise 0 3 3 3 +1") == "raise 0 +1"
    lead = table([3, 3, 3], {0: [3, 1], 1: [4]}, hand_sizes=(3, 1, 1))
    assert choice(lead, "pass", "raise 0 3", "raise 0 3 3", "raise 0 3 3 3") == "raise 0 3"


def test_a_hopeless_bid_is_not_made_for_the_leader_to_collect() -> None:
    view = table([2, 2, 2], {1: [3, 3]}, hand_sizes=(3, 5, 5))
    assert choice(view, "pass", "bid 2 2 2") == "pass"


@pytest.mark.parametrize(("tokens", "spoils"), [((0, 0, 0), False), ((0, 4, 0), True)])
def test_cards_are_given_away_only_to_stop_a_player_who_would_win_the_match(
    tokens: Sequence[int], spoils: bool
) -> None:
    view = table([2], {1: [4, 4], 2: [2, 2, 2]}, tokens=tokens, hand_sizes=(1, 0, 0))
    assert (choice(view, "pass", "raise 2 2") == "raise 2 2") is spoils


def test_a_split_keeps_the_best_cards_and_names_each_once() -> None:
    view = table([2], {0: [4, 4, 1], 1: [2, 2, 2, 2]}, question=stop.QUESTION_SPLIT, tokens=(2, 0, 0))
    piles = dict(part.split(":") for part in choice(view, "share 0:2,2,2,2,4,4,+1").split()[1:])
    assert piles["0"].count("4") == 2
    assert sorted(",".join(piles.values()).split(",")) == ["+1", "2", "2", "2", "2", "4", "4"]


def test_a_player_with_hardly_any_cards_keeps_them_all() -> None:
    view = table([2], {0: [2, 2], 1: [2]}, question=stop.QUESTION_SPLIT)
    view.twos[0], view.threes[0], view.fours[0], view.plus_ones[0] = 1, 3, 0, 0
    assert choice(view, "share 0:2,2,2") == "share 0:2,2,2"


def test_a_decision_takes_little_work() -> None:
    work = Work(AUCTIONEER.decide)
    for seed in range(4):
        play([work] * 5, seed)
    assert mean(work.lines) < 5_000


@pytest.mark.parametrize(("players", "matches", "share"), [(4, 120, 0.65), (6, 40, 0.6)])
def test_it_wins_most_matches_with_frugal_on_every_other_seat(players: int, matches: int, share: float) -> None:
    won = 0
    for seed in range(matches):
        seats = [AUCTIONEER.decide, FRUGAL.decide] * 3
        bots = seats[seed % 2 :][:players]
        result = play(bots, seed).result()
        assert result is not None
        won += bots[result.ranks.index(1)] is AUCTIONEER.decide
    assert won > share * matches
