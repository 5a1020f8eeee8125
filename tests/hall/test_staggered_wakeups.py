"""Those who watch are woken a few at a time, so that no answer of a bot waits for all of them."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from referee.hall import staggered_wakeups
from referee.hall.staggered_wakeups import StaggeredWakeups

from ..waiting import PATIENCE


async def test_watchers_are_woken_a_few_at_a_time() -> None:
    loop = asyncio.get_running_loop()
    turns: list[int] = []
    woken = 0
    done = asyncio.Event()
    watchers = [asyncio.Event() for _ in range(10 * staggered_wakeups.AT_ONCE)]

    async def watch(event: asyncio.Event) -> None:
        nonlocal woken
        await event.wait()
        woken += 1
        if woken == len(watchers):
            done.set()

    def turn() -> None:
        turns.append(woken)
        if not done.is_set():
            loop.call_soon(turn)

    tasks = [asyncio.create_task(watch(event)) for event in watchers]
    await asyncio.sleep(0)
    door = StaggeredWakeups()
    door.wake(watchers)
    door.wake(watchers[:50])  # nobody is woken twice
    loop.call_soon(turn)
    await asyncio.wait_for(done.wait(), PATIENCE)
    await asyncio.gather(*tasks)
    assert max(after - before for before, after in pairwise(turns)) <= staggered_wakeups.AT_ONCE


async def test_who_has_gone_is_not_woken() -> None:
    door = StaggeredWakeups()
    stays, goes = asyncio.Event(), asyncio.Event()
    door.wake([goes, stays])
    door.forget(goes)
    await asyncio.wait_for(stays.wait(), PATIENCE)
    assert not goes.is_set()
