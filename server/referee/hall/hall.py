"""The hall: all matches that are being played in this process, and the heartbeat that watches their clocks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog

from referee.match.clock import Lag, TimeControl
from referee.match.match import Match
from referee.match.player import Player
from referee.match.result import Ending
from referee.rules.game import Game

log = structlog.get_logger()
Finished = Callable[[Match, Ending], object]
STOOD_STILL = 1.0
"""Seconds by which a heartbeat is late before the log tells it: the machine was busy, or the process was stopped."""


class Hall:
    """Starts matches, ticks their clocks, and knows which are running."""

    def __init__(self, admission: Callable[[float], float] = lambda now: 0.0, delay: int = 0) -> None:
        """`admission` tells how long bots wait at this moment before they are let in; `delay` is by how many decisions
        running matches are shown late to all who watch.
        """
        self.lag = Lag()
        self.delay = delay
        self._admission = admission
        self.matches: dict[str, Match] = {}
        self.decisions = 0
        self.on_end: list[Callable[[Match, Ending], object]] = []
        """Called for every match that ends here, before its result is stored."""
        self._watchers: dict[str, set[asyncio.Event]] = {}
        self._empty = asyncio.Event()
        self._empty.set()

    def play(
        self,
        id: str,
        game: Game[Any],
        players: Sequence[Player],
        options: Mapping[str, Any],
        seed: bytes,
        control: TimeControl,
        *,
        tournament: str = "",
        nonces: bytes = b"",
        attempt: int = 0,
        finished: Finished | None = None,
    ) -> Match:
        """Start a match. `finished(match, ending)` is called before the players hear of the end and has to call
        `match.announce()` once the result is stored; without it they are told at once.
        """

        def over(match: Match, ending: Ending) -> None:
            self._close(match)
            for call in self.on_end:
                call(match, ending)
            if match.failure is not None:
                log.error("a game failed", game=game.name, match=match.id, seed=seed.hex(), exc_info=match.failure)
            if finished is None:
                match.announce()
            else:
                finished(match, ending)

        match = Match(
            id,
            game,
            players,
            options,
            seed,
            control,
            lag=self.lag,
            finished=over,
            moved=self._moved,
            announced=self._wake_watchers,
            tournament=tournament,
            nonces=nonces,
            attempt=attempt,
        )
        self.matches[id] = match
        self._empty.clear()
        match.start()
        return match

    async def beat(self) -> None:
        """The heartbeat; runs as long as the hall is open."""
        interval = self.lag.interval
        while True:
            now = time.monotonic()
            self.lag.beat(now)
            self.lag.admission = self._admission(now)
            for match in list(self.matches.values()):
                if match.deadline is not None and match.deadline <= now:
                    try:
                        match.tick(now)
                    except Exception:  # one match must never stop the clocks of all others
                        log.exception("a match could not be looked after", match=match.id)
            await asyncio.sleep(interval)
            if (late := time.monotonic() - now - interval) >= STOOD_STILL:
                log.warning("the server stood still; no bot is charged for it", seconds=round(late, 1))

    async def wait_empty(self) -> None:
        """Until no match is running."""
        await self._empty.wait()

    def is_running(self, id: str) -> bool:
        """Whether a match of this name is being played."""
        return id in self.matches

    async def find(self, id: str) -> Match | None:
        """The match of this name that is being played, for those who watch."""
        return self.matches.get(id)

    def watch(self, id: str) -> asyncio.Event:
        """An event that is set after every decision of a match, at its end, and when its result is stored."""
        event = asyncio.Event()
        self._watchers.setdefault(id, set()).add(event)
        return event

    def unwatch(self, id: str, event: asyncio.Event) -> None:
        watchers = self._watchers.get(id, set())
        watchers.discard(event)
        if not watchers:
            self._watchers.pop(id, None)

    def _moved(self, match: Match) -> None:
        self.decisions += 1
        if self._watchers:
            self._wake_watchers(match)

    def _wake_watchers(self, match: Match) -> None:
        for event in self._watchers.get(match.id, ()):
            event.set()

    def _close(self, match: Match) -> None:
        self.matches.pop(match.id, None)
        self._wake_watchers(match)
        if not self.matches:
            self._empty.set()
