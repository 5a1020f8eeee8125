"""Who is away, and for how long, as the bots themselves know it: no match is set aside before its bot was away so long.

Kept by a clock that counts a stall of the server as no more than the pause that the server is allowed: a bot could not
have come back meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.tournament.running.runner import LONGEST_PAUSE

A_MOMENT = LONGEST_PAUSE + 0.1
"""The server may hear of it so much sooner or later than the bot."""


@dataclass
class Absences:
    """The latest absence of every bot."""

    patience: float
    """So long a match waits for a bot that is away."""
    _stood_still: float = 0.0
    _since: dict[str, float] = field(default_factory=dict)
    _until: dict[str, float] = field(default_factory=dict)

    def stalled(self, seconds: float) -> None:
        """The server has stood still for so long."""
        self._stood_still += max(0.0, seconds - LONGEST_PAUSE)

    def begin(self, bots: list[str], now: float) -> None:
        """A server was started: to it, no bot was ever there."""
        self._since = dict.fromkeys(bots, now - self._stood_still)
        self._until.clear()

    def gone(self, bot: str, now: float) -> None:
        """The connection of a bot has broken; only the first word of it counts."""
        if self._until.pop(bot, None) is not None:
            self._since[bot] = now - self._stood_still

    def back(self, bot: str, now: float) -> None:
        """The server has let a bot in."""
        self._until[bot] = now - self._stood_still

    def long_enough(self, bots: list[str], now: float) -> bool:
        """Whether a match of these bots may be set aside now."""
        running = now - self._stood_still
        return any(
            self._until.get(bot, running) > running - A_MOMENT
            and self._until.get(bot, running) - self._since[bot] > self.patience - A_MOMENT
            for bot in bots
        )
