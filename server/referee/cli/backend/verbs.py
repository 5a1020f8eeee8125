"""What commands can ask of a backend: the verbs that a database file and a running server share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from referee.cli.errors import DONE

if TYPE_CHECKING:
    from referee.tournament.plan import Plan
    from referee_leaderboard import Standings

Row = dict[str, Any]
"""A bot or a tournament as plain values, as `--json` prints it."""


@dataclass(frozen=True, slots=True)
class Steered:
    """How a tournament is now; no word if all was said while it was played. And the exit code."""

    state: str = ""
    code: int = DONE


class Backend(Protocol):
    """What a command can ask for, wherever the tournaments are."""

    @property
    def where(self) -> str:
        """The option that leads to the same place, for a command to paste; empty for the usual place."""

    def add_bot(self, name: str) -> str:
        """Register a bot; returns its token."""

    def rotate_bot(self, name: str) -> str:
        """Give a bot a new token, and return it."""

    def revoke_bot(self, name: str) -> None:
        """Make a bot's token void."""

    def bots(self) -> list[Row]:
        """All bots."""

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
        """Create a tournament; returns its name, how many matches it has, and the commitment to its deals."""

    def start(self, name: str, concurrency: int | None = None) -> Steered:
        """Start a tournament."""

    def resume(self, name: str, concurrency: int | None = None) -> Steered:
        """Go on with a paused or interrupted tournament."""

    def pause(self, name: str) -> Steered:
        """Let the running matches end and start no more."""

    def cancel(self, name: str) -> Steered:
        """End a tournament for good."""

    def join(self, name: str, bot: str) -> int:
        """Let a further bot in; returns how many matches that adds."""

    def tournaments(self) -> list[Row]:
        """All tournaments, newest first."""

    def standings(self, tournament: str) -> Standings:
        """How a tournament stands at this moment; without a name the running or newest."""

    async def watch(self, tournament: str) -> None:
        """The live screen, until the tournament is over or the watcher leaves."""
