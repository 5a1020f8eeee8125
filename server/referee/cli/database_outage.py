"""A database that cannot be used for a while, such as a PostgreSQL server that is started again: a run waits for it.

Two notice it, in either order: the writer, which keeps the results that are there until it can write them, and whoever
reads standings, whose error ends the playing until the database is back. A person hears of it once, at once, and can
stop the run meanwhile.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from referee.cli.errors import INTERRUPTED, Failure
from referee.cli.output import print_warning
from referee.cli.stopping import Stopping

if TYPE_CHECKING:
    from referee.store import Store, StoreError

PATIENCE = 600.0
"""Seconds for which it is waited for."""
LOOK_AGAIN = 1.0
BACK = "the database can be used again, and the tournament goes on"


class Outage:
    """What is told of a database that is away, and the wait for it; for use in one event loop."""

    def __init__(self, store: Store, again: str) -> None:
        """`again` says how to go on after the run was stopped."""
        self.say: Callable[[str], object] = print_warning
        self.away = ""
        """What was told of the outage that lasts; empty if there is none."""
        self.ends = False
        """Whether playing ends with it, and begins again when `usable_again` returns."""
        self._store, self._again = store, again
        self._since = 0.0
        self._given_up = False
        loop = asyncio.get_running_loop()
        writer = store.writer
        writer.patience = PATIENCE  # results that are there wait for it too
        writer.on_trouble = lambda error: loop.call_soon_threadsafe(self._begin, error)
        writer.on_relief = lambda: loop.call_soon_threadsafe(self._relief)

    def ends_playing(self, error: StoreError) -> None:
        """Playing ends with this error, once the writer has stored what it holds or given up."""
        self.ends = True
        self._begin(error)

    def give_up(self) -> bool:
        """A person does not wait: what waits to be written fails now. False if the database is not away."""
        if not self.away:
            return False
        self._given_up = True
        self._store.writer.patience = 0.0
        return True

    async def usable_again(self, error: StoreError) -> None:
        """Return once the database can be used; the error if it cannot for too long, Failure if a person stops it."""
        from referee.store import PASSING
        from referee.threads import in_thread

        self.ends_playing(error)
        stopping = Stopping()
        while not (self._given_up or stopping.asked.is_set()):
            try:
                await in_thread(self._store.renew_ownership)
                await in_thread(self._store.tournaments.all)
            except PASSING:
                if time.monotonic() > self._since + PATIENCE:
                    raise
            else:
                self._end()
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN):
                    await stopping.asked.wait()
        raise Failure(f"stopped while the database could not be used; {self._again}", INTERRUPTED)

    def _begin(self, error: StoreError) -> None:
        if not self.away:
            self._since = time.monotonic()
            self.away = f"{error}: waiting until the database can be used; no stored result is lost"
            self.say(self.away)

    def _relief(self) -> None:
        if self.away and not self.ends:
            self._end()

    def _end(self) -> None:
        self.away, self.ends = "", False
        self.say(BACK)
