"""A request for practice as a bot makes it, and the answer where no practice is to be had.

Apart from the lobby, which needs the store: a worker process lets bots in without one.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.hall.presence import ConnectedBot


@dataclass(frozen=True, slots=True)
class PracticeRequest:
    """What a bot asks for; nothing of it has been checked."""

    game: str
    against: tuple[str, ...]
    """House bots by name, or `anyone`."""
    matches: int = 0
    """How many; 0 stands for one."""
    options_json: str = ""


class NoLobby:
    """Where no practice is to be had."""

    def wish(self, bot: ConnectedBot, asked: PracticeRequest) -> bool:
        bot.notice("refused", "this server offers no practice matches")
        return True  # nothing was looked for: it costs no more than any other message

    def gone(self, bot: ConnectedBot) -> None:
        """It wished for nothing."""
