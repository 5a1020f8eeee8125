"""Which entrants of a tournament are one and the same bot, so that they can be shown together as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from referee.store import Entrant
from referee.tournament.plan import Plan
from referee_leaderboard.pooled import Pooled
from referee_leaderboard.standings import Standing


def entries_by_bot(plan: Plan, entrants: Sequence[Entrant]) -> dict[str, tuple[str, ...]]:
    """The bots that were entered more than once, with the names of their entries; none where all entrants are one bot.

    A bot that the host starts is what is started, whatever name it was given; another one is the registered bot.
    """
    found: dict[str | int, list[str]] = {}
    for entrant in entrants:
        text = plan.hosted.get(entrant.name)
        found.setdefault(entrant.bot if text is None else _program(entrant.name, text), []).append(entrant.name)
    if len(found) < 2:
        return {}  # together they have what all have
    return {bot if isinstance(bot, str) else names[0]: tuple(names) for bot, names in found.items() if len(names) > 1}


def _program(name: str, text: str) -> str:
    """What is started, without the name that it was given (`NAME=BOT`): the entrant is called after it."""
    given, equals, bot = text.partition("=")
    return bot.strip() if equals and name.startswith(given) else text


def pooled(entries: Mapping[str, Sequence[str]], rows: Sequence[Standing]) -> tuple[Pooled, ...]:
    """What the entries of these bots have together, as far as they have played."""
    found = [Pooled.of(bot, names, rows) for bot, names in entries.items()]
    return tuple(one for one in found if one is not None)
