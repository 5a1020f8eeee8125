"""The bots of a simulation: house bots and Python functions in this process, or all of them as programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from referee.cli.errors import wrong_use

if TYPE_CHECKING:
    from arena.bots import Bot
    from referee.hosting.bot.spec import BotSpec
    from referee.rules.game import Game


@dataclass(frozen=True, slots=True)
class SimulatedField:
    """Who plays, by seat."""

    labels: list[str]
    """What each seat's bot is called; a bot that sits in several seats has the same label in all."""
    inside: Sequence[str | Bot] = ()
    """The bots, if all can play in this process."""
    programs: dict[str, BotSpec] = field(default_factory=dict)
    """Else all of them as programs, under names that are all different …"""
    names: list[str] = field(default_factory=list)
    """… and by seat."""


def field_of(game: Game[Any], players: int, texts: Sequence[str]) -> SimulatedField:
    """The bots that a person has named, repeated over the seats; WrongUse if one cannot be had."""
    from referee.hosting import simulation
    from referee.hosting.bot import functions, names

    if len(texts) > players:
        wrong_use(f"{len(texts)} bots for {players} seats: name at most one per seat")
    given = [names.given(text) for text in texts]
    if all(_plays_inside(bot) for _, bot in given):
        bots = [functions.load(bot) if functions.written_as(bot) else bot for _, bot in given]
        seats = simulation.seat_bots(game, players, bots)
        labels = [name or _label(bot) for name, bot in given]
        return SimulatedField([labels[seat % len(labels)] for seat in range(players)], seats)
    return _as_programs(game.name, players, given)


def _plays_inside(bot: str) -> bool:
    """Whether a bot plays in this process: a function, or a house bot in Python; or no bot at all, as will be told."""
    from referee.hosting.bot import folders, functions
    from referee.hosting.simulation import RANDOM

    if bot == RANDOM or functions.written_as(bot):
        return True
    if bot in folders.names():
        return folders.find(bot).inside
    return bot.isidentifier() and not _is_something(bot)


def _is_something(bot: str) -> bool:
    """Whether a word that is no house bot names a bot all the same: a folder or a program."""
    from referee.hosting.bot.spec import parse
    from referee.rules.game import WrongUse

    try:
        parse(bot)
    except WrongUse:
        return False
    return True


def _as_programs(game: str, players: int, given: Sequence[tuple[str, str]]) -> SimulatedField:
    from referee.cli.local_venue import find_bots, name_bots
    from referee.hosting.bot import functions
    from referee.hosting.bot.names import telling

    texts = [
        f"{name or _label(bot)}={functions.as_program(bot)}" if functions.written_as(bot) else _named(name, bot)
        for name, bot in given
    ]
    found = find_bots(game, texts)
    labels = telling([(bot.text, bot.names) for bot in found])
    seats = [found[seat % len(found)] for seat in range(players)]
    names = name_bots(seats)
    return SimulatedField(
        [labels[seat % len(labels)] for seat in range(players)],
        programs=dict(zip(names, seats, strict=True)),
        names=names,
    )


def _named(name: str, bot: str) -> str:
    return f"{name}={bot}" if name else bot


def _label(bot: str) -> str:
    """A function is called as its file."""
    from referee.hosting.bot import functions
    from referee.hosting.bot.names import clean

    found = functions.written_as(bot)
    return clean(found[0].stem) if found else bot
