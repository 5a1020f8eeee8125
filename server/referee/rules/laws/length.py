"""The law about the length of a match, and the players that try to break it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.rules.chance import Extreme
from referee.rules.game import Seat, State
from referee.rules.laws.cases import Case, Trial
from referee.rules.playout import Chooser, fallback_chooser, first_chooser, last_chooser

CANDIDATES = 6
"""How many moves of a list the players below compare."""
SHORT = 60
"""A bound up to which whole matches are played out to see which move makes them longest."""


def matches_end_within_their_bound(trial: Trial) -> None:
    """With any answers of the bots and any outcomes of chance, a match takes at most `bound` decisions."""
    for case in trial.settings:
        for choosers in _tables(case):
            for chance in (None, Extreme(), Extreme(most=True)):
                for _ in trial.walk(case, choosers, chance):
                    pass


def _tables(case: Case) -> list[Sequence[Chooser]]:
    """Who plays: random players, players of one habit, and players who want the match to last."""
    seats = range(case.players)
    one_habit = [first_chooser, last_chooser, fallback_chooser, stalling_chooser]
    tables: list[Sequence[Chooser]] = [case.randoms(), *([habit] * case.players for habit in one_habit)]
    tables.append([first_chooser if seat % 2 else last_chooser for seat in seats])
    if case.game.bound(case.players, case.options) <= SHORT:
        tables.append([longest_chooser] * case.players)
    return tables


def stalling_chooser(state: State[Any], seat: Seat) -> Any:
    """The move after which the match goes on, with as little gained as can be."""

    def progress(move: Any) -> tuple[bool, int, int]:
        twin = _after(state, seat, move)
        scores = twin.scores()
        return twin.result() is not None, max(scores), sum(scores)

    return min(_candidates(state, seat), key=progress)


def longest_chooser(state: State[Any], seat: Seat) -> Any:
    """The move after which the match lasts longest, if from there on all make first moves, or last, or fallbacks."""
    habits = (first_chooser, last_chooser, fallback_chooser)

    def lasts(move: Any) -> int:
        return max(_length(_after(state, seat, move), habit) for habit in habits)

    return max(_candidates(state, seat), key=lasts)


def _candidates(state: State[Any], seat: Seat) -> Sequence[Any]:
    """Some of the legal moves, spread over the whole list, its first and last among them."""
    moves = state.legal(seat).moves
    if len(moves) <= CANDIDATES:
        return moves
    return [moves[place * (len(moves) - 1) // (CANDIDATES - 1)] for place in range(CANDIDATES)]


def _after(state: State[Any], seat: Seat, move: Any) -> State[Any]:
    """The match after a move, all others asked playing their fallback."""
    twin = state.copy()
    twin.play({other: move if other == seat else twin.fallback(other) for other in twin.pending()})
    return twin


def _length(state: State[Any], chooser: Chooser) -> int:
    length = 0
    while length < 2 * SHORT and (asked := state.pending()):
        state.play({seat: chooser(state, seat) for seat in asked})
        length += 1
    return length
