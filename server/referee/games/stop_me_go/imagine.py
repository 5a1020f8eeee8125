"""A match of STOP me GO imagined from a view: others' cards, the pile and the tokens' values are drawn."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import events
from referee.games.stop_me_go.cards import GANGSTERS, MOST_PLAYERS
from referee.games.stop_me_go.events import Event
from referee.games.stop_me_go.redeal import redeal
from referee.games.stop_me_go.state import NOBODY, StopMeGoState, best_captured
from referee.rules.chance import Chance
from referee.rules.game import Result, Seat


def imagine(view: pb.View, chance: Chance) -> StopMeGoState:
    """A match that looks like this view; it goes on with gangsters and tokens drawn from `chance`."""
    seat = view.seat if view.HasField("seat") else None
    state = StopMeGoState.__new__(StopMeGoState)
    state.players = len(view.scores)
    if state.players > MOST_PLAYERS:
        raise ValueError(f"it has {state.players} agents")
    state._chance = chance
    state._seats = tuple(range(state.players))
    state.asked = tuple(view.asked)
    state.ended = Result(tuple(view.ranks), tuple(view.scores), view.reason) if view.ranks else None
    state.shown = state.shown_standing = None
    state.news = [_event(event) for event in view.events]
    state.worths = tuple(view.token_values)
    state.tokens = list(view.tokens)
    state.captures = [(capture.round, capture.gangster, capture.seat) for capture in view.captures]
    state.round = view.round
    state.takers = _takers(state)
    state.rewards = _rewards(state, view.purses)
    state.table = list(view.table)
    state.discarded = list(view.discarded)
    captured = [gangster for number, gangster, _ in state.captures if number == state.round]
    lying = [*state.table, *state.discarded, *captured]
    state.pile = [gangster for gangster in GANGSTERS if gangster not in lying]
    if sorted([*lying, *state.pile]) != list(GANGSTERS):
        raise ValueError("its gangsters are not those of a whole match")
    state.arrests = [(arrest.gangster, _agents(arrest.stops)) for arrest in view.arrests]
    # Nobody has put a card on the newest gangster while all are asked. The own cards are known, the others' are not.
    state.stops = [0] * (len(state.table) - bool(state.asked))
    if seat is not None:
        for place, card in enumerate(view.my_cards):
            state.stops[place] = (card == pb.CARD_STOP) << seat
    state.out = sum(state.stops)
    if len(state.pile) != view.pile_size or state.takers.count(NOBODY) != view.tokens_void:
        raise ValueError("its gangsters or its tokens are not those of a whole match")
    redeal(state, seat, chance)
    return state


def _event(event: pb.Event) -> Event:
    if event.kind == events.ROUND_STARTED:
        return event.kind, 0, event.round, 0
    return event.kind, event.gangster, event.seat if event.HasField("seat") else NOBODY, _agents(event.stops)


def _agents(stops: Sequence[Seat]) -> int:
    return sum(1 << seat for seat in stops)


def _takers(state: StopMeGoState) -> list[Seat]:
    """Who took the token of each round that is over, as the captures tell it; NOBODY where there was none."""
    takers = []
    for number in range(1, state.round + (state.ended is not None)):
        captors = {gangster: captor for round_, gangster, captor in state.captures if round_ == number}
        takers.append(captors[best_captured(captors)] if captors else NOBODY)
    return takers


def _rewards(state: StopMeGoState, purses: Sequence[pb.Purse]) -> tuple[int, ...]:
    """Values in the order in which tokens leave the pool: right where the view shows them, in some order elsewhere."""
    unknown = list(state.worths)
    shown = [list(purse.values) for purse in purses]
    rewards = [shown[taker].pop(0) if shown and taker != NOBODY else None for taker in state.takers]
    for worth in rewards:
        if worth is not None:
            unknown.remove(worth)
    rewards += [None] * (len(state.worths) - len(rewards))
    return tuple([unknown.pop() if worth is None else worth for worth in rewards])
