"""The port between a tournament and its venue: a fixture goes in, a played match comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from referee.match.clock import TimeControl
from referee.tournament.running.played import Played


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played now."""

    id: str
    game: str
    bots: tuple[str, ...]
    options: Mapping[str, Any]
    seed: bytes = field(repr=False)
    control: TimeControl
    tournament: str
    round: int
    fresh: bool = False
    """Bots must not remember earlier matches: start them anew."""
    nonces: bytes = b""
    """The digest of the entrants' nonces that went into the seed; empty without nonces."""
    attempt: int = 1
    """How often it was dealt, this time included."""
    away: frozenset[str] = frozenset()
    """Bots that have stayed away for good: the referee plays their seats, which rank last."""


class Venue(Protocol):
    """Where matches are played."""

    def present(self, bot: str) -> bool:
        """Whether this bot is there."""

    def free(self, bot: str) -> int:
        """How many more matches this bot takes now."""

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        """Start a match; calls `done` in the event loop when it has ended, with None if it was interrupted."""

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        """Whether a match of these bots that has no result may be played again on the same deal.

        Only if none of them can remember the cards. `interrupted`: it was cut short; else it ended void, and its bots
        have been told the seed.
        """

    def break_off(self, match: str) -> None:
        """End a running match without a result."""

    def scores(self, match: str) -> Sequence[int] | None:
        """The public scores of a running match, if they are at hand."""

    def on_change(self, call: Callable[[], object]) -> None:
        """Call this whenever a bot has come, gone or become free."""
