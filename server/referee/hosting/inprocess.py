"""A bot that plays in this process: asked through the same `Decision` as over the wire, its answers judged here."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from arena.bots import Player
from arena.decision import Decision, Match
from referee.hosting.simulation import BotFault
from referee.rules.game import Game, Seat, State, Unreadable
from referee.rules.playout import Chooser
from referee.rules.views import pack

BUDGET = 1.0
"""No clock runs in this process; a bot that plans by its budget is told one second."""


def _run(answer: Any) -> Any:
    return asyncio.run(awaited(answer))


async def awaited(answer: Any) -> Any:
    """What an async bot returns, as a coroutine: a loop runs nothing else."""
    return await answer


def chooser(
    bot: Any, name: str, game: Game[Any], options: Mapping[str, Any], match: str, seat: Seat, names: Sequence[str]
) -> Chooser:
    """A chooser for one seat of one match that asks the bot and checks what it says."""
    info = Match(match, game.name, seat, tuple(names), dict(options), BUDGET, 0.0, game.version)
    who = f"bot {name!r} in match {match}, seat {seat}"
    try:
        player = Player(bot, info)
    except Exception as error:
        raise BotFault(f"{who}: failed to start: {type(error).__name__}: {error}") from error
    return asking(player, who)


def asking(player: Player, who: str, wait: Callable[[Any], Any] = _run) -> Chooser:
    """A chooser that asks a bot which has been started; `wait` runs what an async bot returns."""
    info = player.match
    asked = 0

    def choose(state: State[Any], seat: Seat) -> Any:
        nonlocal asked
        legal = state.legal(seat)
        texts = [state.format(move) for move in legal.moves]
        decision = Decision(info, asked, texts, lambda: _seen(state, seat), complete=legal.complete, budget=BUDGET)
        asked += 1
        try:
            answer = player.decide(decision)
            text = wait(answer) if inspect.isawaitable(answer) else answer
        except Exception as error:
            raise BotFault(f"{who}: raised {type(error).__name__}: {error}") from error
        if not isinstance(text, str):
            raise BotFault(f"{who}: answered {text!r}, which is no text; decide returns a move such as {texts[0]!r}")
        try:
            move = state.parse(text)
        except Unreadable as error:
            raise BotFault(f"{who}: answered {text!r}, which cannot be read: {error}") from None
        if rejection := state.check(seat, move):
            raise BotFault(f"{who}: answered {text!r}, which is illegal: {rejection.message} ({rejection.code})")
        return move

    return choose


def _seen(state: State[Any], seat: Seat) -> Any:
    """The view as a bot gets it over the wire: a dict is a copy, so that a bot cannot change the match through it."""
    view = state.view(seat)
    return view if isinstance(view, Message) else json.loads(pack(view))
