"""STOP me GO as a game of the engine: seats, options, labels of chance, and how long a match can last."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go.cards import GANGSTERS, IN_LINE, MOST_PLAYERS
from referee.games.stop_me_go.moves import Move
from referee.games.stop_me_go.state import ESCAPES, StopMeGoState, tokens_in_play
from referee.rules.boards.board import Board
from referee.rules.chance import Chance, Label
from referee.rules.files import Files
from referee.rules.game import Game, Seats
from referee.rules.imagining import read_message, whole_view
from referee.rules.options import Option
from referee.rules.spelling import brief
from referee.rules.views import View

TOKENS = [0, 0, 1, 1, 1, 2, 2, 2, 3, 3]
"""The values of the ten reward tokens in the box."""

MOST_WORTH = 99
"""The highest value that the option `tokens` may give to a token."""


def _read_worth(item: Any) -> int:
    """The value of a token, as an option or a script gives it."""
    if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= MOST_WORTH:
        raise ValueError(f"a token is worth a whole number from 0 to {MOST_WORTH}, not {brief(item)}")
    return item


def _read_tokens(value: Any, files: Files) -> list[int]:
    """The ten values of the option `tokens`."""
    if not isinstance(value, list | tuple) or len(value) != len(TOKENS):
        raise ValueError(f"must be a list of ten whole numbers from 0 to {MOST_WORTH}, not {brief(value)}")
    try:
        return [_read_worth(item) for item in value]
    except ValueError as error:
        raise ValueError(f"must be a list of ten whole numbers from 0 to {MOST_WORTH}: {error}") from None


def _read_gangster(item: Any) -> int:
    """The number of a gangster, as a script gives it."""
    if isinstance(item, bool) or item not in GANGSTERS or not isinstance(item, int):
        raise ValueError(f"gangsters are numbered from 1 to 10, not {item!r}")
    return item


class StopMeGo(Game[Move]):
    """Two to six agents, sealed cards, hidden rewards."""

    name = "stop_me_go"
    title = "STOP me GO"
    version = 1
    seats = Seats(2, MOST_PLAYERS)
    options: ClassVar[Mapping[str, Option]] = {
        "tokens": Option(
            default=TOKENS,
            about="the values of the ten reward tokens: a list of ten whole numbers from 0 to 99",
            read=_read_tokens,
            examples=(TOKENS, [0] * 10, [0, 0, 0, 3, 3, 1, 1, 1, 1, 1], [99, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        )
    }
    labels: ClassVar[Mapping[str, Label]] = {
        "gangsters": Label("orders", "numbers of gangsters, top first: one list per shuffle", _read_gangster),
        "tokens": Label("order", "values of tokens, in the order in which they leave the pool", _read_worth),
    }
    # Level pairs of seats among players who choose evenly from their legal moves, 1,500 matches for each number of
    # players from 2 to 6.
    draw_probability = 0.15
    draws_by_players: ClassVar[Mapping[int, float]] = {2: 0.07, 3: 0.12, 4: 0.15, 5: 0.18, 6: 0.21}
    mirroring = "gains nothing: the luck moves as soon as play differs (0.9 to 1.3 times the variance of other deals)"
    ranks_beside_scores = "whoever takes a third token wins, whatever the tokens of the others are worth"

    @cached_property
    def board(self) -> Board:
        from referee.games.stop_me_go import drawing, picture, telling

        return Board(pb.View, drawing.draw, picture.paint, telling.told, picture.spots)

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> StopMeGoState:
        return StopMeGoState(players, tuple(sorted(options["tokens"])), chance)

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        # A round asks once for each of the first four gangsters and once after every escape except the fiftieth,
        # which makes it void. Each round takes one token out of play, so there are no more rounds than tokens in
        # play. A table that never plays `stop` goes exactly this far.
        return tokens_in_play(players) * (IN_LINE + ESCAPES - 1)

    def imagine(self, view: View | bytes, chance: Chance) -> StopMeGoState:
        from referee.games.stop_me_go.imagine import imagine

        with whole_view(self):
            return imagine(read_message(pb.View, view), chance)


GAME = StopMeGo()
