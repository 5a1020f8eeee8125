"""The law about what a seat remembers: `redealt` keeps all that it has seen, also what its view no longer shows.

A seat knows more than its present view where something was shown earlier: a card that was turned up and taken into a
hand, a pile that was looked at. No view can tell a law what is known from before. So the law looks for other pasts. It
redeals an earlier moment and plays on, the other seats with any moves, and keeps the pasts in which the seat has seen
exactly what it saw in the real match. What is true in all of them, the seat knows. A redeal that makes it untrue most
of the time does not agree with what was seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import Message

from referee.rules.game import Seat, State
from referee.rules.laws.cases import Case, Trial, fresh, seen
from referee.rules.views import View

REDEALS = 24
"""So many redeals are compared with other pasts."""
TRIES = 150
"""Other pasts are tried so often; less often where hardly any looks the same."""
BACK = (1, 3)
"""How many decisions before the present the other pasts begin."""
PLACES = 36
"""The law is tried at so many places (a moment, in the eyes of one seat) of a match of one, fewer with more players."""
LONGEST = 48
"""They are among so many first decisions."""
ATTEMPTS = 3
"""How many moves of the others are tried for each decision of another past."""
OTHERS = 3
AHEAD = 2
"""What is hidden is looked at through the eyes of so many other seats, now and up to so many decisions later."""
ONCE_IN = 1e7
"""A fact is known to a seat when it would be true in so many pasts by mere luck only once in this many times."""

Fact = tuple[Any, ...]


class Step(NamedTuple):
    """One decision of the real match: the state it was made in, and the moves."""

    state: State[Any]
    moves: Mapping[Seat, Any]


def redealt_agrees_with_all_that_was_seen(trial: Trial) -> None:
    """What every past that looks the same to a seat has in common stays true when the rest is dealt anew (unless
    `redealt_forgets` says what does not)."""
    if trial.game.redealt_forgets:
        return
    for case in trial.settings:
        steps = _match(case)
        places = [(now, seat) for now in range(1, len(steps)) for seat in case.seats]
        for now, seat in places[:: max(1, len(places) * case.players // PLACES)]:
            trial.at(case, now)
            _compare(trial, case, steps, now, seat)


def _compare(trial: Trial, case: Case, steps: list[Step], now: int, seat: Seat | None) -> None:
    """Try the law at one moment, for one seat (None: the public)."""
    state = steps[now].state
    others = [other for other in range(case.players) if other != seat]
    others = [others[(now + place) % len(others)] for place in range(min(len(others), OTHERS))]
    redeals = [_facts(state.redealt(seat, fresh(case, 7000 + number, seat)), others) for number in range(REDEALS)]
    kept = {fact: sum(fact in facts for facts in redeals) for fact in _facts(state, others)}
    doubtful = {fact for fact, times in kept.items() if 2 * times <= REDEALS}
    for begin in sorted({max(0, now - back) for back in BACK}):
        known = doubtful
        for pasts, past in enumerate(_other_pasts(case, steps, begin, now, seat) if doubtful else (), 1):
            known = known & _facts(past, others)
            if not known:
                break
            fact = min(known, key=lambda fact: (kept[fact], repr(fact)))
            if ((kept[fact] + 3) / (REDEALS + 3)) ** pasts * ONCE_IN < 1:
                raise trial.broken(
                    f"redealt({seat}) forgets what was seen: in {pasts} other pasts that look the same "
                    f"{'to the public' if seat is None else f'to seat {seat}'} {_told(fact)}, "
                    f"but only in {kept[fact]} of {REDEALS} redeals"
                )


def _match(case: Case) -> list[Step]:
    """The first decisions of a random match."""
    choosers = case.randoms()
    state = case.start()
    steps: list[Step] = []
    while len(steps) < LONGEST and (asked := state.pending()):
        moves = {seat: choosers[seat](state, seat) for seat in asked}
        steps.append(Step(state.copy(), moves))
        state.play(moves)
    return steps


def _other_pasts(case: Case, steps: list[Step], begin: int, now: int, seat: Seat | None) -> Iterator[State[Any]]:
    """States as they could be now, for all that the seat has seen since the decision `begin`."""
    shown = [seen(step.state, seat) for step in steps[: now + 1]]
    asked = seat in steps[now].state.pending()
    found = 0
    for number in range(TRIES):
        if number >= 12 and 25 * found < number:
            return
        past = steps[begin].state.redealt(seat, fresh(case, 10_000 + 200 * now + number, seat))
        choosers = case.randoms(b"past %d" % number)
        for place in range(begin, now):
            further = _step(past, steps[place].moves, seat, choosers, shown[place + 1], number)
            if further is None:
                break
            past = further
        else:
            if (seat in past.pending()) == asked:
                found += 1
                yield past


def _step(
    past: State[Any], real: Mapping[Seat, Any], seat: Seat | None, choosers: Any, shown: bytes, number: int
) -> State[Any] | None:
    """One decision further, to a state that looks to the seat as the real one did; None if none is found.

    The seat itself does what it did. The others do what they did or something else: begin with either, in turn.
    """
    for attempt in range(ATTEMPTS):
        asked = past.pending()
        if seat in real and seat not in asked:
            return None
        as_it_was = (attempt + number) % 2 == 0 and tuple(sorted(real)) == asked
        moves = {
            other: real[other] if other in real and (as_it_was or other == seat) else choosers[other](past, other)
            for other in asked
        }
        if any(past.check(other, move) for other, move in moves.items()):
            continue
        twin = past.copy()
        twin.play(moves)
        if seen(twin, seat) == shown:
            return twin
    return None


def _facts(state: State[Any], others: Sequence[Seat]) -> set[Fact]:
    """What some other seats see, now and after the next decisions (fallbacks of all), value by value."""
    facts: set[Fact] = set()
    twin = state.copy()
    for ahead in range(AHEAD + 1):
        for other in others:
            collect(plain(twin.view(other)), (ahead, other), (ahead, other), facts)
        asked = twin.pending()
        if not asked:
            break
        twin.play({other: twin.fallback(other) for other in asked})
    return facts


def plain(view: View) -> Any:
    """A view as dicts and lists, whatever it is made of."""
    return json_format.MessageToDict(view, preserving_proto_field_name=True) if isinstance(view, Message) else view


def collect(value: Any, where: Fact, anywhere: Fact, facts: set[Fact]) -> None:
    """Every value with its place, and with its place in no particular order of lists (for hands that are sorted)."""
    if isinstance(value, Mapping):
        for key, part in value.items():
            collect(part, (*where, key), (*anywhere, key), facts)
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            collect(part, (*where, place), (*anywhere, "any"), facts)
    else:
        facts.add((*where, value))
        facts.add((*anywhere, value))


def _told(fact: Fact) -> str:
    """A fact for people."""
    ahead, other, *path, value = fact
    place = "".join(f"[{part!r}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    later = f" {ahead} decisions later" if ahead else ""
    return f"{place} is {json.dumps(value)} for seat {other}{later}"
