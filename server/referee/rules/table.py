"""A table: one match played by offering texts, one seat at a time.

It collects the moves of a sealed decision, refuses what is unreadable, illegal, out of turn or a second answer
(nothing changes then), plays the decision when all who are asked have moved, and keeps the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.rules.chance import Chance
from referee.rules.game import NOT_ASKED, Game, Legal, Rejection, Result, Seat, State, Unreadable
from referee.rules.record import Record, write_moves

ALREADY_MOVED = Rejection("already_moved", "this seat has already moved in this decision")
OVER = Rejection("over", "the match is over")


class Table:
    """A match in progress with its record."""

    def __init__(
        self,
        game: Game[Any],
        players: int,
        options: Mapping[str, Any],
        seed: bytes,
        chance: Chance | None = None,
        state: State[Any] | None = None,
    ) -> None:
        """`options` are resolved already (see `Game.resolve_options`); with `state`, the game is not asked for one."""
        self.game = game
        self.options = options
        self.seed = seed
        self.state: State[Any] = state or game.start(players, options, seed, chance=chance)
        self.sealed: dict[Seat, Any] = {}
        """Moves of the present decision that wait for those of others."""
        self._moves: list[str] = []

    @property
    def decisions(self) -> int:
        """How many decisions have been played."""
        return len(self._moves)

    @property
    def moves(self) -> Sequence[str]:
        """The decisions that have been played, in the notation of records; not to be changed."""
        return self._moves

    def pending(self) -> tuple[Seat, ...]:
        """The seats that are asked and have not moved yet."""
        asked = self.state.pending()
        return tuple(seat for seat in asked if seat not in self.sealed) if self.sealed else asked

    def legal(self, seat: Seat) -> Legal[Any]:
        """What a seat would be shown; nothing if it has moved or is not asked."""
        return self.state.legal(seat) if seat in self.pending() else Legal(())

    def result(self) -> Result | None:
        return self.state.result()

    def offer(self, seat: Seat, text: str) -> Rejection | None:
        """Make a move; a Rejection means that nothing has changed."""
        state = self.state
        asked = state.pending()
        if seat not in asked:
            return NOT_ASKED if state.result() is None else OVER
        if seat in self.sealed:
            return ALREADY_MOVED
        try:
            move = state.parse(text)
        except Unreadable as error:
            return Rejection("unreadable", str(error))
        rejection = state.check(seat, move)
        if rejection is None:
            self._seal(seat, move, asked)
        return rejection

    def put(self, seat: Seat, move: Any) -> None:
        """Make a move that is known to be legal, such as a fallback."""
        self._seal(seat, move, self.state.pending())

    def _seal(self, seat: Seat, move: Any, asked: tuple[Seat, ...]) -> None:
        moves = self.sealed
        moves[seat] = move
        if len(moves) == len(asked):
            self.sealed = {}
            self._moves.append(write_moves(self.state, moves))
            self.state.play(moves)

    def record(self) -> Record:
        """The match so far on paper."""
        return Record(
            self.game.name,
            self.game.version,
            self.state.players,
            self.options,
            self.seed.hex(),
            tuple(self._moves),
            self.state.result(),
        )
