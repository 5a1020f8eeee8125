"""Events in a row that say the same of different matches or invitations, as one sentence for people.

Thirty invitations, or forty matches that wait for one bot, are one thing to know. Programs get each event by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from referee.tournament.events import Event

PLURALS = {"match": "matches", "invitation": "invitations"}
VERBS = {"is": "are", "was": "were", "goes": "go"}
SHOWN = 6
"""Numbers, or runs of numbers, that a sentence names."""


def together(events: Iterable[Event]) -> list[Event]:
    """The same events, those in a row that differ only in the number of a match or an invitation as one."""
    told: list[Event] = []
    for (_, _, _, _, said), group in groupby(events, key=_alike):
        row = list(group)
        told += row if said is None or len(row) == 1 else [_one(row, *said)]
    return told


def _alike(event: Event) -> tuple[str, str, int, bool, tuple[str, str, str] | None]:
    """What events have in common that are told together; those that are told alone have their own time."""
    said = _said(event)
    return event.tournament, event.kind, 0 if said else id(event), event.alarm, said


def _said(event: Event) -> tuple[str, str, str] | None:
    """`match 12 is set aside` without its number: ('match', 'is', 'set aside')."""
    words = event.text.split(" ", 3)
    if len(words) < 4 or words[0] not in PLURALS or words[2] not in VERBS or event.about.get(words[0]) is None:
        return None
    return (words[0], words[2], words[3]) if words[1] == str(event.about[words[0]]) else None


def _one(row: Sequence[Event], noun: str, verb: str, rest: str) -> Event:
    numbers = [event.about[noun] for event in row]
    text = f"{PLURALS[noun]} {_listed(numbers)} {VERBS[verb]} {rest}"
    return replace(row[-1], text=text, about={key: row[0].about[key] for key in row[0].about if key != noun})


def _listed(numbers: Sequence[int]) -> str:
    """`1 to 30`; `0, 2, 4 and 17 more`."""
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    parts = [str(first) if first == last else f"{first} to {last}" for first, last in runs[:SHOWN]]
    if more := sum(last - first + 1 for first, last in runs[SHOWN:]):
        return f"{', '.join(parts)} and {more} more"
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
