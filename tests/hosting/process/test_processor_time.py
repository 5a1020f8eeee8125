"""Without cgroups: children that nobody waits for are counted by estimate, and honest ones are counted once."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from referee.hosting.process import cgroups
from referee.hosting.process.cgroups import Cgroups
from referee.hosting.process.control_group import CgroupLimits, Group
from referee.hosting.process.processor_time import CREDIT, ProcessorTime
from referee.hosting.process.throttle import Throttle
from referee.hosting.process.usage import Member, Usage
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxLimits
from referee.match.clock import TimeControl
from referee.match.result import Termination

from ...hosted_bots import BAD_BOTS, words_of_nobody
from ...waiting import PATIENCE, eventually

if TYPE_CHECKING:
    from tests.hosted_bots import Host

HOST_PROGRAM = Path(__file__).with_name("host_without_cgroups.py")
PRESSED = TimeControl(limit=5.0, bank=5.0)
SECONDS = 400.0


class Machine:
    """Processes that come and go, measured at random moments: who is alive when, and what was waited for, is exact."""

    def __init__(self, *, processors: int = 2, others: int = 0, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.now = 0.0
        self.others = others
        self.running = 0
        self.time = ProcessorTime(0.0, processors, lambda: self.running + self.others)
        self.most = 0.0

    def measurements(self) -> Iterator[float]:
        """Moments, until the end."""
        while self.now < SECONDS:
            self.now += self.random.uniform(0.1, 0.3)
            yield self.now

    def measure(self, members: dict[tuple[int, int], Member], missed: int = 0) -> float:
        self.running = sum(member.running for member in members.values())
        seconds = sum(member.own + member.waited for member in members.values())
        told = self.time.seconds(Usage(len(members), 0, seconds, members, missed), self.now)
        self.most = max(self.most, told)
        return told


def stream(number: int, now: float, life: float, busy: float = 1.0) -> tuple[tuple[int, int], Member, float]:
    """A child of a stream of children, each of which lives for `life`, and what those before it have used."""
    which = int(now / life)
    age = now - which * life
    return (number, which), Member(min(age, life * busy), 0.0, int(age < life * busy)), which * life * busy


@pytest.mark.parametrize("life", [0.005, 0.05, 0.15])
def test_children_that_nobody_waits_for_count_with_what_they_used(life: float) -> None:
    machine = Machine()
    for now in machine.measurements():
        one, two = stream(1, now, life), stream(2, now + life / 2, life)
        machine.measure({(0, 0): Member(0.0, 0.0), one[0]: one[1], two[0]: two[1]})
    assert 0.8 < machine.most / (2 * SECONDS) < 1.2


def test_children_too_quick_to_be_looked_at_count_too() -> None:
    machine = Machine()
    for _ in machine.measurements():
        machine.measure({(0, 0): Member(0.0, 0.0)}, missed=2)
    assert machine.most > 0.9 * 2 * SECONDS


@pytest.mark.parametrize("busy", [0.2, 0.7, 1.0])
def test_children_that_are_waited_for_count_once(busy: float) -> None:
    machine = Machine()
    for now in machine.measurements():
        key, child, before = stream(1, now, 0.02, busy)
        machine.measure({(0, 0): Member(0.0, before), key: child})
    assert -0.01 < machine.most / SECONDS - busy < 0.06


def test_a_long_child_that_was_waited_for_counts_once() -> None:
    machine = Machine()
    for now in machine.measurements():
        key, child, before = stream(1, now, 5.0)
        machine.measure({(0, 0): Member(0.0, before), key: child})
    assert 0.98 < machine.most / SECONDS < 1.05


def test_long_children_that_nobody_waited_for_are_not_forgotten() -> None:
    machine = Machine()
    for now in machine.measurements():
        key, child, _ = stream(1, now, 1.0)
        machine.measure({(0, 0): Member(0.0, 0.0), key: child})
    assert 0.85 < machine.most / SECONDS < 1.1


def test_honest_children_do_not_hide_the_others() -> None:
    machine = Machine()
    for now in machine.measurements():
        honest, hidden = stream(1, now, 0.02), stream(2, now + 0.007, 0.02)
        machine.measure({(0, 0): Member(0.0, honest[2]), honest[0]: honest[1], hidden[0]: hidden[1]})
    assert machine.most > 0.85 * 2 * SECONDS


def test_time_cannot_be_saved_up_in_honest_children() -> None:
    machine = Machine()
    machine.now = 1.0
    machine.measure({(0, 0): Member(0.0, 100.0)})
    for _ in range(50):
        machine.now += 0.2
        machine.measure({(0, 0): Member(0.0, 100.0)}, missed=2)
    assert machine.most > 100 + 50 * 0.2 * 2 - CREDIT - 0.5


def test_on_a_busy_machine_ready_is_not_running() -> None:
    """A bot that got a quarter of a core, for three others were ready on each, is charged a quarter."""
    machine = Machine(processors=1, others=3)
    for now in machine.measurements():
        machine.measure({(0, 0): Member(0.0, now / 4), (1, int(now * 1000)): Member(0.0, 0.0, 1)})
    assert machine.most < 1.15 * SECONDS / 4


def test_own_threads_that_live_on_do_not_make_the_hidden_ones_look_smaller() -> None:
    machine = Machine()
    idle = {(number, 0): Member(0.0, 0.0, 1) for number in range(100)}
    for now in machine.measurements():
        one, two = stream(101, now, 0.01), stream(102, now + 0.003, 0.01)
        machine.measure({**idle, one[0]: one[1], two[0]: two[1]})
    assert machine.most > 0.8 * 2 * SECONDS


async def test_who_runs_away_from_a_hold_is_noticed_and_who_stands_still_is_not() -> None:
    """No such process exists: ids beyond what the kernel gives out."""
    new = iter(range(1 << 23, 1 << 24))
    runaway = Throttle(1.0, lambda: [(next(new), 0)])
    still = Throttle(1.0, lambda: [((1 << 23) - 1, 0)])
    for seconds in range(10, 16):
        runaway.used(float(seconds))
        still.used(float(seconds))
    assert runaway.slips == 5
    assert still.slips == 0
    runaway.close()
    still.close()


@pytest.fixture
def counted(bubblewrap: None) -> Iterator[Group]:
    """A group that limits nothing and counts everything, as an independent witness."""
    counting = [one for one in cgroups.find().hierarchies if one.version == 2 or "cpuacct" in one.controllers]
    only = tuple(type(one)(one.version, one.base, one.controllers & {"cpuacct"}) for one in counting[:1])
    group = Group.make(only, CgroupLimits(1.0, 0, 0, 0))
    if group is None:
        pytest.skip("no cgroup here that could count for comparison")
    yield group
    eventually(group.remove)


@dataclass(frozen=True)
class Stay:
    """A bot in a sandbox without cgroups: what it really used, and what the referee saw of it."""

    until_held: float
    seen_until_held: float
    share: float
    """Cores that it kept busy after it was held for the first time, or all the time."""
    used: float
    """Seconds of processor time of all of it, the referee's own part included."""
    told: dict[str, Any]


def host_outside(group: Group, user: tuple[str, ...], cores: float, *command: str) -> Stay:
    words = [*group.words, *user, sys.executable, str(HOST_PROGRAM), "4", str(cores), *command]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, cwd="/") as process:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            assert user, "it runs as we are"
            pytest.skip("another user cannot run the referee from here")
        start = group.seconds()
        assert start is not None
        seen = json.loads(process.stdout.readline())["seconds"] if cores < 1 else 0.0
        held, since = group.seconds(), time.monotonic()
        told = json.loads(process.stdout.readline())
        end, seconds = group.seconds(), time.monotonic() - since
    assert held is not None
    assert end is not None
    return Stay(held - start, seen, (end - held) / seconds, end - start, told)


def python() -> str:
    """One that every user may run."""
    return shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or sys.executable


OTHERS = {"threads", "chain", "shell"}
"""What is tried as another user first, where there is one. The rest is tried as we are; the other way about is long."""


def ways(*hows: str) -> list[Any]:
    """Each once, half of them as another user; every one as both with `make soak`. Without rights all are as we are."""
    found = []
    for how in hows:
        for other in (False, True) if os.geteuid() == 0 else (False,):
            user = words_of_nobody() if other else ()
            short = os.geteuid() != 0 or (how in OTHERS) == other
            name = f"{how}-{'as another user' if other else 'as we are'}"
            found.append(pytest.param(how, user, id=name, marks=() if short else pytest.mark.soak))
    return found


@pytest.mark.alone
@pytest.mark.parametrize(("how", "user"), ways("short", "threads", "waited", "chain"))
def test_hidden_children_are_seen_and_held_without_cgroups(counted: Group, how: str, user: tuple[str, ...]) -> None:
    seen: list[float] = []
    while len(seen) < 3:
        stay = host_outside(counted, user, 0.05, python(), str(BAD_BOTS / "vanishes.py"), how)
        assert stay.told["said"] == []
        assert stay.share < 0.6, "a twentieth of a core, the referee's own part, and what a look takes to come round"
        seen.append(stay.seen_until_held / stay.until_held)
        if seen[0] > 0.4:
            return
    assert median(seen) > 0.4, f"an estimate, whatever else the machine is busy with: {seen}"


@pytest.mark.alone
@pytest.mark.parametrize(("how", "user"), ways("shell"))
def test_programs_that_a_shell_waits_for_are_counted_once_without_cgroups(
    counted: Group, how: str, user: tuple[str, ...]
) -> None:
    script = "while :; do x=$(echo a b | awk '{ print $1 }'); echo $x | cat >/dev/null; done"
    stay = host_outside(counted, user, 1.0, "/bin/sh", "-c", script)
    assert stay.told["running"]
    assert stay.told["seconds"] < 1.6 * stay.used, "counted twice it would be 1.9 times as much"


@pytest.mark.alone
async def test_an_opponent_is_not_timed_out_by_hidden_children_without_cgroups(host: Host, marker: str) -> None:
    off = Sandbox(SandboxLimits(), groups=Cgroups())
    started = await host.start_bot(host.bad("vanishes.py", "short", marker), off)
    opponent = await host.start_bot(host.bad("honest.py", marker), off, name="honest")
    for _ in range(3):
        ending = await host.play(started, opponent, control=PRESSED)
        assert ending.terminations[1] is Termination.FINISHED
    assert started.process.limits is not None
    assert started.process.limits.group is None
    await asyncio.wait_for(started.stop(), PATIENCE)
