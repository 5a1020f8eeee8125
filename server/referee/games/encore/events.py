"""The events of Encore et Encore!: what happens in a match, as a view tells it.

An event in the log is a plain tuple: its kind, its seat, what it is about, and for some kinds what that brought. The
end of the match is its kind alone.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.sheet import Sheet
from referee.rules.wire import tag, varint

ROLLED = pb.EVENT_KIND_ROLLED
MOVED = pb.EVENT_KIND_MOVED
ROW = pb.EVENT_KIND_ROW
COLUMN = pb.EVENT_KIND_COLUMN
COLOUR = pb.EVENT_KIND_COLOUR
ENDED = pb.EVENT_KIND_ENDED

Event = tuple[Any, ...]


def wire(sheet: Sheet, event: Event) -> bytes:
    """The wire form of a view with this one event, in the words of the sheet."""
    # Hardly a roll comes again: all but its dice is remembered.
    if event[0] == ROLLED:
        _, seat, roll, dice = event
        text = " ".join(dice).encode()
        before, after = _around(seat, roll, len(text))
        return before + text + after
    return _written(sheet, event)


@lru_cache(maxsize=16_384)
def _around(seat: int, roll: int, length: int) -> tuple[bytes, bytes]:
    """What stands before and behind the dice of a roll, if they are a text of this length."""
    head = pb.Event(kind=ROLLED, seat=seat).SerializeToString() + _TEXT + varint(length)
    number = pb.Event(roll=roll).SerializeToString()
    return _EVENT + varint(len(head) + length + len(number)) + head, number


@lru_cache(maxsize=16_384)
def _written(sheet: Sheet, event: Event) -> bytes:
    return pb.View(events=[_message(sheet, *event)]).SerializeToString()


def _message(sheet: Sheet, kind: pb.EventKind.ValueType, seat: int = 0, what: Any = None, *rest: Any) -> pb.Event:
    if kind == MOVED:
        return pb.Event(kind=kind, seat=seat, text=sheet.notation.format_move(what))
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
