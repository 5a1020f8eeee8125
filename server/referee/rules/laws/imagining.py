"""The laws about imagined matches: a match made from a view shows that view, plays on, and has the right odds.

They are for games that provide `imagine`; a game without it keeps them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from math import sqrt
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from referee.rules.chance import Seeded
from referee.rules.game import Seat, State
from referee.rules.imagining import imagines
from referee.rules.laws.cases import Case, Trial, fresh, seen
from referee.rules.laws.memory import Fact, collect, plain
from referee.rules.playout import random_chooser
from referee.rules.views import View, pack

SAMPLES = 100
"""So many imagined matches are compared with as many redeals."""
LATER = 4
"""What is hidden is looked at through the eyes of others now, and after so many decisions."""
OTHERS = 1
"""Through the eyes of so many other seats."""
SETTINGS = 3
"""The odds are compared for so many numbers of players or sets of options."""
SIGMAS = 6.0
"""Two shares that differ by more than so many standard deviations are not those of the same odds."""


def imagined_matches_show_the_view_they_are_made_from(trial: Trial) -> None:
    """A match made from a view shows that seat the same view and list, has all pieces, and shares nothing with it."""
    if not imagines(trial.game):
        return
    for case in trial.cases:
        for number, state in enumerate(trial.moments(case, dense=8)):
            for seat in {None, number % case.players, *state.pending()[:2]}:
                _compare_views(trial, case, state, seat, number)


def imagined_matches_play_on(trial: Trial) -> None:
    """A match made from a view is a match: it ends within the bound, and what it was made from stays as it was."""
    if not imagines(trial.game):
        return
    for case in trial.settings:
        bound = case.game.bound(case.players, case.options)
        for number, state in enumerate(islice(trial.moments(case, dense=2), 8)):
            seat = case.seats[number % len(case.seats)]
            view = state.view(seat)
            before = pack(view)
            twin = case.game.imagine(view, _chance(case, number, seat))
            pieces = dict(twin.pieces())
            choosers = case.randoms(b"imagined")
            for _ in range(bound + 1):
                asked = twin.pending()
                if not asked:
                    break
                twin.play({other: choosers[other](twin, other) for other in asked})
            if twin.result() is None:
                raise trial.broken(f"the match imagined for {_who(seat)} did not end within another {bound} decisions")
            if dict(twin.pieces()) != pieces:
                raise trial.broken(f"the match imagined for {_who(seat)} lost or doubled pieces on the way")
            if pack(view) != before or seen(state, seat) != before:
                raise trial.broken("playing an imagined match on changed the view it was made from, or the real match")


def imagined_odds_are_those_of_redeals(trial: Trial) -> None:
    """What a seat cannot know is as likely in matches made from its view as when it is dealt anew (after the seat's
    first decision only where `imagine_forgets` is empty)."""
    if not imagines(trial.game):
        return
    for case in trial.settings[:SETTINGS]:
        for number, seat, state in _places(trial, case):
            view = seen(state, seat)
            real = _shares(case, seat, lambda n: state.redealt(seat, fresh(case, 20_000 + n, seat)))  # noqa: B023
            made = _shares(case, seat, lambda n: case.game.imagine(view, _chance(case, n, seat)))  # noqa: B023
            trial.at(case, number)
            for fact in sorted(real.keys() | made.keys(), key=repr):
                share = (real[fact] + made[fact]) / (2 * SAMPLES)
                if abs(real[fact] - made[fact]) > SIGMAS * sqrt(2 * SAMPLES * share * (1 - share)):
                    raise trial.broken(
                        f"{_told(fact)} in {made[fact]} of {SAMPLES} matches imagined for {_who(seat)}, "
                        f"but in {real[fact]} of {SAMPLES} redeals"
                    )


def _compare_views(trial: Trial, case: Case, state: State[Any], seat: Seat | None, number: int) -> None:
    view = state.view(seat)
    written = seen(state, seat)
    for form, given in _forms(view, written, number):
        twin = case.game.imagine(given, _chance(case, number, seat))
        if seen(twin, seat) != written:
            where = _at(view, twin, seat)
            raise trial.broken(f"imagined from the {form} of {_who(seat)}, the match shows another view{where}")
        if twin.players != case.players or list(twin.scores()) != list(state.scores()):
            raise trial.broken(f"imagined for {_who(seat)}, the match has other players or scores")
        if twin.result() != state.result():
            raise trial.broken(f"imagined for {_who(seat)}, the match has another result")
        if dict(twin.pieces()) != dict(state.pieces()):
            raise trial.broken(f"imagined for {_who(seat)}, the match has other pieces")
        asked = [] if seat is None else [(one.legal(seat), seat in one.pending()) for one in (twin, state)]
        if asked and asked[0] != asked[1]:
            raise trial.broken(f"imagined for {_who(seat)}, the match asks the seat something else")


def _forms(view: View, written: bytes, number: int) -> Iterator[tuple[str, View | bytes]]:
    """The view as a bot may have it: as it is, now and then as bytes and as the dict that JSON lines carry."""
    yield "view", view
    if number % 4 == 0:
        yield "bytes of the view", written
        if isinstance(view, Message):
            yield "JSON of the view", json_format.MessageToDict(view, preserving_proto_field_name=True)


def _places(trial: Trial, case: Case) -> Iterator[tuple[int, Seat, State[Any]]]:
    """Moments at which a seat is asked: before its first decision, and once later if the view then tells as much."""
    wanted = [case.players % 3, 9 + case.players]
    decided: set[Seat] = set()
    asked_before = 0
    for number, state in enumerate(trial.walk(case)):
        for seat in state.pending():
            early = seat not in decided
            if (early and asked_before == wanted[0]) or (asked_before == wanted[1] and not trial.game.imagine_forgets):
                yield number, seat, state
            asked_before += early or bool(decided)
        decided.update(state.pending())
        if asked_before > max(wanted):
            return


def _shares(case: Case, seat: Seat, make: Callable[[int], State[Any]]) -> Counter[Fact]:
    """How often what holds in a number of matches: as some other seats see them now, and some decisions later."""
    others = [other for other in range(case.players) if other != seat][:OTHERS]
    found: Counter[Fact] = Counter()
    for number in range(SAMPLES):
        state = make(number)
        facts: set[Fact] = set()
        _look(state, others, 0, facts)
        choosers = [random_chooser(b"odds %d" % number, one) for one in range(case.players)]
        for _ in range(LATER):
            if not (asked := state.pending()):
                break
            state.play({one: choosers[one](state, one) for one in asked})
        _look(state, [*others, seat], LATER, facts)
        found.update(facts)
    return found


def _look(state: State[Any], seats: list[Seat], ahead: int, facts: set[Fact]) -> None:
    """What these seats see, value by value, but for the events: an imagined match remembers only one seat's."""
    for seat in seats:
        shown = plain(state.view(seat))
        shown.pop("events", None)
        collect(shown, (ahead, seat), (ahead, seat), facts)


def _told(fact: Fact) -> str:
    ahead, other, *path, value = fact
    place = "".join(f"[{part!r}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"{place} is {value!r} for seat {other}{f' {ahead} decisions later' if ahead else ''}"


def _at(view: View, twin: State[Any], seat: Seat | None) -> str:
    """The first place in which the views differ, for the message."""
    here, there = plain(view), plain(twin.view(seat))
    for key in sorted({*here, *there}):
        if here.get(key) != there.get(key):
            return f": {key!r} is {there.get(key)!r}, not {here.get(key)!r}"
    return ""


def _who(seat: Seat | None) -> str:
    return "the public" if seat is None else f"seat {seat}"


def _chance(case: Case, number: int, seat: Seat | None) -> Seeded:
    return Seeded(b"imagine %d %d of %b" % (number, -1 if seat is None else seat, case.seed_bytes))
