"""A pairing: who sits where at one table of one round, and the one error a wrong schedule raises.

Entrants are numbers 0 … n-1 in the order in which they entered; the caller maps
them to bots. Rounds and tables are numbered from 1, as they are called out in the hall; seats are
numbered from 0, as in the games.
"""

from __future__ import annotations

from dataclasses import dataclass


class ScheduleError(ValueError):
    """The settings ask for a schedule that cannot exist; the message says what to change."""


@dataclass(frozen=True, slots=True, order=True)
class Pairing:
    """One match of a schedule. `seats[s]` is the entrant in seat s."""

    round: int
    table: int
    seats: tuple[int, ...]
