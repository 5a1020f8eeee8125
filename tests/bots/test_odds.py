"""The house bot `odds` of Flip 7: legal, the same every time, right about the cards and the race, and strong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.games.flip7.v1 import flip7_pb2 as flip7
from referee.games.flip7 import GAME
from referee.games.flip7.cards import points
from referee.rules.game import State

from . import house
from .house import Bot, Work, load

INFO = arena.Match("m", "flip7", 0, ("a", "b", "c"))
ask = partial(house.ask, INFO)
S, T, SC, X2 = (
    flip7.SPECIAL_CARD_STOP,
    flip7.SPECIAL_CARD_THREE,
    flip7.SPECIAL_CARD_SECOND_CHANCE,
    flip7.SPECIAL_CARD_X2,
)
ODDS = load("odds")
CAUTIOUS = load("cautious")


def positions(players: int, seed: int, options: dict[str, Any], hits: float) -> Iterator[State[Any]]:
    """Every state of one match of players who hit with a probability and name anybody."""
    dice = Random(seed)
    state = GAME.start(players, options, seed=b"%d" % seed)
    while asked := state.pending():
        yield state
        moves = state.legal(asked[0]).moves
        if "hit" in [state.format(move) for move in moves]:
            move = moves[0] if dice.random() < hits else moves[-1]
        else:
            move = dice.choice(moves)
        state.play({asked[0]: move})


def seen(state: State[Any]) -> flip7.View:
    view = state.view(state.pending()[0])
    assert isinstance(view, flip7.View)
    return view


def table(*hands: Sequence[int], totals: Sequence[int] = (), out: Sequence[int] = ()) -> flip7.View:
    """Seat 0 is to hit or stay; the players in `out` have stayed."""
    pile = list(ODDS.DECK)
    players = []
    for seat, hand in enumerate(hands):
        for card in hand:
            pile[card] -= 1
        status = flip7.STATUS_STAYED if seat in out else flip7.STATUS_IN
        players.append(flip7.Player(status=status, points=points(hand), cards=hand))
    return flip7.View(
        seat=0,
        asked=[0],
        scores=totals or [0] * len(hands),
        turn=0,
        round=3,
        players=players,
        pile_counts=pile,
        pile_size=sum(pile),
        question=flip7.QUESTION_TURN,
        rules=flip7.RULES_PRINTED,
        target_score=200,
    )


def choice(view: flip7.View) -> str:
    answer: str = ODDS.decide(arena.Decision(INFO, 0, ["hit", "stay"], view))
    return answer


def target(view: flip7.View, card: int, targets: Sequence[int]) -> int:
    """Whom it names for a special."""
    view.question = flip7.QUESTION_TARGET
    view.card = card
    view.pile_counts[card] -= 1
    view.pile_size -= 1
    view.targets.extend(targets)
    answer = ODDS.decide(arena.Decision(INFO, 0, [f"target {seat}" for seat in targets], view))
    return int(answer.removeprefix("target "))


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from([3, 4, 5, 8, 18, 19]),
    st.integers(0, 10**6),
    st.sampled_from([{}, {"rules": "faq"}, {"target_score": 1}, {"target_score": 10000}]),
    st.sampled_from([0.6, 0.8, 0.95]),
)
def test_it_answers_legally_and_always_the_same(players: int, seed: int, options: dict[str, Any], hits: float) -> None:
    again = load("odds")
    for number, state in enumerate(positions(players, seed, options, hits)):
        if number > 100:
            break
        (seat,) = state.pending()
        if number % 8 == 0 or seen(state).question == flip7.QUESTION_TARGET:
            assert ask(ODDS.decide, state, seat) == ask(again.decide, state, seat)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([3, 6, 20]), st.integers(0, 10**6), st.sampled_from(["printed", "faq"]))
def test_it_knows_what_was_discarded(players: int, seed: int, rules: str) -> None:
    for number, state in enumerate(positions(players, seed, {"rules": rules}, 0.8)):
        view = seen(state)
        counts = ODDS.discarded(view)
        assert min(counts) >= 0
        assert sum(counts) == view.discard_size
        if number > 150:
            break


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(0, 12), max_size=7), st.sets(st.sampled_from([13, 14, 17, X2, SC])))
def test_a_hand_is_worth_what_the_rules_say(numbers: set[int], more: set[int]) -> None:
    cards = [*sorted(numbers), *sorted(more)]
    assert ODDS.hand_of(flip7.Player(cards=cards)).points == points(cards)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 240), min_size=3, max_size=6),
    st.integers(1, 60),
    st.lists(st.integers(0, 12), unique=True, max_size=5),
)
def test_more_points_are_never_worth_less(totals: list[int], points: int, hand: list[int]) -> None:
    view = table(*([hand] + [[9, 11]] * (len(totals) - 1)), totals=totals)
    race = ODDS.Race(view, ODDS.forecasts(view))
    assert -1e-9 <= race.worth(points - 1) <= race.worth(points) + 1e-9 <= 1 + 2e-9


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 12), unique=True, max_size=6), st.booleans(), st.sampled_from([0, 3]))
def test_a_forecast_is_made_of_odds(numbers: list[int], chance: bool, forced: int) -> None:
    hand = ODDS.hand_of(flip7.Player(cards=[*numbers, SC] if chance else numbers))
    forecast = ODDS.outlook(hand, ODDS.DECK, 200, forced)
    assert sum(odds for odds, _ in forecast) == pytest.approx(1)
    assert all(odds >= 0 and score >= 0 for odds, score in forecast)


def test_with_nothing_to_lose_it_hits() -> None:
    assert choice(table([], [12], [12])) == "hit"
    assert choice(table([0], [12], [12])) == "hit"


def test_far_from_the_line_it_keeps_a_good_hand() -> None:
    assert choice(table([12, 11, 10], [5], [6])) == "stay"
    assert choice(table([3, 2], [5], [6])) == "hit"


def test_it_stays_when_that_wins_the_match() -> None:
    assert choice(table([2, 3, 4], [12, 9], [11], totals=[195, 120, 130], out=[1, 2])) == "stay"


def test_it_hits_when_staying_loses_the_match() -> None:
    level = table([12, 11], [12, 8], [11], totals=[178, 170, 130], out=[1, 2])
    losing = table([12, 11], [12, 8], [11], totals=[178, 190, 130], out=[1, 2])
    assert (choice(level), choice(losing)) == ("stay", "hit")


def test_it_keeps_the_second_place_when_the_first_is_out_of_reach() -> None:
    assert choice(table([12, 11, 10], [12, 10, 4], [11], totals=[110, 199, 130], out=[1, 2])) == "stay"


def test_a_stop_goes_to_the_rival_who_still_hopes_rather_than_to_the_one_who_is_done() -> None:
    assert target(table([5], [3], [12, 11, 10], totals=[100, 150, 120]), S, [0, 1, 2]) == 1


def test_a_three_goes_to_the_rival_who_has_most_to_lose() -> None:
    assert target(table([5, 9], [3], [12, 11, 10], totals=[100, 120, 130]), T, [0, 1, 2]) == 2


def test_a_three_does_not_go_to_who_is_protected() -> None:
    assert target(table([5, 9], [12, 11, 9], [12, 11, 10, SC], totals=[100, 120, 120]), T, [0, 1, 2]) == 1


def test_a_second_chance_goes_to_the_rival_who_is_no_danger() -> None:
    assert target(table([5, SC], [3, 9], [3, 8], totals=[100, 190, 10]), SC, [1, 2]) == 2


def test_the_largest_table_takes_no_more_work_than_there_is_time_for() -> None:
    work = Work(ODDS.decide)
    for state in islice(positions(36, 4, {}, 0.9), 152):
        (seat,) = state.pending()
        ask(work, state, seat)
    assert max(work.lines) < 250_000


def firsts(seating: str, matches: int, **options: Any) -> float:
    """The share of first places of the seats marked `o`, against cautious ones `c` or chance `-`; seats rotate."""
    bots: dict[str, Bot] = {"o": ODDS.decide, "c": CAUTIOUS.decide}
    won = 0.0
    for number in range(matches):
        turn = number % len(seating)
        seats = seating[turn:] + seating[:turn]
        dice = Random(number)
        state = GAME.start(len(seats), options, seed=b"%d" % number)
        while asked := state.pending():
            (seat,) = asked
            bot = bots.get(seats[seat])
            move = ask(bot, state, seat) if bot else dice.choice(state.legal(seat).moves)
            state.play({seat: move})
        result = state.result()
        assert result is not None
        first = [seats[seat] for seat, rank in enumerate(result.ranks) if rank == 1]
        won += first.count("o") / len(first)
    return won / matches


def test_it_beats_the_cautious_one() -> None:
    assert firsts("ococ", 100) > 0.54


def test_it_beats_the_cautious_one_under_the_later_answers() -> None:
    assert firsts("ococ", 60, rules="faq") > 0.52


def test_it_beats_players_who_choose_by_chance() -> None:
    assert firsts("o---", 20) > 0.9
