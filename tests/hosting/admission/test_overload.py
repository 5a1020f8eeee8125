"""Time that the machine kept from a bot, as the kernel counts it: given back to the bot, and no more than that."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.admission import overload
from referee.hosting.admission.overload import SchedstatContention
from referee.hosting.admission.starting import StartQueue
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.sandbox.launch import NoSandbox
from referee.workers.bot_host import BotHost

if TYPE_CHECKING:
    from tests.hosted_bots import Host

BUSY = "while True: pass"


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


@pytest.mark.alone
def test_the_kernel_tells_how_long_a_program_waited_for_a_core(crowded_core: int) -> None:
    with subprocess.Popen([sys.executable, "-S", "-c", BUSY]) as program:
        os.sched_setaffinity(program.pid, {crowded_core})
        scheduler, began = SchedstatContention(), time.monotonic()
        scheduler.look(program.pid, 1.0)
        while (elapsed := time.monotonic() - began) < 1.0:
            time.sleep(0.1)
        kept, ran = scheduler.look(program.pid, elapsed)
        program.kill()
    assert kept > 0.5 * elapsed
    assert kept + ran <= elapsed * 1.01


@pytest.mark.alone
async def test_a_bot_on_a_crowded_core_is_given_the_time_it_waited(crowded_core: int, host: Host) -> None:
    busy = BotSpec("busy", (sys.executable, "-S", "-c", BUSY), Kind.GRPC, Path("/"))
    async with BotHost(NoSandbox(), starts=StartQueue(1)) as house:
        started = await house.host(busy)
        for pid, _ in started.process.usage().family:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(pid, {crowded_core})
        await host.until(lambda: started.startup.passed > 1.5)
        assert started.startup.had < 0.7 * started.startup.passed


def test_threads_of_a_bot_that_wait_for_each_other_gain_it_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def figures(pid: int) -> overload.Figures:
        # Forty threads that share two cores for a second: each ran for a fortieth of it.
        return {(pid, thread): (2 * 10**9 // 40, 10**9 - 2 * 10**9 // 40) for thread in range(40)}

    monkeypatch.setattr(overload, "figures", figures)
    kept, ran = SchedstatContention().look(1, 1.0)
    assert kept == 0.0
    assert ran == pytest.approx(2.0)


def test_a_bot_that_sleeps_was_kept_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overload, "figures", lambda pid: {(pid, pid): (10**7, 10**6)})
    kept, ran = SchedstatContention().look(1, 1.0)
    assert kept == pytest.approx(0.001)
    assert ran == pytest.approx(0.01)
