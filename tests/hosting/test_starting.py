"""Start-up of hosted bots: at most so many at once, and nobody is blamed for what the machine kept from it."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.admission import overload
from referee.hosting.admission.overload import Scheduler
from referee.hosting.admission.starting import Overloaded, Starts
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.process.bot_process import Condition, Patience
from referee.hosting.sandbox.launch import OpenAir
from referee.workers import bot_host
from referee.workers.bot_host import Guesthouse

if TYPE_CHECKING:
    from tests.hosting.conftest import Host

BUSY = "while True: pass"


class Fixed:
    """A machine on which starting bots get so much of their time and are kept waiting for the rest."""

    left: float

    def look(self, pid: int, elapsed: float) -> tuple[float, float]:
        return (1 - self.left) * elapsed, self.left * elapsed


class Idle(Fixed):
    left = 1.0


class Starved(Fixed):
    left = 0.0


def never_connects(name: str = "mute") -> BotSpec:
    return BotSpec(name, ("/bin/sh", "-c", "exec sleep 300"), Kind.GRPC, Path("/"))


def late(seconds: float) -> BotSpec:
    """A bot that is there after a while."""
    spec = parse("builtin:random")
    return replace(spec, argv=("/bin/sh", "-c", f'sleep {seconds}; exec "$@"', "late", *spec.argv))


def house_with(starts: Starts) -> Guesthouse:
    return Guesthouse(OpenAir(), starts=starts)


async def test_a_bot_that_never_connects_is_late_once_it_has_had_its_time() -> None:
    async with house_with(Starts(1)) as house:
        guest = await house.host(never_connects())
        assert not await house.arrive(guest, 0.5)
        assert guest.arrival.had >= 0.5
        assert not await house.arrive(guest, 0.5), "one deadline for all who wait, not one for each"


async def test_a_bot_that_the_machine_kept_waiting_is_not_late() -> None:
    async with house_with(Starts(1, Starved)) as house:
        guest = await house.host(late(1.0))
        assert await house.arrive(guest, 0.2)
        assert guest.arrival.had == 0.0


async def test_a_bot_that_could_not_be_started_at_all_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_host, "OVERLOADED_SECONDS", 0.5)
    async with house_with(Starts(1, Starved)) as house:
        guest = await house.host(never_connects())
        for _ in range(2):
            with pytest.raises(Overloaded, match=r"mute was not there after .* of which the machine left it 0"):
                await house.arrive(guest, 0.2)


async def test_a_machine_short_of_processes_is_nobodys_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    async with house_with(Starts(1)) as house:
        monkeypatch.setattr(asyncio.get_running_loop(), "subprocess_exec", none_left)
        with pytest.raises(Overloaded, match="random could not be started: Resource temporarily unavailable"):
            await house.host(parse("builtin:random"))
        monkeypatch.undo()
        assert await house.arrive(await house.host(parse("builtin:random"))), "and its turn is over"


async def test_only_so_many_start_at_once_and_all_of_them_come() -> None:
    async with house_with(Starts(2, Idle)) as house:
        names = [f"bot-{number}" for number in range(5)]
        most = 0

        async def watch() -> None:
            nonlocal most
            while True:
                on_the_way = [g for g in house.guests.values() if g.process.pid is not None and g.player is None]
                most = max(most, len(on_the_way))
                await asyncio.sleep(0.002)

        watching = asyncio.create_task(watch())
        guests = await asyncio.gather(*(house.host(parse("builtin:random"), name=name) for name in names))
        assert all(await asyncio.gather(*(house.arrive(guest) for guest in guests)))
        watching.cancel()
        assert most == 2


async def test_time_in_line_is_not_the_bots() -> None:
    async with house_with(Starts(1, Idle)) as house:
        first = await house.host(late(1.0), name="first")
        second = asyncio.create_task(house.host(parse("builtin:random"), name="second"))
        assert await house.arrive(first)
        guest = await second
        assert guest.arrival.had < 0.5
        assert await house.arrive(guest)


async def test_a_bot_that_does_nothing_lets_the_next_one_start() -> None:
    async with house_with(Starts(1)) as house:
        mute = await house.host(never_connects())
        assert await house.arrive(await house.host(parse("builtin:random")))
        assert mute.player is None


async def test_a_restart_after_a_crash_waits_for_its_turn_too(host: Host) -> None:
    starts = Starts(1, Idle)
    async with house_with(starts) as house:
        guest = await house.host(parse("builtin:random"), patience=Patience(first_rest=0.01))
        assert await house.arrive(guest)
        turn = starts.ask()
        assert turn.done()
        guest.process.kill("was shot in this test")
        await host.until(lambda: starts.in_line == 1)
        assert (guest.process.runs, guest.process.condition) == (1, Condition.RESTING)
        starts.over()
        assert await house.arrive(guest)
        assert guest.process.runs == 2


async def test_a_bot_in_line_can_be_stopped_and_leaves_the_line(host: Host) -> None:
    starts = Starts(1, Idle)
    async with house_with(starts) as house:
        taken = starts.ask()
        coming = asyncio.create_task(house.host(parse("builtin:random")))
        await host.until(lambda: starts.in_line == 1)
        guest = house.guests["random"]
        await asyncio.wait_for(guest.stop(), 5)
        await coming
        assert (guest.process.runs, taken.result()) == (0, True)
        starts.over()
        await guest.start()
        assert await house.arrive(guest), "it can be started again"


@pytest.fixture
def crowded_core() -> Iterator[int]:
    """A core that four programs keep busy."""
    core = min(os.sched_getaffinity(0))
    hogs = [subprocess.Popen([sys.executable, "-S", "-c", BUSY]) for _ in range(4)]
    for hog in hogs:
        os.sched_setaffinity(hog.pid, {core})
    yield core
    for hog in hogs:
        hog.kill()
        hog.wait()


def test_the_kernel_tells_how_long_a_program_waited_for_a_core(crowded_core: int) -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", BUSY]) as program:
        os.sched_setaffinity(program.pid, {crowded_core})
        scheduler, began = Scheduler(), time.monotonic()
        scheduler.look(program.pid, 1.0)
        while (elapsed := time.monotonic() - began) < 1.0:
            time.sleep(0.1)
        kept, ran = scheduler.look(program.pid, elapsed)
        program.kill()
    assert kept > 0.5 * elapsed
    assert kept + ran <= elapsed * 1.01


async def test_a_bot_on_a_crowded_core_is_given_the_time_it_waited(crowded_core: int, host: Host) -> None:
    busy = BotSpec("busy", (sys.executable, "-S", "-c", BUSY), Kind.GRPC, Path("/"))
    async with house_with(Starts(1)) as house:
        guest = await house.host(busy)
        for pid, _ in guest.process.weigh().family:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(pid, {crowded_core})
        await host.until(lambda: guest.arrival.passed > 1.5)
        assert guest.arrival.had < 0.7 * guest.arrival.passed


def test_threads_of_a_bot_that_wait_for_each_other_gain_it_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def figures(pid: int) -> overload.Figures:
        # Forty threads that share two cores for a second: each ran for a fortieth of it.
        return {(pid, thread): (2 * 10**9 // 40, 10**9 - 2 * 10**9 // 40) for thread in range(40)}

    monkeypatch.setattr(overload, "figures", figures)
    kept, ran = Scheduler().look(1, 1.0)
    assert kept == 0.0
    assert ran == pytest.approx(2.0)


def test_a_bot_that_sleeps_was_kept_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overload, "figures", lambda pid: {(pid, pid): (10**7, 10**6)})
    kept, ran = Scheduler().look(1, 1.0)
    assert kept == pytest.approx(0.001)
    assert ran == pytest.approx(0.01)
