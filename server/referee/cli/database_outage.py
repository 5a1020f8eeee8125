"""A database that cannot be used for a while, such as a PostgreSQL server that is started again: a run waits for it."""

from __future__ import annotations

import asyncio
import time
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


async def usable_again(store: Store, error: StoreError, again: str) -> None:
    """Return once the database can be used; the error if it cannot for too long, Failure if a person does not wait."""
    from referee.store import PASSING
    from referee.threads import in_thread

    print_warning(f"{error}: waiting until the database can be used; what was being played is played again")
    stopping = Stopping()
    until = time.monotonic() + PATIENCE
    while not stopping.asked.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_AGAIN):
                await stopping.asked.wait()
        try:
            await in_thread(store.renew_ownership)
            await in_thread(store.tournaments.all)
            print_warning("the database can be used again, and the tournament goes on")
            return
        except PASSING:
            if time.monotonic() > until:
                raise
    raise Failure(f"stopped while the database could not be used; {again}", INTERRUPTED)
