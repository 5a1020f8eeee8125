"""The view of a match of STOP!: what a seat or the public may know of it.

Parts of a message that are written one after the other are read as one message. So a view is put together from parts
that are already written: what everybody sees (once per decision), what only the seat sees, and the events one by one.
"""

from __future__ import annotations

from functools import lru_cache

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.cards import SIZES, faces
from referee.games.stop.events import wire
from referee.games.stop.position import CALLS, PLAYS, Position

WINDOWS = (CALLS, PLAYS)
"""Questions to several seats at once; the others are asked of one seat, in the open."""


def view_of(position: Position, seat: int | None) -> pb.View:
    """All that this seat may know; None is the public."""
    if not position.open_facts:
        position.open_facts = _open_facts(position)
    parts = [position.open_facts]
    if seat is not None:
        # Whom else a window asks stays hidden: it would tell what they hold.
        parts.append(_own(seat, position.phase in WINDOWS and seat in position.asked, position.hands[seat]))
    parts += [wire(event) for event in position.log.since(seat)]
    return pb.View.FromString(b"".join(parts))


def _open_facts(position: Position) -> bytes:
    owned = position.owned
    result = position.outcome
    return pb.View(
        asked=() if position.phase in WINDOWS else position.asked,
        scores=position.tokens,
        ranks=result.ranks if result else (),
        reason=result.reason if result else "",
        question=position.phase,  # type: ignore[arg-type]  # numbered as in the proto
        hand_sizes=[SIZES[hand] for hand in position.hands],
        deck_sizes=[len(deck) for deck in position.decks],
        twos=[heap & 255 for heap in owned],
        threes=[heap >> 8 & 255 for heap in owned],
        fours=[heap >> 16 & 255 for heap in owned],
        plus_ones=[heap >> 24 for heap in owned],
        red=position.red,
        next_draw=position.turn,
        eliminated=position.eliminated,
        opening_rule=position.opening_rule,
        bids=[
            pb.Bid(seat=owner, value=bid.value, total=bid.total, cards=bid.faces, laid_by=bid.by)
            for owner, bid in enumerate(position.auction.bids)
            if bid is not None
        ],
        highest=position.auction.highest,
        auctions=position.auctions,
        shuffles=position.shuffles,
        shuffles_in_row=position.shuffles_in_row,
    ).SerializeToString()


@lru_cache(maxsize=4096)
def _own(seat: int, asked: bool, hand: int) -> bytes:
    return pb.View(seat=seat, asked=[seat] if asked else (), hand=faces(hand)).SerializeToString()
