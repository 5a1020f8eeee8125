"""Turn by turn: the base class for games in which one seat is asked at a time.

The author says whose turn it is, what that seat may do and what a move brings about:

    class MyState(OneAtATime[str]):
        def turn(self): ...            # the seat that is asked, or None once the match is over
        def moves(self): ...           # all that it may do, in canonical order
        def make(self, move): ...      # carry out one of them

`pending`, `legal`, `check`, `play` and `fallback` follow from these. Override `why_not` to give refusals codes and
sentences of their own, and `fallback` where the first move of the list is not the harmless one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeVar

from referee.rules.game import NOT_ASKED, Legal, Rejection, Seat, State

M = TypeVar("M")


class OneAtATime(State[M]):
    """One match in progress, of a game in which one seat is asked at a time and its list of moves is complete."""

    @abstractmethod
    def turn(self) -> Seat | None:
        """The seat that is asked now; None exactly when the match is over."""

    @abstractmethod
    def moves(self) -> Sequence[M]:
        """All that this seat may do now, in canonical order; called only while a seat is asked."""

    @abstractmethod
    def make(self, move: M) -> None:
        """Carry out a legal move of the seat that is asked."""

    def why_not(self, move: M) -> Rejection:
        """The refusal of a move that is not among `moves`."""
        return Rejection("not_now", f"{self.format(move)!r} is no legal move now")

    def pending(self) -> tuple[Seat, ...]:
        seat = self.turn()
        return () if seat is None else (seat,)

    def legal(self, seat: Seat) -> Legal[M]:
        return Legal(tuple(self.moves())) if seat == self.turn() else Legal(())

    def check(self, seat: Seat, move: M) -> Rejection | None:
        if seat != self.turn():
            return NOT_ASKED
        return None if move in self.moves() else self.why_not(move)

    def play(self, moves: Mapping[Seat, M]) -> None:
        (move,) = moves.values()
        self.make(move)

    def fallback(self, seat: Seat) -> M:
        return self.moves()[0]
