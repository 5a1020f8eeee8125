"""The house bot `mixed` of STOP me GO: legal, the same every time, unpredictable in the right measure, and strong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import GAME
from referee.games.stop_me_go.moves import Move
from referee.rules.game import State

from . import house
from .house import Bot, Work, load

INFO = arena.Match("m", "stop_me_go", 0, ("a", "b"))
ask = partial(house.ask, INFO)
ROUNDS = range(1, 201)
MIXED = load("mixed")
PATIENT = load("patient")


def match(players: int, seed: int, bots: Sequence[Bot | None], options: dict[str, Any] | None = None) -> State[Move]:
    """A match to its end; None is an agent who chooses by chance."""
    dice = Random(seed)
    state = GAME.start(players, options, seed=b"%d" % seed)
    while asked := state.pending():
        moves = {}
        for seat in asked:
            bot = bots[seat]
            moves[seat] = dice.choice(state.legal(seat).moves) if bot is None else ask(bot, state, seat)
        state.play(moves)
    return state


def positions(players: int, seed: int, boldness: float) -> Iterator[State[Move]]:
    """Every state of one match of agents who stop now and then."""
    dice = Random(seed)
    state = GAME.start(players, seed=b"%d" % seed)
    while asked := state.pending():
        yield state
        state.play({seat: state.legal(seat).moves[-1 if dice.random() < boldness else 0] for seat in asked})


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0.0, 0.05, 0.3, 0.6]))
def test_it_answers_legally_and_always_the_same(players: int, seed: int, boldness: float) -> None:
    again = load("mixed")  # a bot that remembers nothing of what the other was asked
    for number, state in enumerate(positions(players, seed, boldness)):
        if number > 80:
            break
        seat = number % players
        assert ask(MIXED.decide, state, seat) == ask(again.decide, state, seat)


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 6), st.integers(0, 10**6), st.sampled_from([0.05, 0.3, 0.6]))
def test_a_stop_is_always_believed_to_be_somewhere(players: int, seed: int, boldness: float) -> None:
    for number, state in enumerate(positions(players, seed, boldness)):
        view = state.view(0)
        assert isinstance(view, pb.View)
        scene = MIXED.scene_of(view)
        assert scene.line == tuple(view.table[:-1])
        assert 0 <= MIXED.wins(scene) <= 1 + 1e-9
        for other in scene.others:
            assert len(other.line) == len(scene.line)
            assert min((*other.line, other.hand)) >= 0
            assert sum(other.line) + other.hand == pytest.approx(1)
        if number > 80:
            break


def test_a_stop_turned_up_is_known_to_be_back_in_hand() -> None:
    agents = MIXED.whereabouts(3, (10, 2, 3, 4), ((0, 1),))
    assert agents[0] == agents[1] == ((0.0, 0.0, 0.0), 1.0)
    assert agents[2].hand < 1


def boldness(players: int, *line: int) -> float:
    """How likely it stops the last of a line that nobody was arrested from."""
    probability: float = MIXED.boldness(MIXED.scene_at(players, line, (), 0))
    return probability


def test_it_is_the_bolder_the_bigger_the_gangster() -> None:
    bold = [boldness(4, gangster) for gangster in range(2, 11)]
    assert all(smaller <= bigger for smaller, bigger in pairwise(bold))
    assert bold[0] + 0.2 < bold[-1] < 0.7


def test_it_wants_the_one_rather_beside_the_ten() -> None:
    assert boldness(4, 10, 1) > boldness(4, 9, 1) + 0.1


def test_it_stops_as_often_as_it_means_to() -> None:
    view = GAME.start(4, seed=b"one").view(0)
    assert isinstance(view, pb.View)
    thrown = []
    for view.round in ROUNDS:
        thrown.append(MIXED.decide(arena.Decision(INFO, 0, ["go", "stop"], view)) == "stop")
    meant = MIXED.boldness(MIXED.scene_of(view))
    assert 0.1 < meant < 0.9
    assert sum(thrown) / len(thrown) == pytest.approx(meant, abs=0.1)


def test_a_late_question_of_a_long_round_takes_no_more_work_than_there_is_time_for() -> None:
    dice = Random(3)
    state = GAME.start(6, seed=b"long")
    for _ in range(44):
        together = "stop" if dice.random() < 0.3 else "go"
        can = [seat for seat in (0, 1) if together in state.legal(seat).moves]
        both = together if len(can) == 2 else "go"
        state.play({seat: state.parse(both if seat < 2 else "go") for seat in state.pending()})
    assert state.pending()
    assert "stop" in state.legal(3).moves
    work = Work(load("mixed").decide)  # it remembers nothing of the round
    ask(work, state, 3)
    assert max(work.lines) < 100_000


def firsts(seating: str, matches: int) -> float:
    """The share of first places of the seats marked `m`, against patient ones `p` or chance `-`; seats rotate."""
    bots: dict[str, Bot | None] = {"m": MIXED.decide, "p": PATIENT.decide, "-": None}
    won = 0.0
    for number in range(matches):
        turn = number % len(seating)
        seats = seating[turn:] + seating[:turn]
        result = match(len(seats), number, [bots[seat] for seat in seats]).result()
        assert result is not None
        first = [seats[seat] for seat, rank in enumerate(result.ranks) if rank == 1]
        won += first.count("m") / len(first)
    return won / matches


def test_it_beats_the_patient_one_between_two() -> None:
    assert firsts("mp", 200) > 0.68


def test_it_beats_the_patient_one_at_a_table_of_four() -> None:
    assert firsts("mpmp", 240) > 0.53
    assert firsts("mppp", 400) > 0.27


def test_it_beats_players_who_choose_by_chance() -> None:
    assert firsts("m---", 200) > 0.38


def test_other_values_of_tokens_do_not_disturb_it() -> None:
    state = match(3, 5, [MIXED.decide] * 3, {"tokens": [99] * 10})
    assert state.result() is not None
