"""Start-up of hosted bots: at most so many at once, and nobody is blamed for what the machine kept from it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.admission.overload import Contention
from referee.hosting.admission.starting import Overloaded, StartQueue
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.process.bot_process import Condition, RestartPolicy
from referee.hosting.sandbox.launch import NoSandbox
from referee.workers import bot_host
from referee.workers.bot_host import BotHost

from ...waiting import PATIENCE
from .machines import Idle, Starved

if TYPE_CHECKING:
    from tests.hosted_bots import Host


def never_connects(name: str = "mute") -> BotSpec:
    return BotSpec(name, ("/bin/sh", "-c", "exec sleep 300"), Kind.GRPC, Path("/"))


def late(seconds: float) -> BotSpec:
    """A bot that is there after a while."""
    spec = parse("builtin:random")
    return replace(spec, argv=("/bin/sh", "-c", f'sleep {seconds}; exec "$@"', "late", *spec.argv))


class WatchedQueue(StartQueue):
    """A queue that tells how many wait in it."""

    def __init__(self, at_once: int, contention: Callable[[], Contention]) -> None:
        super().__init__(at_once, contention)
        self._turns: list[asyncio.Future[bool]] = []

    def ask(self) -> asyncio.Future[bool]:
        self._turns.append(super().ask())
        return self._turns[-1]

    @property
    def waiting(self) -> int:
        return sum(not turn.done() for turn in self._turns)


def house_with(starts: StartQueue) -> BotHost:
    return BotHost(NoSandbox(), starts=starts)


async def test_a_bot_that_never_connects_is_late_once_it_has_had_its_time() -> None:
    async with house_with(StartQueue(1)) as house:
        started = await house.host(never_connects())
        assert not await house.wait_ready(started, 0.5)
        assert started.startup.had >= 0.5
        assert not await house.wait_ready(started, 0.5), "one deadline for all who wait, not one for each"


async def test_a_bot_that_the_machine_kept_waiting_is_not_late() -> None:
    async with house_with(StartQueue(1, Starved)) as house:
        started = await house.host(late(1.0))
        assert await house.wait_ready(started, 0.2)
        assert started.startup.had == 0.0


async def test_a_bot_that_could_not_be_started_at_all_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_host, "OVERLOADED_SECONDS", 0.5)
    async with house_with(StartQueue(1, Starved)) as house:
        started = await house.host(never_connects())
        for _ in range(2):
            with pytest.raises(Overloaded, match=r"mute was not there after .* of which the machine left it 0"):
                await house.wait_ready(started, 0.2)


async def test_a_machine_short_of_processes_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async with house_with(StartQueue(1)) as house:
        monkeypatch.setattr(asyncio.get_running_loop(), "subprocess_exec", none_left)
        with pytest.raises(Overloaded, match="random could not be started: Resource temporarily unavailable"):
            await house.host(parse("builtin:random"))
        monkeypatch.undo()
        assert await house.wait_ready(await house.host(parse("builtin:random"))), "and its turn is over"


async def test_only_so_many_start_at_once_and_all_of_them_come() -> None:
    async with house_with(StartQueue(2, Idle)) as house:
        names = [f"bot-{number}" for number in range(5)]
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                on_the_way = [g for g in house.bots.values() if g.process.pid is not None and g.player is None]
                most = max(most, len(on_the_way))
                await asyncio.sleep(0.002)

        watching = asyncio.create_task(watch())
        started_bots = await asyncio.gather(*(house.host(parse("builtin:random"), name=name) for name in names))
        assert all(await asyncio.gather(*(house.wait_ready(started) for started in started_bots)))
        watching.cancel()
        assert most == 2


async def test_time_in_line_is_not_the_bots(host: Host) -> None:
    starts = WatchedQueue(1, Idle)
    async with house_with(starts) as house:
        turn = starts.ask()
        assert turn.done()
        coming = asyncio.create_task(house.host(never_connects()))
        await host.until(lambda: starts.waiting == 1)
        await asyncio.sleep(0.3)  # the time in line
        clock = asyncio.get_running_loop().time
        began = clock()
        starts.over()
        startup = (await coming).startup
        await host.until(lambda: startup.passed > 0)
        assert startup.had <= startup.passed <= clock() - began


async def test_a_bot_that_does_nothing_lets_the_next_one_start() -> None:
    async with house_with(StartQueue(1)) as house:
        mute = await house.host(never_connects())
        assert await house.wait_ready(await house.host(parse("builtin:random")))
        assert mute.player is None


async def test_a_restart_after_a_crash_waits_for_its_turn_too(host: Host) -> None:
    starts = WatchedQueue(1, Idle)
    async with house_with(starts) as house:
        started = await house.host(parse("builtin:random"), restart_policy=RestartPolicy(first_rest=0.01))
        assert await house.wait_ready(started)
        turn = starts.ask()
        assert turn.done()
        started.process.kill("was shot in this test")
        await host.until(lambda: starts.waiting == 1)
        assert (started.process.runs, started.process.condition) == (1, Condition.RESTING)
        starts.over()
        assert await house.wait_ready(started)
        assert started.process.runs == 2


async def test_a_bot_in_line_can_be_stopped_and_leaves_the_line(host: Host) -> None:
    starts = WatchedQueue(1, Idle)
    async with house_with(starts) as house:
        taken = starts.ask()
        coming = asyncio.create_task(house.host(parse("builtin:random")))
        await host.until(lambda: starts.waiting == 1)
        started = house.bots["random"]
        await asyncio.wait_for(started.stop(), PATIENCE)
        await coming
        assert (started.process.runs, taken.result()) == (0, True)
        starts.over()
        await started.start()
        assert await house.wait_ready(started), "it can be started again"
