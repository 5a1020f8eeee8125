"""The events of STOP!: what happens in a match, as a view tells it.

An event in the log is a plain tuple: its kind, its seat, and for some kinds one or two numbers more. The end of the
match is its kind alone.
"""

from __future__ import annotations

from functools import lru_cache

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.cards import faces

# Numbered as in the proto.
ENDED = 1
DREW, SKIPPED, ELIMINATED, RED_PASSED, SHUFFLED_BACK, CALLED, BID, RAISED, WON, TIED, RECEIVED = range(10, 21)
"""(kind, seat), and further: ELIMINATED, BID, RECEIVED a heap; RAISED the bid's owner and a heap; WON the tokens."""

Event = tuple[int, ...]


@lru_cache(maxsize=4096)
def wire(event: Event) -> bytes:
    """The wire form of a view with this one event."""
    if event == (ENDED,):
        return pb.View(events=[pb.Event(kind=pb.EVENT_KIND_ENDED)]).SerializeToString()
    kind, seat, *rest = event
    message = pb.Event(kind=kind, seat=seat)  # type: ignore[arg-type]  # numbered as in the proto
    if kind == WON:
        message.tokens = rest[0]
    elif kind == RAISED:
        message.owner = rest[0]
        message.cards.extend(faces(rest[1]))
    elif rest:
        message.cards.extend(faces(rest[0]))
    return pb.View(events=[message]).SerializeToString()
