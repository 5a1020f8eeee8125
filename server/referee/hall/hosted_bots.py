"""The port between the hall and the host of submitted bots: which of them play here, and who sits down for them.

The programs run in sandboxes and are started by `workers/version_host.py`, which the hall does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from referee.match.player import Player
from referee.match.seat_log import SeatLog


class HostedSeat(NamedTuple):
    """Who sits down for a submitted bot."""

    player: Player
    version: int
    why_not: str = ""
    """Why the bot itself could not be had: its seat is forfeited at once."""


class Unseated(Exception):
    """The machine could not start a bot, or its version was just exchanged: the match must not begin now."""


class HostedBots(Protocol):
    """The submitted bots of this server."""

    def version(self, bot: str) -> int | None:
        """The number of the version that plays; None if this bot is not hosted."""

    def plays(self, bot: str, game: str) -> bool:
        """Whether the version that plays is there, and says that it plays this game."""

    def free(self, bot: str) -> int:
        """How many more matches it takes now."""

    def busy(self, bot: str) -> bool:
        """Whether a hosted version of this bot is in a match, also one that is active no longer."""

    def hold(self, match: str, hosted: Sequence[str]) -> None:
        """These bots are about to sit down at a match, and count as busy until they `leave` it."""

    async def seat(self, match: str, bots: Sequence[str], decisions: Callable[[], int]) -> dict[str, HostedSeat]:
        """The bots that are held for a match, ready to sit down; Unseated if that cannot be now.

        `bots` are all of the match by seat, for the logs; `decisions` tells how many the match has had so far.
        """

    def logs(self, match: str) -> tuple[SeatLog, ...]:
        """The match is over: what its hosted bots wrote."""

    def leave(self, match: str) -> None:
        """Its bots have been told that it is over, or it has not begun."""

    def benched(self) -> Collection[str]:
        """The bots that kept crashing and forfeit their matches for a while."""

    def on_change(self, call: Callable[[], object]) -> None:
        """Call this whenever a version has come, gone or become free."""

    def forget(self, call: Callable[[], object]) -> None:
        """Call this no more."""


class VersionHosting(HostedBots, Protocol):
    """The host of submitted bots, for those who decide which version plays."""

    async def open(self) -> None:
        """Bots can be started from now on."""

    async def close(self) -> None:
        """End all of them."""

    def put(self, bot: str, version: int, folder: Path | None) -> None:
        """Host this version of a bot from now on; None: its files are missing, and it counts as not there."""

    def take_back(self, bot: str) -> None:
        """Host this bot no longer; its running matches go on to their end."""


class NoHostedBots:
    """Where no submitted bots play. It is a `HostedBots`."""

    def version(self, bot: str) -> int | None:
        return None

    def plays(self, bot: str, game: str) -> bool:
        return False

    def free(self, bot: str) -> int:
        return 0

    def busy(self, bot: str) -> bool:
        return False

    def hold(self, match: str, hosted: Sequence[str]) -> None: ...

    async def seat(self, match: str, bots: Sequence[str], decisions: Callable[[], int]) -> dict[str, HostedSeat]:
        return {}

    def logs(self, match: str) -> tuple[SeatLog, ...]:
        return ()

    def leave(self, match: str) -> None: ...

    def benched(self) -> Collection[str]:
        return ()

    def on_change(self, call: Callable[[], object]) -> None: ...

    def forget(self, call: Callable[[], object]) -> None: ...
