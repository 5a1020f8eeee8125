"""What commands can ask of a backend: the verbs that a database file and a running server share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from referee.cli.errors import DONE, WRONG_USE, Failure

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from referee.match.seat_log import SeatLog
    from referee.tournament.audit.folder import Published
    from referee.tournament.events import Event
    from referee.tournament.plan import Plan
    from referee_leaderboard import Standings

Row = dict[str, Any]
"""A bot or a tournament as plain values, as `--json` prints it."""


@dataclass(frozen=True, slots=True)
class ControlResult:
    """The state of a tournament after a control command, empty if it was already printed, and the exit code."""

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

    def add_admin(self, name: str, role: str) -> str:
        """Register an admin; returns the token."""

    def admins(self) -> list[Row]:
        """All admins who have a token."""

    def rotate_admin(self, name: str) -> str:
        """Give an admin a new token, and return it; `host` is the admin token of the installation."""

    def set_admin_role(self, name: str, role: str) -> None:
        """Give an admin another role."""

    def remove_admin(self, name: str) -> None:
        """Make an admin's token void."""

    def invite(self, count: int, seconds: float | None, notes: Sequence[str]) -> list[Row]:
        """Make invitations that expire after so many seconds; rows with their codes."""

    def invitations(self) -> list[Row]:
        """All invitations, the oldest first, without their codes."""

    def revoke_invitations(self, numbers: Sequence[int]) -> None:
        """Make open invitations void."""

    def create(self, name: str, plan: Plan, bots: list[str], seed: str | None, *, repeatable: bool, start: bool) -> Row:
        """Create a tournament; returns its name, how many matches it has, and the commitment to its deals."""

    def start(self, name: str, concurrency: int | None = None) -> ControlResult:
        """Start a tournament."""

    def resume(self, name: str, concurrency: int | None = None) -> ControlResult:
        """Go on with a paused or interrupted tournament."""

    def pause(self, name: str) -> ControlResult:
        """Let the running matches end and start no more."""

    def cancel(self, name: str) -> ControlResult:
        """End a tournament for good."""

    def join(self, name: str, bot: str, *, dry_run: bool = False) -> int:
        """Let a further bot in; returns how many matches that adds. A dry run only counts them."""

    def extend(self, name: str, rounds: int, *, dry_run: bool = False) -> int:
        """Append rounds to a round-robin; returns how many matches that adds."""

    def undo(self, name: str, *, dry_run: bool = False) -> tuple[int, list[str]]:
        """Take back who joined last, or the last extension: how many matches, and which bots."""

    def reopen(self, name: str) -> int:
        """Open a tournament again that is over; returns how many matches can be played."""

    def rule(self, name: str, action: str, subject: str, reason: str, *, annul: bool = False) -> str:
        """Disqualify or withdraw a bot, annul or replay a match; returns what was ruled, in a sentence."""

    def tournaments(self) -> list[Row]:
        """All tournaments, newest first."""

    def find_matches(self, wanted: Mapping[str, Any], limit: int, offset: int = 0) -> tuple[list[Row], int]:
        """Matches for which everything holds that is wanted, newest first, and how many there are in all.

        `wanted` has the fields of `referee.store.MatchQuery`, with `states` in words.
        """

    def match(self, name: str) -> Row:
        """The match of that name: `league/12`, `practice/5`, or a number alone where there is one tournament."""

    def record(self, name: str) -> bytes | None:
        """The record of the match of that name; None if it has none."""

    def bot_logs(self, name: str) -> list[SeatLog]:
        """What hosted bots wrote to stderr during a match, as far as the caller may see it."""

    def standings(self, tournament: str) -> Standings:
        """How a tournament stands at this moment; without a name the running or newest."""

    def published(self, tournament: str) -> AbstractContextManager[Published]:
        """All that is public of a tournament: what an export is made of."""

    def installation_events(self) -> Iterable[Event]:
        """What happened to bots and tokens, as far as the caller may know it."""

    async def watch(self, tournament: str) -> None:
        """The live screen, until the tournament is over or the watcher leaves."""


def complete_name(name: str, tournaments: Sequence[str]) -> str:
    """The whole name of a match: a number alone is meant in the only tournament there is."""
    if not (name.isascii() and name.isdecimal()):
        return name
    if len(tournaments) != 1:
        raise Failure(
            f"there are {len(tournaments)} tournaments: name the match TOURNAMENT/{name}, or practice/{name}", WRONG_USE
        )
    return f"{tournaments[0]}/{name}"
