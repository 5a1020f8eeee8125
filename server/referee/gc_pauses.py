"""Garbage collection in short steps, so that its pauses do not delay the event loop in which all clocks are read.

Python collects garbage whenever enough objects have come together, and the event loop waits meanwhile. A full
collection takes about a tenth of a second, and one over what a hundred matches hold takes 10 to 20 ms.

Here the youngest generation is collected every moment. What survives is frozen (`gc.freeze`) and not looked at again.
Nearly all objects are freed by reference counting alone. The few that form a cycle and have survived their first
collection are found by a full collection while no match is being played. Connections are such cycles: where thousands
of them come and go while matches are played, memory grows, and then a full collection is made at once.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from referee.memory import resident

GIVE_WAY_SECONDS = 0.002
"""How long a thread that computes may keep the loop waiting; Python's own five milliseconds add up."""
COLLECT_EVERY = 0.05
"""Seconds between two collections of what is new."""
COLLECT_AFTER = (10_000, 50, 100)
"""So many new objects between two collections make Python collect by itself."""
FULLY_EVERY = 60.0
"""Seconds between two full collections while no match is being played."""
FULLY_AT_LATEST = 3600.0
"""Seconds after which a full collection is made although matches are being played …"""
MOST_GROWTH = 48
"""… or as soon as the process holds so many megabytes more than it needs, as far as that is known."""
WEIGHED_EVERY = 60.0
"""Seconds between two looks at the memory."""
MUCH_GARBAGE = 10_000
"""A collection that finds fewer objects shows that memory has grown because it is needed."""


@asynccontextmanager
async def short_pauses(quiet: Callable[[], bool]) -> AsyncIterator[None]:
    """Enter when a process is ready to referee; `quiet` tells whether no match is being played."""
    before = gc.get_threshold(), sys.getswitchinterval()
    _collect_fully()
    gc.set_threshold(*COLLECT_AFTER)
    sys.setswitchinterval(GIVE_WAY_SECONDS)
    collecting = asyncio.create_task(_collect_regularly(quiet))
    try:
        yield
    finally:
        collecting.cancel()
        gc.unfreeze()
        gc.set_threshold(*before[0])
        sys.setswitchinterval(before[1])


async def _collect_regularly(quiet: Callable[[], bool]) -> None:
    last = weighed = time.monotonic()
    needed = resident()
    played = False
    while True:
        await asyncio.sleep(COLLECT_EVERY)
        gc.collect(0)
        gc.freeze()
        is_quiet = quiet()
        played = played or not is_quiet
        now = time.monotonic()
        grown = False
        if now - weighed >= WEIGHED_EVERY:
            weighed, grown = now, resident() > needed + MOST_GROWTH
        if grown or (played and now - last >= (FULLY_EVERY if is_quiet else FULLY_AT_LATEST)):
            found = _collect_fully()
            # Freed memory stays with the process: how much it holds after much garbage says nothing of what it needs.
            if found < MUCH_GARBAGE:
                needed = resident()
            last, played = time.monotonic(), False


def _collect_fully() -> int:
    """How many objects were garbage."""
    gc.unfreeze()
    found = gc.collect()
    gc.freeze()
    return found
