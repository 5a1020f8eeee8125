"""What a seat sees of a match: the only door out of the state."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arena.games.stop.v1 import stop_pb2

from referee.games.stop import events
from referee.games.stop.cards import SIZES, faces

if TYPE_CHECKING:
    from referee.games.stop.state import StopState


def view(state: StopState, seat: int | None) -> stop_pb2.View:
    """All that this seat may know; None is the public."""
    owned = state.owned
    bids = state.auction.bids
    alone = state.phase in (events.OPENING, events.SPLIT)
    return stop_pb2.View(
        phase=state.phase,  # type: ignore[arg-type]  # numbered as in the proto
        asked=seat in state.asked,
        seat=-1 if seat is None else seat,
        hand=() if seat is None else faces(state.hands[seat]),
        tokens=state.tokens,
        hand_sizes=[SIZES[hand] for hand in state.hands],
        deck_sizes=[len(deck) for deck in state.decks],
        twos=[heap & 255 for heap in owned],
        threes=[heap >> 8 & 255 for heap in owned],
        fours=[heap >> 16 & 255 for heap in owned],
        plus_ones=[heap >> 24 for heap in owned],
        red=state.red,
        next_draw=state.turn,
        eliminated=state.eliminated,
        opening_rule=state.opening_rule,
        bids=[
            stop_pb2.Bid(seat=owner, value=bid.value, total=bid.total, cards=bid.faces, laid_by=bid.by)
            for owner, bid in enumerate(bids)
            if bid is not None
        ],
        highest=state.auction.highest,
        decider=state.asked[0] if alone else -1,
        auctions=state.auctions,
        shuffles=state.shuffles,
        shuffles_in_row=state.shuffles_in_row,
        events=[_event(event) for event in state.log.since(seat)],
    )


@lru_cache(maxsize=2048)
def _event(event: events.Event) -> stop_pb2.Event:
    """A log entry as a message. Views copy what they are given, so the same message serves many."""
    kind, seat, *rest = event
    message = stop_pb2.Event(kind=kind, seat=seat)  # type: ignore[arg-type]  # numbered as in the proto
    if kind == events.WON:
        message.tokens = rest[0]
    elif kind == events.RAISED:
        message.owner = rest[0]
        message.cards.extend(faces(rest[1]))
    elif rest:
        message.cards.extend(faces(rest[0]))
    return message
