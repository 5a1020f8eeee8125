"""Waiting in tests: for an event, with patience, instead of sleeping for a time that a busy machine makes too short."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds after which a test gives up waiting. Nothing that works takes so long, even on a busy machine."""
LOOK_EVERY = 0.005


async def soon(check: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait for something that this loop, or a process beside it, brings about."""
    until = time.monotonic() + patience
    while not check():
        assert time.monotonic() < until, f"it did not happen in {patience:g} s"
        await asyncio.sleep(LOOK_EVERY)


def eventually(check: Callable[[], object], patience: float = PATIENCE, why: Callable[[], str] = str) -> None:
    """Wait for something that another process does; `why` tells what is known when it does not happen."""
    until = time.monotonic() + patience
    while not check():
        assert time.monotonic() < until, f"it did not happen in {patience:g} s\n{why()}"
        time.sleep(4 * LOOK_EVERY)
