"""Matches of bots in this process, for their authors' tests: the part of `arena.testing.play` that needs the rules.

An author calls `arena.testing.play`. No other part of the SDK knows this package, and it is imported when called.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from arena.bots import Bot, Player
from arena.decision import Match
from arena.errors import BotFailed, Refused
from arena.results import Result
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.hosting.simulation import RANDOM, BotFault
from referee.match.result import Termination
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Game, State, WrongUse
from referee.rules.playout import Chooser, match_seed, random_chooser
from referee.rules.views import pack, view_format_of

Wait = Callable[[Any], Any]


def series(
    bots: Sequence[str | Bot], game: str, matches: int, options: Mapping[str, Any], seed: str
) -> Iterator[tuple[Result, int]]:
    """Play the matches; yields how each ended for the first of the bots, and how many moves were made in it.

    A text is the name of a house bot. Refused: no such game, bot or option. BotFailed: which bot did what, and when.
    """
    try:
        found = registry.find(game)
        found.check_players(len(bots))
        chosen = found.resolve_options(options)
        loaded = [_load(bot, game) for bot in bots]
    except WrongUse as error:
        raise Refused(str(error)) from None
    _check_no_loop(loaded)
    names = [bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__) for bot in bots]
    root = hashlib.sha256(seed.encode()).digest()
    with ExitStack() as stack:
        runner: asyncio.Runner | None = None

        def wait(answer: Any) -> Any:
            nonlocal runner
            if runner is None:  # only async bots need a loop; they keep it through the series
                runner = stack.enter_context(asyncio.Runner())
            return runner.run(inprocess.awaited(answer))

        for number in range(matches):
            turn = number % len(bots)  # the bots move round the table, so that no seat is always the same bot's
            order = [(seat + turn) % len(bots) for seat in range(len(bots))]
            table = _Match(found, chosen, f"test/{number + 1}", match_seed(root, number), wait)
            try:
                yield table.play([loaded[index] for index in order], [names[index] for index in order], order.index(0))
            except BotFault as fault:
                raise BotFailed(str(fault)) from fault.__cause__


def _load(bot: str | Bot, game: str) -> Any:
    """A bot that can be asked; None is the one that picks at random."""
    if not isinstance(bot, str):
        return bot
    return None if bot == RANDOM else folders.load(folders.find(bot, game))


def _check_no_loop(bots: Sequence[Any]) -> None:
    """Async bots are run by a loop of this series, which cannot be inside another one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # as it should be
        return
    if any(inspect.iscoroutinefunction(getattr(bot, "decide", bot)) for bot in bots):
        raise Refused(
            "an event loop is running here already, and an async bot needs one of its own: "
            "say  await asyncio.to_thread(arena.testing.play, bot, others, game=GAME)"
        )


class _Match:
    """One match: what all its seats share."""

    def __init__(self, game: Game[Any], options: Mapping[str, Any], id: str, seed: bytes, wait: Wait) -> None:
        self._game = game
        self._options = options
        self._id = id
        self._seed = seed
        self._wait = wait

    def play(self, bots: Sequence[Any], names: Sequence[str], own: int) -> tuple[Result, int]:
        """To the end; the result for the seat `own`, and how many moves were made."""
        state = self._game.begin(len(bots), self._options, Seeded(self._seed))
        infos = [self._info(state, seat, names) for seat in range(len(bots))]
        players = [None if bot is None else self._start(bot, info) for bot, info in zip(bots, infos, strict=True)]
        choosers = [self._chooser(player, seat) for seat, player in enumerate(players)]
        moves = 0
        while asked := state.pending():
            moves += len(asked)
            state.play({seat: choosers[seat](state, seat) for seat in asked})
        for player in players:
            if player is not None and player.end is not None:
                self._end(player, self._result(state, player.match))
        return self._result(state, infos[own]), moves

    def _info(self, state: State[Any], seat: int, names: Sequence[str]) -> Match:
        view = view_format_of(self._game, state)
        return Match(
            self._id,
            self._game.name,
            seat,
            tuple(names),
            dict(self._options),
            inprocess.BUDGET,
            game_version=self._game.version,
            view_type=view.type,
            view_descriptor=view.descriptor,
        )

    def _start(self, bot: Any, info: Match) -> Player:
        try:
            return Player(bot, info)
        except Exception as error:
            raise BotFault(f"{_who(info)}: failed to start: {type(error).__name__}: {error}") from error

    def _chooser(self, player: Player | None, seat: int) -> Chooser:
        if player is None:
            return random_chooser(self._seed, seat)
        return inprocess.asking(player, _who(player.match), self._wait)

    def _end(self, player: Player, result: Result) -> None:
        assert player.end is not None
        try:
            player.end(result)
        except Exception as error:
            raise BotFault(f"{_who(result.match)}: failed in end: {type(error).__name__}: {error}") from error

    def _result(self, state: State[Any], info: Match) -> Result:
        result = state.result()
        assert result is not None
        seats = len(result.ranks)
        return Result(
            info,
            tuple(result.ranks),
            tuple(result.scores),
            (Termination.FINISHED.word,) * seats,
            ("",) * seats,
            result.reason,
            self._seed.hex(),
            pack(state.view(info.seat)),
        )


def _who(info: Match) -> str:
    return f"bot {info.names[info.seat]!r} in match {info.id}, seat {info.seat}"
