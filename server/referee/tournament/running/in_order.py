"""Playing a series of matches at a venue, with the results handed out in the order of the series.

Matches run side by side and end in any order. Quick ones end first, and quick matches are not like slow ones: whoever
counted them as they come would count a biased sample. So a result waits until all before it are there.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from typing import Any

from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture, Venue

MOST_VOIDS = 3
"""A match that comes to nothing so often ends the series."""


class CameToNothing(Exception):
    """A match that has no result however often it is played: its game fails. Says which and why."""


async def in_order(
    venue: Venue,
    fixtures: Iterator[Fixture],
    at_once: Callable[[int], int],
    failed: asyncio.Future[None] | None = None,
) -> AsyncGenerator[tuple[Fixture, Played], None]:
    """Play all fixtures; yields each with its result, in their order.

    `at_once` says how many may be under way, given how many results have been handed out: a caller that stops as soon
    as it knows enough starts with few. `failed` ends the series with its exception. Close the iterator to stop early:
    what is still running is broken off.
    """
    series = _Series(venue)
    taken = 0
    more = True
    try:
        while True:
            while more and len(series.open) < max(1, at_once(taken)):
                fixture = next(fixtures, None)
                if fixture is None:
                    more = False
                else:
                    series.start(fixture)
            if not series.open:
                return
            first = series.open[0]
            waiting: set[asyncio.Future[Any]] = {first.result} if failed is None else {first.result, failed}
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if failed is not None and failed.done():
                failed.result()
            played = first.result.result()
            series.open.popleft()
            taken += 1
            yield first.fixture, played
    finally:
        series.break_off()


class _Started:
    """A match under way, and its result when it is there."""

    def __init__(self, fixture: Fixture) -> None:
        self.fixture = fixture
        self.result: asyncio.Future[Played] = asyncio.get_running_loop().create_future()
        self.voids = 0


class _Series:
    """The matches under way, in their order."""

    def __init__(self, venue: Venue) -> None:
        self.open: deque[_Started] = deque()
        self._venue = venue
        self._closed = False

    def start(self, fixture: Fixture) -> None:
        started = _Started(fixture)
        self.open.append(started)
        self._play(started)

    def break_off(self) -> None:
        self._closed = True
        for started in self.open:
            if started.result.done():
                started.result.exception()  # seen, or asyncio would complain about it
            else:
                started.result.cancel()
                self._venue.break_off(started.fixture.id)

    def _play(self, started: _Started) -> None:
        self._venue.play(started.fixture, lambda played: self._over(started, played))

    def _over(self, started: _Started, played: Played | None) -> None:
        if self._closed or started.result.done():
            return
        if played is not None and not played.ending.void:
            started.result.set_result(played)
            played.announce()
            return
        if played is not None:
            played.announce()
            started.voids += 1
            if started.voids >= MOST_VOIDS:
                why = f"match {started.fixture.id} came to nothing {started.voids} times: {played.ending.texts[0]}"
                started.result.set_exception(CameToNothing(why))
                return
        # Interrupted, or void: once more, and not from inside the venue's own call.
        asyncio.get_running_loop().call_soon(self._again, started)

    def _again(self, started: _Started) -> None:
        if not self._closed:
            self._play(started)
