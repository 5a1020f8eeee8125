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

    def __init__(self, bot: Any, match: Match) -> None:
        self.match = match
        if inspect.isclass(bot):
            bot = bot()
        decide: Decide = bot.decide if hasattr(bot, "decide") else bot
        self.decide = decide
        start = getattr(bot, "start", None)
        self.end: Callable[[Any], object] | None = getattr(bot, "end", None)
        if start is not None:
            start(match)


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
