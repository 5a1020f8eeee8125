"""Presence: which bots are connected to this process, and callbacks for when one comes, goes or becomes free.

The network registers bots here; the hall asks here. A bot that has lost its connection stays registered while matches
wait for it to come back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from referee.hall.nonce_call import NonceCall
from referee.hall.notices import NoticeCode
from referee.match.match import Match
from referee.match.player import Player
from referee.rules.game import Seat


class HallPlayer(Player, Protocol):
    """A player of this process: one that tells whether it is there."""

    @property
    def connected(self) -> bool: ...


class ConnectedBot(HallPlayer, Protocol):
    """A bot that has come by itself, whatever it is connected with."""

    @property
    def leaving(self) -> bool:
        """Whether it has said that it takes no more matches."""

    @property
    def free(self) -> int:
        """How many more matches it takes now."""

    @property
    def concurrency(self) -> int:
        """How many matches it takes at once."""

    @property
    def client(self) -> str:
        """The program it says it is."""

    @property
    def seats(self) -> Mapping[str, tuple[Match, Seat]]:
        """Where it sits, by the name of the match."""

    def plays(self, game: str) -> bool: ...

    def notice(self, code: NoticeCode, text: str) -> None:
        """Tell it something: a code for programs, a sentence for its author."""

    @property
    def gives_nonces(self) -> bool:
        """Whether it wants to be asked for nonces."""

    def nonces(self, call: NonceCall, answered: Callable[[str], object] | None = None) -> None:
        """Ask it for its part in a draw of nonces; `answered` hears its commitment, or its nonce, in hex."""


class Presence:
    """The connected bots by name."""

    def __init__(self) -> None:
        self.bots: dict[str, ConnectedBot] = {}
        self._calls: list[Callable[[], object]] = []

    def find(self, name: str) -> ConnectedBot | None:
        """The bot of that name, if it is connected at this moment."""
        bot = self.bots.get(name)
        return bot if bot is not None and bot.connected else None

    def arrived(self, bot: ConnectedBot) -> None:
        """A bot is here, for the first time or again."""
        self.bots[bot.name] = bot
        self.changed()

    def gone(self, bot: ConnectedBot) -> None:
        """A bot has gone, and no match waits for it."""
        if self.bots.get(bot.name) is bot:
            del self.bots[bot.name]
        self.changed()

    def changed(self) -> None:
        """A bot has been lost, has become free, or has come or gone."""
        for call in self._calls:
            call()

    def on_change(self, call: Callable[[], object]) -> None:
        """Call this whenever a bot has come, gone or become free."""
        self._calls.append(call)

    def forget(self, call: Callable[[], object]) -> None:
        """Call this no more."""
        self._calls.remove(call)
