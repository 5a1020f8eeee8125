"""The laws about hidden information: hidden cards, outcomes still to come, sealed answers."""

from __future__ import annotations

from itertools import islice
from typing import Any

from referee.rules.game import Seat, State
from referee.rules.laws.cases import Case, Trial, fresh, seen, sight
from referee.rules.table import Table
from referee.rules.views import show

MOST_TRIED = 6
"""Moves at either end of each seat's list that all others offer too."""


def views_hide_what_a_seat_may_not_know(trial: Trial) -> None:
    """When only what a seat may not know is drawn anew, its view, its list, the answers to its moves and all that is
    public stay the same."""
    for case in trial.cases:
        for number, state in enumerate(trial.moments(case, dense=16)):
            pieces = dict(state.pieces())
            for seat in case.seats:
                twin = state.redealt(seat, fresh(case, number, seat))
                who = "the public" if seat is None else f"seat {seat}"
                if seen(twin, seat) != seen(state, seat):
                    raise trial.broken(f"the view of {who} shows what it may not know{_difference(state, twin, seat)}")
                if seat is not None:
                    if twin.legal(seat) != state.legal(seat):
                        raise trial.broken(f"the legal list of {who} depends on what it may not know")
                    if (seat in twin.pending()) != (seat in state.pending()):
                        raise trial.broken(f"whether {who} is asked depends on what it may not know")
                    for move in _tried(state, twin):
                        if twin.check(seat, move) != state.check(seat, move):
                            text = state.format(move)
                            raise trial.broken(
                                f"what {who} is told of the move {text!r} depends on what it may not know"
                            )
                if (twin.scores(), twin.result()) != (state.scores(), state.result()):
                    raise trial.broken("scores() or result(), which are public, depend on what is hidden")
                if dict(twin.pieces()) != pieces:
                    raise trial.broken(f"redealt({seat}) loses or doubles pieces")


def _tried(state: State[Any], twin: State[Any]) -> list[Any]:
    """Moves that a seat might try to learn something: those of all seats, as they are and as they might be."""
    found: dict[Any, None] = {}
    for one in (state, twin):
        for seat in one.pending():
            moves = one.legal(seat).moves
            found |= dict.fromkeys((*moves[:MOST_TRIED], *moves[-MOST_TRIED:]))
    return list(found)


def redealing_really_redeals(trial: Trial) -> None:
    """`redealt` draws anew what is hidden and to come (else the law of views proves nothing), and plays on well."""
    for case in trial.settings:
        if not _something_is_hidden(case):
            continue
        found: set[bool] = set()  # whether the public's (False) and some seat's (True) redeal made a difference
        for number, state in enumerate(trial.moments(case, dense=4)):
            if not state.pending() or len(found) == 2:
                break
            before = sight(state)
            future = _future(case, state.copy())
            for seat in case.seats:
                if (seat is not None) not in found:
                    twin = state.redealt(seat, fresh(case, number, seat))
                    if sight(twin) != before or _future(case, twin) != future:
                        found.add(seat is not None)
            if sight(state) != before:
                raise trial.broken("redealt changed the match it was called on")
        if False not in found:
            raise trial.broken("redealt(None) never changed anything, though matches that begin alike end differently")
        if True not in found:
            raise trial.broken("redealt(seat) never changed anything for any seat")


def redealt_matches_play_on(trial: Trial) -> None:
    """A match dealt anew in the middle is a match: it ends within the bound and keeps its pieces."""
    for case in trial.settings:
        bound = case.game.bound(case.players, case.options)
        for number, state in enumerate(islice(trial.moments(case, dense=2), 6)):
            twin = state.redealt(case.seats[number % len(case.seats)], fresh(case, number, None))
            pieces = dict(twin.pieces())
            choosers = case.randoms(b"redealt")
            for _ in range(bound + 1):
                asked = twin.pending()
                if not asked:
                    break
                twin.play({seat: choosers[seat](twin, seat) for seat in asked})
            if twin.result() is None:
                raise trial.broken(f"dealt anew, the match did not end within another {bound} decisions")
            if dict(twin.pieces()) != pieces:
                raise trial.broken("dealt anew, the match lost or doubled pieces on the way")


def sealed_answers_stay_sealed(trial: Trial) -> None:
    """Until all asked seats have answered nothing shows, and the order in which answers arrive makes no difference."""
    for case in trial.cases:
        table = Table(case.game, case.players, case.options, case.seed_bytes)
        choosers = case.randoms()
        bound = case.game.bound(case.players, case.options)
        for number in range(min(bound, 60)):
            trial.at(case, number)
            asked = table.pending()
            if not asked:
                break
            moves = {seat: choosers[seat](table.state, seat) for seat in asked}
            if len(asked) == 1:
                table.put(asked[0], moves[asked[0]])
                continue
            before = sight(table.state)
            later = table.state.copy()
            for place, seat in enumerate(asked, 1):
                if rejection := table.offer(seat, table.state.format(moves[seat])):
                    raise trial.broken(f"a listed move of seat {seat} is refused: {rejection.message}")
                if place < len(asked) and (sight(table.state) != before or seat in table.pending()):
                    raise trial.broken(f"the sealed answer of seat {seat} shows before all have answered")
            later.play({seat: moves[seat] for seat in reversed(asked)})
            if sight(later) != sight(table.state):
                raise trial.broken("answers given in another order led elsewhere")


def _future(case: Case, state: State[Any], most: int = 48) -> list[Any]:
    """What the public sees of the next decisions with random answers; plays on the state it is given."""
    choosers = case.randoms(b"future")
    shown: list[Any] = []
    while len(shown) < most and (asked := state.pending()):
        state.play({seat: choosers[seat](state, seat) for seat in asked})
        shown.append(seen(state, None))
    return shown


def _something_is_hidden(case: Case) -> bool:
    """Whether two matches begin alike in the eyes of the public and yet go on differently with the same answers."""
    beginnings: dict[bytes, list[Any]] = {}
    for seed in range(24):
        state = Case(case.game, case.players, case.options, case.seed + 1000 + seed).start()
        begin = seen(state, None)
        future = _future(case, state)
        if beginnings.setdefault(begin, future) != future:
            return True
    return False


def _difference(state: State[Any], twin: State[Any], seat: Seat | None) -> str:
    """The first lines in which two views differ, for the message."""
    here, there = show(state.view(seat)).splitlines(), show(twin.view(seat)).splitlines()
    lines = ((a.strip(), b.strip()) for a, b in zip(here, there, strict=False) if a != b)
    return "".join(f": {a!r} became {b!r}" for a, b in islice(lines, 1))
