"""Perspectives of a replay: what one seat saw, what the public saw, or everything revealed.

A seat's replay shows its own views, its own questions, answers and rejections, and of the others only what its views
tell. The public's shows the public views. Revealed is all of it side by side, with what no view shows.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.rules.game import Seat, WrongUse


@dataclass(frozen=True, slots=True)
class Perspective:
    """Whose eyes a replay is seen with."""

    seat: Seat | None = None
    revealed: bool = False

    @property
    def word(self) -> str:
        """`public`, `revealed` or `seat 2`."""
        if self.revealed:
            return "revealed"
        return "public" if self.seat is None else f"seat {self.seat}"

    def knows(self, seat: Seat) -> bool:
        """Whether the answers of this seat are known before a view tells of them."""
        return self.revealed or seat == self.seat


PUBLIC = Perspective()
REVEALED = Perspective(revealed=True)


def perspectives(players: int) -> list[Perspective]:
    """All there are in a match of so many: everything, the public, then each seat."""
    return [REVEALED, PUBLIC, *(Perspective(seat) for seat in range(players))]


def of_seat(seat: Seat, players: int) -> Perspective:
    """The perspective of a seat; WrongUse if there is no such seat."""
    if not 0 <= seat < players:
        raise WrongUse(f"there is no seat {seat}: the match has the seats 0 to {players - 1}")
    return Perspective(seat)
