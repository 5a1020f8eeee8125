"""The view of a match of STOP me GO: what a seat or the public may know of it.

Nothing here reads another agent's cards, the order of the pile, or the value of a token before the match is over.

A view is put together from wire forms (`referee.rules.wire`). Most parts recur, for there are only so many arrests that
can happen: each is written once and kept. What is public is joined once for all the agents that are asked together, and
what only the end of a round changes is joined once a round.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import events
from referee.games.stop_me_go.cards import GANGSTERS, HAND, MOST_PLAYERS
from referee.games.stop_me_go.events import MEMBERS
from referee.rules.wire import each, heads

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import StopMeGoState
    from referee.rules.game import Seat


def view_of(state: StopMeGoState, seat: Seat | None) -> pb.View:
    """All that this seat may know; None is the public."""
    return pb.View.FromString(wire(state, seat))


def wire(state: StopMeGoState, seat: Seat | None) -> bytes:
    """The wire form of that view."""
    front, back = state.shown or _public(state)
    if seat is None:
        return front + back
    own = 0
    for stops in state.stops:
        own = own << 1 | stops >> seat & 1
    return b"".join((_SEATS[seat], front, _OWN_CARDS[len(state.stops)][own], back))


def _public(state: StopMeGoState) -> tuple[bytes, bytes]:
    """All that everybody may know: the fields before an agent's own cards, and those behind them."""
    standing, gains = state.shown_standing or _standing(state)
    table, discarded = state.table, state.discarded
    front = [
        b"" if state.ended else _ASKED[state.players],
        *[events.wire(*event) for event in state.news],
        standing,
        _TABLES[len(table)],
        bytes(table),
    ]
    back = [
        _PILE_SIZES[len(state.pile)],
        _DISCARDS[len(discarded)],
        bytes(discarded),
        *[_arrest(*arrest) for arrest in state.arrests],
        gains,
    ]
    state.shown = b"".join(front), b"".join(back)
    return state.shown


def _standing(state: StopMeGoState) -> tuple[bytes, bytes]:
    """What stays the same for a whole round: scores and number of the round, and further back captures and tokens."""
    result = state.ended
    standing = pb.View(round=state.round, scores=state.scores())
    gains = pb.View(
        captures=[pb.Capture(round=number, gangster=gangster, seat=seat) for number, gangster, seat in state.captures],
        tokens=state.tokens,
        tokens_left=state.tokens_left,
        tokens_void=state.takers.count(-1),
        token_values=state.worths,
    )
    if result is not None:
        standing.MergeFrom(pb.View(ranks=result.ranks, reason=result.reason))
        gains.purses.extend([pb.Purse(values=state.purse(seat)) for seat in range(state.players)])
    state.shown_standing = standing.SerializeToString(), gains.SerializeToString()
    return state.shown_standing


@cache
def _arrest(gangster: int, stops: int) -> bytes:
    return pb.View(arrests=[pb.Arrest(gangster=gangster, stops=MEMBERS[stops])]).SerializeToString()


def _own_cards(count: int, stop: int) -> bytes:
    """An agent's cards where he has put so many, and `stop` says which is his `stop`: bit 0 is the newest."""
    laid = [pb.CARD_STOP if stop >> place & 1 else pb.CARD_GO for place in reversed(range(count))]
    go = HAND - count - (not stop)
    return pb.View(my_cards=laid, go_in_hand=go, stop_in_hand=not stop).SerializeToString()


# By their value, since there are so few.
_SEATS = each(pb.View, "seat", range(MOST_PLAYERS))
_ASKED = each(pb.View, "asked", map(range, range(MOST_PLAYERS + 1)))
_PILE_SIZES = each(pb.View, "pile_size", range(len(GANGSTERS) + 1))
_TABLES = heads(pb.View, "table", len(GANGSTERS))
_DISCARDS = heads(pb.View, "discarded", len(GANGSTERS))
_OWN_CARDS = [[_own_cards(count, stop) for stop in range(1 << count)] for count in range(HAND)]
