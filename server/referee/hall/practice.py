"""Practice matches: outside any tournament, stored all the same."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import structlog

from referee.hall.hall import Hall
from referee.hall.presence import HallPlayer
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Ending
from referee.rules.game import Game, WrongUse
from referee.store import MatchState, NewEntrant, Store, StoredMatch, StoreError
from referee.threads import in_thread
from referee.tournament.running.ended import result_of
from referee.tournament.running.played import Played

log = structlog.get_logger()
Over = Callable[[Match, Ending], object]


class GoneMeanwhile(WrongUse):
    """A bot's stream ended while its match was being prepared; it may be back on another one."""


class PracticeMatches:
    """Starts practice matches and keeps their results."""

    def __init__(self, store: Store, hall: Hall) -> None:
        self._store = store
        self._hall = hall
        self._tasks: set[asyncio.Task[None]] = set()

    async def play(
        self,
        game: Game[Any],
        entrants: Sequence[NewEntrant],
        players: Sequence[HallPlayer],
        options: Mapping[str, Any],
        control: TimeControl,
        *,
        seed: bytes | None = None,
        over: Over | None = None,
    ) -> Match:
        """Start one match; `over` is called when its result is stored and its players have been told.

        GoneMeanwhile if a bot's stream has ended before it could begin.
        """
        loop = asyncio.get_running_loop()
        settings = {"options": dict(options), "limit": control.limit, "bank": control.bank}

        def prepare() -> StoredMatch:
            _warm_up(game, len(players), options)
            return self._store.matches.add_practice(game.name, str(game.version), entrants, settings)

        row = await in_thread(prepare)
        gone = [player.name for player in players if not player.connected]
        if gone:
            await in_thread(self._set_aside, row.id, f"{gone[0]} has gone")
            raise GoneMeanwhile(f"{gone[0]} is not connected")

        def finished(match: Match, ending: Ending) -> None:
            task = loop.create_task(self._keep(row.id, match, ending, over))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return self._hall.play(
            f"practice/{row.id}",
            game,
            players,
            options,
            seed or secrets.token_bytes(32),
            control,
            finished=finished,
        )

    async def settle(self) -> None:
        """Until the results of all matches that have ended are stored and told."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _keep(self, number: int, match: Match, ending: Ending, over: Over | None) -> None:
        played = Played.of(match, ending)
        try:
            if ending.void:
                await in_thread(self._set_aside, number, ending.texts[0])
            else:
                result = result_of(number, 1, match.seed, played)
                await asyncio.wrap_future(self._store.matches.report_later(result))
        except StoreError as error:
            log.error("a practice match could not be stored", match=match.id, why=str(error))
        finally:
            match.announce()
            if over is not None:
                over(match, ending)

    def _set_aside(self, number: int, why: str) -> None:
        self._store.matches.set_aside(number, MatchState.VOID, why)


def _warm_up(game: Game[Any], players: int, options: Mapping[str, Any]) -> None:
    """Let a game work out what it keeps for a set of options, such as the shapes of a sheet, beside the event loop."""
    if options != game.resolve_options():
        with suppress(Exception):  # what is wrong here shows again when the match is started, and is dealt with there
            game.start(players, options)
