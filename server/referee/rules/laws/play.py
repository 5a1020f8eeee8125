"""The laws about a match as a whole: it repeats, it ends, it counts right and loses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from google.protobuf.message import Message

from referee.rules.chance import Extreme
from referee.rules.game import Result, ranks
from referee.rules.laws.cases import Case, Trial, sight
from referee.rules.laws.watched_chance import Watched
from referee.rules.playout import Chooser, fallback_chooser, first_chooser, last_chooser, playout
from referee.rules.record import Record, replayed


def the_same_seed_and_moves_give_the_same_record(trial: Trial) -> None:
    """A match played again with the same seed and answers, or replayed from its record, has the same bytes."""
    for case in trial.cases:
        trial.at(case)
        first, again = (_record(case) for _ in range(2))
        if first.to_bytes() != again.to_bytes():
            number = next((i for i, (a, b) in enumerate(zip(first.moves, again.moves, strict=False)) if a != b), 0)
            trial.at(case, number)
            raise trial.broken("the same seed and answers gave another match")
        if replayed(case.game, Record.from_bytes(first.to_bytes())).to_bytes() != first.to_bytes():
            raise trial.broken("replaying the record gave another result")


def matches_end_within_their_bound(trial: Trial) -> None:
    """Whatever the bots answer and whatever chance brings, a match takes at most `bound` decisions."""
    for case in trial.settings:
        players: list[list[Chooser]] = [case.randoms()]
        players += [[chooser] * case.players for chooser in (first_chooser, last_chooser, fallback_chooser)]
        for choosers in players:
            for chance in (None, Extreme(), Extreme(most=True)):
                for _ in trial.walk(case, choosers, chance):
                    pass


def results_are_well_formed(trial: Trial) -> None:
    """A rank is 1 + the number of seats strictly better; scores are one whole number per seat, at any moment."""
    for case in trial.cases:
        for state in trial.moments(case):
            scores = state.scores()
            if len(scores) != case.players or not all(type(score) is int for score in scores):
                raise trial.broken(f"scores() is {scores!r} for {case.players} seats")
            result = state.result()
            if result is None:
                continue
            if not isinstance(result, Result) or state.result() != result:
                raise trial.broken(f"result() is {result!r} and then {state.result()!r}")
            if len(result.ranks) != case.players or result.ranks != ranks(-rank for rank in result.ranks):
                raise trial.broken(f"ranks {result.ranks} are not 1 + the number of seats strictly better")
            if result.scores != tuple(scores):
                raise trial.broken(f"the result's scores {result.scores} are not the final scores {scores}")
            if not re.fullmatch(r"[a-z][a-z0-9_]*", result.reason):
                raise trial.broken(f"the reason {result.reason!r} is not a lower_snake_case word")


def copies_are_independent(trial: Trial) -> None:
    """A copy has the same future; what happens to one does not touch the other."""
    for case in trial.cases:
        for state in islice(trial.moments(case, dense=2), 5):
            before = sight(state)
            one, two = state.copy(), state.copy()
            for this, that in zip(_future(case, one), _future(case, two), strict=True):
                if this != that:
                    raise trial.broken("two copies with the same answers went different ways")
            if sight(state) != before:
                raise trial.broken("playing on a copy changed the match it was copied from")


def pieces_are_conserved(trial: Trial) -> None:
    """No card, die or token is lost or doubled at any moment."""
    for case in trial.cases:
        pieces: Mapping[str, int] | None = None
        for state in trial.moments(case, dense=64):
            now = dict(state.pieces())
            if pieces is None:
                pieces = now
            if now != pieces or any(count < 0 for count in now.values()):
                changed = {name: (pieces.get(name), now.get(name)) for name in {*pieces, *now}}
                raise trial.broken(f"pieces (at first, now): { {k: v for k, v in changed.items() if v[0] != v[1]} }")


def chance_is_drawn_under_declared_labels(trial: Trial) -> None:
    """Every draw uses a label of `labels`, in the way its kind says."""
    for case in trial.cases:
        watched = Watched(case.game.labels, case.seed_bytes)
        for _ in trial.walk(case, chance=watched):
            if watched.strange:
                raise trial.broken(watched.strange[0])


def views_are_messages(trial: Trial) -> None:
    """A view is a protobuf message of one type for everybody, equal when asked for twice, and the same on the wire."""
    for case in trial.cases:
        for state in trial.moments(case, dense=4):
            views = [state.view(seat) for seat in case.seats]
            if not all(isinstance(view, Message) and type(view) is type(views[0]) for view in views):
                raise trial.broken(f"views are of types {sorted({type(view).__name__ for view in views})}")
            written = [view.SerializeToString(deterministic=True) for view in views]
            if written != [state.view(seat).SerializeToString(deterministic=True) for seat in case.seats]:
                raise trial.broken("a view is another one when asked for again")
            if written != [state.view_bytes(seat) for seat in case.seats]:
                raise trial.broken("view_bytes is not what the message of the view writes")


def _record(case: Case) -> Record:
    return playout(case.game, case.players, case.options, case.seed_bytes, case.randoms()).record


def _future(case: Case, state: Any, most: int = 24) -> Iterator[Any]:
    """How a match goes on, seen by everybody, with random answers; plays on the state it is given."""
    choosers = case.randoms(b"future")
    for _ in range(most):
        asked = state.pending()
        if not asked:
            return
        state.play({seat: choosers[seat](state, seat) for seat in asked})
        yield sight(state)
