"""The events of Encore et Encore!: what happens in a match, as a view tells it.

An event in the log is a plain tuple: its kind, its seat, what it is about, and for some kinds what that brought. The
end of the match is its kind alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.sheet import Sheet
from referee.rules.wire import framed, tag, varint

ROLLED = pb.EVENT_KIND_ROLLED
MOVED = pb.EVENT_KIND_MOVED
ROW = pb.EVENT_KIND_ROW
COLUMN = pb.EVENT_KIND_COLUMN
COLOUR = pb.EVENT_KIND_COLOUR
ENDED = pb.EVENT_KIND_ENDED

Event = tuple[Any, ...]


def wire(sheet: Sheet, event: Event) -> bytes:
    """The wire form of a view with this one event, in the words of the sheet."""
    # Nearly all events are moves and rolls, and hardly one of them comes again: these are joined from parts.
    kind = event[0]
    if kind == MOVED:
        text = sheet.notation.format_move(event[2]).encode()
        return framed(_EVENT, _head(kind, event[1], len(text)) + text)
    if kind == ROLLED:
        _, seat, roll, dice = event
        text = " ".join(dice).encode()
        return framed(_EVENT, _head(kind, seat, len(text)) + text + _roll(roll))
    return pb.View(events=[_message(sheet, *event)]).SerializeToString()


@lru_cache(maxsize=1024)
def _head(kind: pb.EventKind.ValueType, seat: int, length: int) -> bytes:
    """All that stands before a text of this length."""
    return pb.Event(kind=kind, seat=seat).SerializeToString() + _TEXT + varint(length)


@lru_cache(maxsize=256)
def _roll(number: int) -> bytes:
    return pb.Event(roll=number).SerializeToString()


def _message(sheet: Sheet, kind: pb.EventKind.ValueType, seat: int = 0, what: Any = None, *rest: Any) -> pb.Event:
    if kind == ROW:
        return pb.Event(kind=kind, seat=seat, text=sheet.row_letters[what], points=rest[0], bonus=rest[1])
    if kind == COLUMN:
        points, bonus, hearts = rest
        letter = sheet.column_letters[what]
        return pb.Event(kind=kind, seat=seat, text=letter, points=points, bonus=bonus, heart_points=hearts)
    if kind == COLOUR:
        return pb.Event(kind=kind, seat=seat, text=sheet.colour_letters[what], points=rest[0])
    assert kind == ENDED
    return pb.Event(kind=kind)


_EVENT, _TEXT = tag(pb.View, "events"), tag(pb.Event, "text")
