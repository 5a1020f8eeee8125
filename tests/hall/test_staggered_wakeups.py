"""Those who watch are woken a few at a time, so that no answer of a bot waits for all of them."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

from referee.hall import staggered_wakeups
from referee.hall.staggered_wakeups import StaggeredWakeups

from ..waiting import PATIENCE, soon


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


class WrittenAtOnce:
    """A watcher that needs no task."""

    def __init__(self) -> None:
        self.woken = 0

    def set(self) -> bool:
        self.woken += 1
        return True


async def test_watchers_that_are_written_at_once_do_not_wait_for_what_others_take() -> None:
    """Others keep the loop for 50 ms a turn: were that counted, the pause after the first group would be 200 s."""
    loop = asyncio.get_running_loop()
    watchers = [WrittenAtOnce() for _ in range(3 * staggered_wakeups.AT_ONCE)]
    busy: asyncio.Handle

    def others() -> None:
        nonlocal busy
        time.sleep(0.05)
        busy = loop.call_soon(others)

    busy = loop.call_soon(others)
    StaggeredWakeups(share=2000.0, longest_pause=1000.0).wake(watchers)
    await soon(lambda: all(watcher.woken for watcher in watchers))
    busy.cancel()
    assert {watcher.woken for watcher in watchers} == {1}
