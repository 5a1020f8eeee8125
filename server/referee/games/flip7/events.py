"""The events of Flip 7: what happens in a match, as a view tells it.

The log keeps an event in its wire form, for several seats are told the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import Card
from referee.games.flip7.moves import MOST_PLAYERS
from referee.rules.game import Seat
from referee.rules.log import Log
from referee.rules.wire import numbers, part_heads

ENDED = pb.EVENT_KIND_ENDED
ROUND_STARTED = pb.EVENT_KIND_ROUND_STARTED
DEALT = pb.EVENT_KIND_DEALT
STAYED = pb.EVENT_KIND_STAYED
SAVED = pb.EVENT_KIND_SAVED
BUSTED = pb.EVENT_KIND_BUSTED
FLIP_7 = pb.EVENT_KIND_FLIP_7
TARGETED = pb.EVENT_KIND_TARGETED
KEPT = pb.EVENT_KIND_KEPT
DISCARDED = pb.EVENT_KIND_DISCARDED
RESHUFFLED = pb.EVENT_KIND_RESHUFFLED
BROKE_OFF = pb.EVENT_KIND_BROKE_OFF
ROUND_ENDED = pb.EVENT_KIND_ROUND_ENDED


@lru_cache(maxsize=4096)
def wire(kind: pb.EventKind.ValueType, seat: Seat, card: Card, target: Seat, points: tuple[int, ...] = ()) -> bytes:
    """The wire form of a view with this one event; -1 where there is no seat, card, target."""
    event = pb.Event(
        kind=kind,
        seat=seat if seat >= 0 else None,
        card=card if card >= 0 else None,
        target=target if target >= 0 else None,
        points=points,
    )
    return pb.View(events=[event]).SerializeToString()


class Telling(Log[bytes]):
    """The log of a match, as views tell it."""

    __slots__ = ()

    def tell(self, kind: pb.EventKind.ValueType, seat: Seat = -1, card: Card = -1, target: Seat = -1) -> None:
        """Note an event."""
        self._events.append(wire(kind, seat, card, target))

    def tell_end_of_round(self, points: list[int]) -> None:
        """Note what a round has brought, by seat."""
        brought = numbers(points)
        event = b"".join((_ROUND_ENDED, _POINTS[len(brought)], brought))
        self._events.append(_EVENTS[len(event)] + event)


class Unheard(Telling):
    """The log of a match of which no view will be asked."""

    __slots__ = ()

    def tell(self, kind: pb.EventKind.ValueType, seat: Seat = -1, card: Card = -1, target: Seat = -1) -> None:
        pass

    def tell_end_of_round(self, points: list[int]) -> None:
        pass

    def decided(self, seats: Any) -> None:
        pass


UNHEARD = Unheard(0)

# Hardly any end of a round comes again, so it is written without a message.
_ROUND_ENDED = pb.Event(kind=ROUND_ENDED).SerializeToString()
_POINTS = part_heads(pb.Event, "points", 2 * MOST_PLAYERS)
_EVENTS = part_heads(pb.View, "events", 3 * MOST_PLAYERS)
