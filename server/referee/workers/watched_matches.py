"""Spectators of matches in worker processes: decisions of a watched match, and scores of all, told by the workers.

A worker tells nothing while nobody watches: a match is followed from the moment somebody looks at it until it has been
left alone for a while, and scores are asked for when standings are made.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from referee.match.result import Ending, void
from referee.rules import registry
from referee.rules.game import Game
from referee.tournament.running.venue import Fixture

LEFT_ALONE_SECONDS = 10.0
"""A match that nobody has looked at for so long is not told any more."""
ANSWER_SECONDS = 5.0
"""A worker that starts bots may be slow to answer; then the match is shown from its beginning."""
SCORES_SECONDS = 1.0
"""Least time between two questions for scores."""
INTERRUPTED = "the match was interrupted and is played again"


class WatchedMatch:
    """A match that a worker plays, as far as it has told."""

    def __init__(self, fixture: Fixture) -> None:
        self.id = fixture.id
        self.game: Game[Any] = registry.find(fixture.game)
        self.names: Sequence[str] = fixture.bots
        self.options: Mapping[str, Any] = fixture.options
        self.seed = fixture.seed
        self.moves: list[str] = []
        self.outcome: Ending | None = None
        self.told = asyncio.Event()
        """Set once the worker has answered."""
        self.events: set[asyncio.Event] = set()
        self.looked_at = time.monotonic()

    def changed(self) -> None:
        self.told.set()
        for event in self.events:
            event.set()


class WatchedMatches:
    """All matches that workers play, for those who watch."""

    delay = 0

    def __init__(self, tell: Callable[[str | None, dict[str, Any]], object]) -> None:
        """`tell` gives an order to the worker that plays a match; None: to all workers."""
        self._tell = tell
        self._running: dict[str, Fixture] = {}
        self._watched: dict[str, WatchedMatch] = {}
        self._scores: dict[str, list[int]] = {}
        self._asked_at = float("-inf")

    # For those who watch.

    def is_running(self, id: str) -> bool:
        """Whether a match of this name is being played."""
        return id in self._running

    async def find(self, id: str) -> WatchedMatch | None:
        """The match with its decisions so far; None if it is not being played."""
        if id not in self._running:
            return None
        match = self._follow(id)
        match.looked_at = time.monotonic()
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_SECONDS):
                await match.told.wait()
        return match

    def watch(self, id: str) -> asyncio.Event:
        """An event that is set after decisions of a match and when its result is stored."""
        event = asyncio.Event()
        if id in self._running:
            self._follow(id).events.add(event)
        else:
            event.set()  # it has ended meanwhile
        return event

    def unwatch(self, id: str, event: asyncio.Event) -> None:
        if id in self._watched:
            self._watched[id].events.discard(event)

    def scores(self, id: str) -> Sequence[int] | None:
        """The scores of a running match, as they were a moment ago; None until they are known."""
        now = time.monotonic()
        if now - self._asked_at >= SCORES_SECONDS:
            self._asked_at = now
            self._tell(None, {"do": "scores"})
        return self._scores.get(id)

    # What workers tell.

    def started(self, fixture: Fixture) -> None:
        """A match is given to a worker."""
        self._running[fixture.id] = fixture

    def moved(self, id: str, moves: Sequence[str]) -> None:
        """Further decisions of a watched match."""
        match = self._watched.get(id)
        if match is None:
            return
        match.moves.extend(moves)
        match.changed()
        if not match.events and time.monotonic() - match.looked_at > LEFT_ALONE_SECONDS:
            del self._watched[id]
            self._tell(id, {"do": "unwatch", "match": id})

    def scored(self, scores: Mapping[str, list[int]]) -> None:
        """The scores of running matches."""
        self._scores.update((id, those) for id, those in scores.items() if id in self._running)

    def ended(self, id: str, ending: Ending | None) -> None:
        """A match is over and its result is stored; None: it was interrupted, and may be played again."""
        fixture = self._running.pop(id, None)
        self._scores.pop(id, None)
        match = self._watched.pop(id, None)
        if fixture is not None and match is not None:
            match.outcome = ending or void([0] * len(fixture.bots), INTERRUPTED)
            match.changed()

    def _follow(self, id: str) -> WatchedMatch:
        if id not in self._watched:
            self._watched[id] = WatchedMatch(self._running[id])
            self._tell(id, {"do": "watch", "match": id})
        return self._watched[id]
