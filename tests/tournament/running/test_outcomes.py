"""Waiting for many writes at once."""

from __future__ import annotations

import asyncio
import operator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from referee.tournament.running.outcomes import outcomes

from ...waiting import PATIENCE


async def test_all_are_done_whether_well_or_not() -> None:
    with ThreadPoolExecutor(4) as threads:
        futures = [threads.submit(operator.floordiv, 12, number) for number in range(4)]
        async with asyncio.timeout(PATIENCE):
            done = await outcomes(futures)
    assert isinstance(done[0].exception(), ZeroDivisionError)
    assert [future.result() for future in done[1:]] == [12, 6, 4]


async def test_the_loop_is_woken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    woken = 0
    plain = loop.call_soon_threadsafe

    def wake(*arguments: object) -> object:
        nonlocal woken
        woken += 1
        return plain(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(loop, "call_soon_threadsafe", wake)
    futures: list[Future[int]] = [Future() for _ in range(100)]
    waiting = asyncio.create_task(outcomes(futures))
    await asyncio.sleep(0)
    for number, future in enumerate(futures):
        assert not waiting.done()
        future.set_result(number)
    async with asyncio.timeout(PATIENCE):
        assert [future.result() for future in await waiting] == list(range(100))
    assert woken == 1


async def test_nothing_to_wait_for() -> None:
    async with asyncio.timeout(PATIENCE):
        assert list(await outcomes([])) == []


async def test_whoever_waited_may_be_gone() -> None:
    future: Future[int] = Future()
    waiting = asyncio.create_task(outcomes([future]))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    future.set_result(1)
    await asyncio.sleep(0)


def test_the_loop_may_be_gone(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[int] = Future()

    async def give_up() -> None:
        task = asyncio.create_task(outcomes([future]))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(give_up())
    future.set_result(1)
    assert not caplog.records
