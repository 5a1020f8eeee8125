"""The view of a match of STOP me GO: what a seat or the public may know of it.

Nothing here reads another agent's cards, the order of the pile, or the value of a token before the match is over.

A view is put together from small serialized pieces, since protobuf promises that concatenated messages are merged when
they are read: most pieces recur (there are only so many arrests that can happen), so each is written once and kept,
and what is public is joined once for all the agents that are asked together.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.events import MEMBERS, wire

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import StopMeGoState
    from referee.rules.game import Result


def view_of(state: StopMeGoState, seat: int | None) -> pb.View:
    """All that this seat may know; None is the public."""
    # All agents are asked at the same moments, so what is public is put together once for all of them.
    if state.shown is None:
        state.shown = _public(state)
    return pb.View.FromString(state.shown if seat is None else state.shown + _agents(state, seat))


def _public(state: StopMeGoState) -> bytes:
    """All that everybody may know, serialized."""
    tokens = tuple(state.tokens)
    pieces = [
        _setting(state.worths),
        _standing(state.round, tokens, state.tokens_left, state.takers.count(-1)),
        _playing(tokens) if state.ended is None else _ended(state, state.ended),
        pb.View(table=state.table, pile_size=len(state.pile), discarded=state.discarded).SerializeToString(),
    ]
    pieces += [_arrest(*arrest) for arrest in state.arrests]
    pieces += [_capture(*capture) for capture in state.captures]
    pieces += [wire(*event) for event in state.news]
    return b"".join(pieces)


def _agents(state: StopMeGoState, seat: int) -> bytes:
    """What this agent knows beyond that, serialized: his hand and his own cards on the table."""
    cards = tuple([pb.CARD_STOP if stops >> seat & 1 else pb.CARD_GO for stops in state.stops])
    return _own(seat, cards, *state.hand(seat))


def _ended(state: StopMeGoState, result: Result) -> bytes:
    return pb.View(
        scores=result.scores,
        purses=[pb.Purse(values=state.purse(seat)) for seat in range(state.players)],
        ranks=result.ranks,
        reason=result.reason,
    ).SerializeToString()


@lru_cache(1 << 8)
def _setting(worths: tuple[int, ...]) -> bytes:
    return pb.View(token_values=worths).SerializeToString()


@lru_cache(1 << 12)
def _standing(number: int, tokens: tuple[int, ...], left: int, void: int) -> bytes:
    return pb.View(round=number, tokens=tokens, tokens_left=left, tokens_void=void).SerializeToString()


@lru_cache(1 << 10)
def _playing(tokens: tuple[int, ...]) -> bytes:
    return pb.View(asked=range(len(tokens)), scores=tokens).SerializeToString()


@cache
def _arrest(gangster: int, stops: int) -> bytes:
    return pb.View(arrests=[pb.Arrest(gangster=gangster, stops=MEMBERS[stops])]).SerializeToString()


@cache
def _capture(number: int, gangster: int, captor: int) -> bytes:
    return pb.View(captures=[pb.Capture(round=number, gangster=gangster, seat=captor)]).SerializeToString()


@cache
def _own(seat: int, cards: tuple[pb.Card.ValueType, ...], go: int, stop: bool) -> bytes:
    return pb.View(seat=seat, my_cards=cards, go_in_hand=go, stop_in_hand=stop).SerializeToString()
