"""A request for practice as a bot makes it, and the answer where no practice is to be had.

Apart from the lobby, which needs the store: a worker process lets bots in without one.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.hall.notices import NoticeCode
from referee.hall.presence import ConnectedBot


@dataclass(frozen=True, slots=True)
class PracticeRequest:
    """What a bot asks for; nothing of it has been checked."""

    game: str
    against: tuple[str, ...]
    """House bots and connected bots by name, or `anyone`."""
    matches: int = 0
    """How many; 0 stands for one."""
    options_json: str = ""


class NoLobby:
    """The lobby of a process that offers no practice."""

    def wish(self, bot: ConnectedBot, asked: PracticeRequest) -> bool:
        bot.notice(NoticeCode.REFUSED, "this server offers no practice matches")
        return True  # nothing was looked for: it costs no more than any other message

    def gone(self, bot: ConnectedBot) -> None:
        """Nothing to do: it has no wish here."""

    def away(self, bot: ConnectedBot) -> None:
        """There is nothing to keep for it."""

    def left(self, name: str) -> int:
        return 0

    def back(self, bot: ConnectedBot) -> None:
        """There is nothing to go on with."""
