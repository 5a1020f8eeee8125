"""The events of STOP me GO: what happens in a match, as a view tells it."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.cards import MOST_PLAYERS

ENDED = pb.EVENT_KIND_ENDED
ROUND_STARTED = pb.EVENT_KIND_ROUND_STARTED
RESHUFFLED = pb.EVENT_KIND_RESHUFFLED
CRIME = pb.EVENT_KIND_CRIME
ESCAPED = pb.EVENT_KIND_ESCAPED
CAPTURED = pb.EVENT_KIND_CAPTURED
DISCARDED = pb.EVENT_KIND_DISCARDED
ROUND_WON = pb.EVENT_KIND_ROUND_WON
ROUND_VOID = pb.EVENT_KIND_ROUND_VOID

Event: TypeAlias = "tuple[pb.EventKind.ValueType, int, int, int]"
"""Kind, gangster, seat or number of the round, the agents who had put a `stop`."""

MEMBERS = tuple(tuple(seat for seat in range(MOST_PLAYERS) if mask >> seat & 1) for mask in range(1 << MOST_PLAYERS))
"""The agents of a set (a bit mask), ascending."""


@cache
def wire(kind: pb.EventKind.ValueType, gangster: int, number: int, stops: int) -> bytes:
    """The wire form of a view with this one event."""
    if kind == ROUND_STARTED:
        event = pb.Event(kind=kind, round=number)
    else:
        event = pb.Event(kind=kind, gangster=gangster, seat=number if number >= 0 else None, stops=MEMBERS[stops])
    return pb.View(events=[event]).SerializeToString()
