"""Positions made by hand, one per game, in which anybody sees which move is best."""

from __future__ import annotations

from typing import Any

from arena.games.flip7.v1 import flip7_pb2 as flip7
from arena.games.stop.v1 import stop_pb2 as stop
from arena.games.stop_me_go.v1 import stop_me_go_pb2 as stop_me_go
from referee.games.encore.moves import pair
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import State


def win_or_be_bust() -> State[Any]:
    """Flip 7: to stay wins the match, for nobody else is in the round; any card of the pile ends it without points."""
    state: Any = registry.find("flip7").start(3, {"target_score": 60}, b"hand")
    view = state.view(0)
    view.scores[:] = [20, 50, 50]
    view.asked[:] = [0]
    view.turn = 0
    view.players[0].CopyFrom(flip7.Player(status=flip7.STATUS_IN, points=42, cards=[12, 11, 10, 9]))
    for seat in (1, 2):
        view.players[seat].CopyFrom(flip7.Player(status=flip7.STATUS_BUSTED, cards=[seat, seat] if seat > 1 else []))
    counts = [0] * 22
    for card in (9, 10, 11, 12):
        counts[card] = 8
    view.pile_counts[:] = counts
    view.pile_size = 32
    view.discard_size = 94 - 32 - 4 - 2
    return registry.find("flip7").imagine(view, Seeded(b"hand"))


def complete_the_column() -> State[Any]:
    """Encore alone, in the last roll: the last box of the start column brings its points, all other boxes nothing."""
    state: Any = registry.find("encore").start(1, seed=b"hand")
    sheet, paper = state.sheet, state.papers[0]
    column = sheet.start_column
    last = column & -column
    paper.mark(column ^ last)
    colour = sheet.colour_of[last.bit_length() - 1]
    state.roll = state.roll_limit
    words = (sheet.colour_names[colour], sheet.colour_names[colour], "1", "1", "heart")
    state.rolled = words
    state.colour_dice, state.number_dice, state.special_die = (colour, colour), (0, 0), 0
    state.taken = type(state.taken)(37, 0)
    state.shown = b""
    assert pair(colour, 0) in {move.way for move in state.legal(0).moves}
    return registry.find("encore").imagine(state.view(0), Seeded(b"hand"))


def the_last_chance_of_a_round() -> State[Any]:
    """STOP me GO: the next escape is the fiftieth and makes the round void, and it is the last round.

    If the other's `stop` lies on the oldest gangster he captures him, and the round is over: then my `stop` on the 10
    takes it from him. If it lies elsewhere, nobody has anything from any card. So `stop` is never worse.
    """
    shown = stop_me_go.View(
        seat=0,
        asked=[0, 1],
        scores=[1, 1],
        round=4,
        table=[2, 3, 4, 10],
        my_cards=[stop_me_go.CARD_GO] * 3,
        go_in_hand=1,
        stop_in_hand=True,
        pile_size=5,
        discarded=[5],
        arrests=[stop_me_go.Arrest(gangster=5)] * 49,
        captures=[
            stop_me_go.Capture(round=1, gangster=9, seat=0),
            stop_me_go.Capture(round=2, gangster=9, seat=1),
        ],
        tokens=[1, 1],
        tokens_left=1,
        tokens_void=1,
        token_values=[0, 0, 1, 1, 1, 2, 2, 2, 3, 3],
    )
    return registry.find("stop_me_go").imagine(shown, Seeded(b"hand"))


def raise_to_win() -> State[Any]:
    """STOP!: all other hands are empty, so the raise that leads wins the auction and the match; to pass loses it."""
    shown = stop.View(
        seat=0,
        asked=[0],
        scores=[4, 4, 4],
        question=stop.QUESTION_PLAY,
        hand=[4],
        hand_sizes=[1, 0, 0],
        deck_sizes=[19, 20, 20],
        twos=[9, 9, 9],
        threes=[6, 5, 6],
        fours=[2, 3, 3],
        plus_ones=[3, 3, 2],
        red=1,
        next_draw=2,
        bids=[
            stop.Bid(seat=0, value=4, total=4, cards=[4], laid_by=[0]),
            stop.Bid(seat=1, value=3, total=4, cards=[3, 1], laid_by=[1, 2]),
        ],
        highest=4,
        auctions=4,
        events=[stop.Event(kind=stop.EVENT_KIND_RAISED, seat=2, owner=1, cards=[1])],
    )
    return registry.find("stop").imagine(shown, Seeded(b"hand"))
