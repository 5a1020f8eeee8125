"""Short pauses: nothing may hold up the loop in which all clocks are read.

Python looks for garbage whenever enough objects have come together, and everybody waits meanwhile: about a tenth of a
second when it looks through all that is loaded, and 10 to 20 ms when it looks through what a hundred matches hold.
Here it looks a little every moment, at what has come since the last look and is still there. That is then taken for
good (`gc.freeze`) and not looked at again: nearly everything is cleared away without Python's looking, as soon as
nobody needs it. The few objects that hold each other and outlived their first look are found when nobody plays.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

GIVE_WAY_SECONDS = 0.002
"""How long a thread that computes may keep the loop waiting; Python's own five milliseconds add up."""
LOOK_EVERY = 0.05
"""Seconds between two looks at what is new."""
COLLECT_AFTER = (10_000, 50, 100)
"""So many new objects between two looks make Python look by itself."""
THOROUGHLY_EVERY = 60.0
"""Seconds before everything is looked through again, when nobody plays …"""
AT_LAST_AFTER = 3600.0
"""… and when somebody always plays."""


@asynccontextmanager
async def short_pauses(quiet: Callable[[], bool]) -> AsyncIterator[None]:
    """Enter when a process is ready to referee; `quiet` tells whether nobody plays."""
    before = gc.get_threshold(), sys.getswitchinterval()
    _look_through_everything()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(GIVE_WAY_SECONDS)
    looking = asyncio.create_task(_look_again_and_again(quiet))
    try:
        yield
    finally:
        looking.cancel()
        gc.unfreeze()
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])


async def _look_again_and_again(quiet: Callable[[], bool]) -> None:
    last = time.monotonic()
    played = False
    while True:
        await asyncio.sleep(LOOK_EVERY)
        gc.collect(0)
        gc.freeze()
        nobody_plays = quiet()
        played = played or not nobody_plays
        since = time.monotonic() - last
        if played and since >= (THOROUGHLY_EVERY if nobody_plays else AT_LAST_AFTER):
            _look_through_everything()
            last, played = time.monotonic(), False


def _look_through_everything() -> None:
    gc.unfreeze()
    gc.collect()
    gc.freeze()
