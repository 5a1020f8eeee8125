"""What counts as a bot: a function, an object with `decide`, or a class of which every match gets an instance."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from arena.decision import Decision, Match
from arena.errors import ArenaError

Answer = str | Awaitable[str]
Decide = Callable[[Decision], Answer]


class HasDecide(Protocol):
    """An object that decides; `start(match)` and `end(result)` are called if it has them."""

    @property
    def decide(self) -> Decide: ...


Bot = Decide | HasDecide | type[HasDecide]
"""What `arena.run` takes."""


class NotABot(ArenaError, TypeError):
    """What was given cannot decide; the text says what can."""

    code = 2


class Player:
    """One bot in one match: `decide`, and `end` if the bot has it."""

    __slots__ = ("decide", "end", "match")

    decide: Decide

    def __init__(self, match: Match) -> None:
        self.match = match
        self.end: Callable[[Any], object] | None = None

    def sit_down(self, bot: Any) -> None:
        """Make the bot and let it hear of the start: the author's code, which may raise anything."""
        if inspect.isclass(bot):
            bot = bot()
        self.decide = bot.decide if hasattr(bot, "decide") else bot
        start = getattr(bot, "start", None)
        if start is not None:
            start(self.match)
        self.end = getattr(bot, "end", None)


def check(bot: Any) -> Any:
    """The same bot, or NotABot."""
    if inspect.isclass(bot):
        if callable(getattr(bot, "decide", None)):
            return bot
    elif callable(getattr(bot, "decide", None)) or callable(bot):
        return bot
    raise NotABot(
        f"{bot!r} is not a bot: give arena.run a function decide(decision) -> str, or a class with such a method"
    )


def shares_memory(bot: Any) -> bool:
    """Whether one object plays all matches, so that two at once could get in each other's way."""
    return not inspect.isclass(bot) and not inspect.isfunction(bot)
