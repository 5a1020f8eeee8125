"""Flip 7 as a game of the engine: seats, options, labels of chance, and how long a match can last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7.cards import COPIES, DECK, MOST_RESHUFFLES, MOST_ROUNDS, SPECIALS, decks, read_card
from referee.games.flip7.moves import MOST_PLAYERS, Move
from referee.games.flip7.state import Flip7State
from referee.rules.boards.board import Board
from referee.rules.chance import Chance, Label
from referee.rules.game import Game, Seats
from referee.rules.imagining import read_message, whole_view
from referee.rules.options import Option, choice, whole
from referee.rules.views import View


def _read_seat(written: Any) -> int:
    """The seat a scenario writes: a whole number."""
    if isinstance(written, bool) or not isinstance(written, int):
        raise ValueError("a seat is a whole number from 0")
    return written


class Flip7(Game[Move]):
    """Press your luck with 94 cards: seven different numbers end the round, the same number twice ends yours."""

    name = "flip7"
    title = "Flip 7"
    version = 1
    seats = Seats(3, MOST_PLAYERS)
    options: ClassVar[Mapping[str, Option]] = {
        "rules": choice("printed", "faq", about="the printed rules, or with the publisher's later answers"),
        "target_score": whole(200, 1, 10000, about="the total that ends the match after a round", examples=(200, 1)),
    }
    labels: ClassVar[Mapping[str, Label]] = {
        "dealer": Label("pick", "the seat that deals the first round", _read_seat),
        "deck": Label("order", "cards from the top of the first pile", read_card),
        "reshuffle": Label("orders", "cards from the top of each later pile", read_card),
    }
    # 2,800 matches of 3 to 6 players choosing at random: 0.44 % of the pairs of seats ended level.
    draw_probability = 0.0044
    mirroring = "gains nothing: the luck moves as soon as play differs (0.9 to 1.3 times the variance of other deals)"

    @cached_property
    def board(self) -> Board:
        from referee.games.flip7 import drawing, picture, telling

        return Board(pb.View, drawing.draw, picture.paint, telling.told, picture.spots)

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> Flip7State:
        return Flip7State(players, options["rules"] == "faq", options["target_score"], chance)

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        # A round deals from at most 1 + 10 piles, none larger than all cards. Every hit turns up a card of its own,
        # but for one that may break the round off; every card turned up asks for a target at most once, and only a
        # special does; every stay takes a player out of the round. So many decisions a round, and 300 rounds.
        piles = 1 + MOST_RESHUFFLES
        specials = sum(COPIES[card] for card in SPECIALS)
        return MOST_ROUNDS * (piles * decks(players) * (len(DECK) + specials) + 1 + players)

    def imagine(self, view: View | bytes, chance: Chance) -> Flip7State:
        from referee.games.flip7.imagine import imagine

        with whole_view(self):
            return imagine(read_message(pb.View, view), chance)


GAME = Flip7()
