"""STOP! as a game of the engine: seats, labels of chance, and how long a match can last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from arena.games.stop.v1 import stop_pb2 as pb
from referee.games.stop.cards import HAND, read_card
from referee.games.stop.moves import Move
from referee.games.stop.state import AUCTIONS, SHUFFLES, StopState
from referee.rules.boards.board import Board
from referee.rules.chance import Chance, Label
from referee.rules.game import Game, Seats
from referee.rules.imagining import read_message, whole_view
from referee.rules.views import View


def _read_seat(item: Any) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        raise ValueError("a seat is a number, counted from 0")
    return item


class Stop(Game[Move]):
    """Calls between draws, auctions of hidden cards, and a winner who splits the table."""

    name = "stop"
    title = "STOP!"
    version = 1
    seats = Seats(3, 6)
    labels: ClassVar[Mapping[str, Label]] = {
        "first": Label("pick", "the seat that has the red token at the start", _read_seat),
        "decks": Label("orders", "the first deck of every seat, top first", read_card),
        "arbiter": Label("pick", "who of several that acted in the same window was first", _read_seat, spent=True),
        "reshuffle": Label("orders", "the whole new deck after a shuffle, top first", read_card),
    }

    # Measured: random players, 4,000 matches of 3 to 6 players in turn; 12 % of all pairs of seats ended level.
    draw_probability = 0.12
    mirroring = "gains nothing: the luck moves as soon as play differs (0.9 to 1.3 times the variance of other deals)"
    imagine_forgets = "what a seat saw of the hands before its last decision"
    ranks_beside_scores = "the eliminated keep their tokens, and rank below everybody who still plays"

    @cached_property
    def board(self) -> Board:
        from referee.games.stop import drawing, picture, telling

        return Board(pb.View, drawing.draw, picture.paint, telling.told, picture.spots)

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> StopState:
        return StopState(players, chance)

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        # A stretch of drawing begins at the start, after a settled auction (59 times: the 60th ends the match) or after
        # all hands were shuffled back (29 times: the 30th is not played). In it every player draws at most six
        # cards and skips in between, so after six rounds all have six cards: at most 6 windows of calls per seat.
        stretches = 1 + (AUCTIONS - 1) + (SHUFFLES - 1)
        calls = stretches * HAND * players
        # An auction takes an opening, then windows in which a player lays at least one of the cards still in the
        # hands, then a window in which all pass, then a split.
        auction = 1 + (HAND * players - 1) + 1 + 1
        return calls + AUCTIONS * auction

    def imagine(self, view: View | bytes, chance: Chance) -> StopState:
        from referee.games.stop.imagine import imagine

        with whole_view(self):
            return imagine(read_message(pb.View, view), chance)


GAME = Stop()
