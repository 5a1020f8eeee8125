"""Where cgroups can be had, the kernel holds a bot with all it starts. Where not, that is found out and said.

Real groups, real bots; skipped where the machine has none to offer.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot import folders
from referee.hosting.bot.spec import parse
from referee.hosting.process import cgroups, control_group
from referee.hosting.process.bot_process import BotProcess, RestartPolicy
from referee.hosting.process.cgroups import Cgroups
from referee.hosting.process.control_group import PREFIX, CgroupLimits, Group, Hierarchy
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxLimits
from referee.match.clock import TimeControl
from referee.match.result import Termination

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

SHARE = CgroupLimits(cores=0.5, memory=100 << 20, processes=30, nice=5)
UNHURRIED = TimeControl(limit=30.0, bank=30.0)
PRESSED = TimeControl(limit=5.0, bank=5.0)


@pytest.fixture
def real(bubblewrap: None) -> Cgroups:
    """The cgroups of this machine."""
    found = cgroups.find()
    if not {"cpu", "memory", "pids"} <= found.held:
        pytest.skip(found.told())
    return found


def groups_of(found: Cgroups, pid: int | None = None) -> list[str]:
    """Groups in use by a process: this one."""
    return [str(folder) for one in found.hierarchies for folder in one.base.glob(f"{PREFIX}{pid or os.getpid()}-*")]


def test_the_kernel_has_the_limits_of_a_group_as_they_were_given(real: Cgroups) -> None:
    """Other limits of the sandbox would hide that it has not: here it is asked itself."""
    group = real.group(SHARE)
    assert group is not None
    found: dict[str, float] = {}
    try:
        for folder in map(Path, groups_of(real)):
            for file, name in (("pids.max", "pids"), ("memory.max", "memory"), ("memory.limit_in_bytes", "memory")):
                if (folder / file).exists():
                    found[name] = int((folder / file).read_text())
            if (folder / "cpu.cfs_quota_us").exists():
                quota, period = (int((folder / f"cpu.cfs_{word}_us").read_text()) for word in ("quota", "period"))
                found["cpu"] = quota / period
            elif (folder / "cpu.max").exists():
                quota, period = map(int, (folder / "cpu.max").read_text().split())
                found["cpu"] = quota / period
    finally:
        assert group.remove()
    assert found == {"pids": 30, "memory": 100 << 20, "cpu": 0.5}


async def test_a_bot_runs_in_a_group_of_its_own_from_its_first_instruction_and_leaves_none_behind(
    host: Host, real: Cgroups
) -> None:
    started = await host.start_bot(host.shell("cat /proc/self/cgroup >&2; cat >&2"), Sandbox())
    await host.until(lambda: len(started.process.stderr.lines()) >= len(real.hierarchies))
    folders = groups_of(real)
    assert len(folders) == len(real.hierarchies)
    for folder in folders:
        assert control_group.processes(Path(folder)), folder
    await started.stop()
    assert groups_of(real) == []


@pytest.mark.alone
async def test_hidden_children_of_a_bot_get_no_more_than_its_share(host: Host, real: Cgroups, marker: str) -> None:
    quarter = Sandbox(SandboxLimits(cores=0.25))
    started = await host.start_bot(host.bad("vanishes.py", "short", marker), quarter)
    opponent = await host.start_bot(host.bad("honest.py", marker), Sandbox(), name="honest")
    hold = started.process.limits
    assert hold is not None
    group = hold.group
    assert group is not None
    loop = asyncio.get_running_loop()
    await host.until(lambda: (group.seconds() or 0) > 0.3)
    before, began = group.seconds(), loop.time()
    ending = await host.play(started, opponent, control=PRESSED)
    await asyncio.sleep(max(0.0, began + 3 - loop.time()))
    used = group.seconds()
    assert before is not None
    assert used is not None
    assert (used - before) / (loop.time() - began) < 0.4
    assert ending.terminations[1] is Termination.FINISHED
    assert started.process.limits is hold, "it was not started again"
    assert hold.throttle is not None
    assert hold.throttle.holds == 0, "the kernel does it"


async def test_threads_and_programs_of_an_honest_bot_work_in_a_group(host: Host, real: Cgroups) -> None:
    script = "import threading\nfor n in range(24): threading.Thread(target=sum, args=(range(99999),)).start()\n"
    threads = replace(host.bad("honest.py"), argv=(sys.executable, "-c", f"{script}import honest; honest.play()"))
    forks = host.shell(
        r"""while read -r line; do case $line in *'"legal":['*) echo "$line" |
        sed 's/.*"decision":\([0-9]*\),.*"legal":\["\([^"]*\)".*/{"decision":\1,"move":"\2"}/';; esac; done""",
        "forks",
    )
    ending = await host.play(
        await host.start_bot(threads, Sandbox()), await host.start_bot(forks, Sandbox()), control=UNHURRIED
    )
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)


async def test_who_is_ended_by_the_kernel_for_its_memory_is_told_so(host: Host, real: Cgroups, marker: str) -> None:
    """So quickly that it may come before any measurement."""
    grab = "import sys; sys.stdin.readline(); x = bytearray(b'x' * (700 << 20)); sys.stdin.readline()"
    spec = replace(host.bad("honest.py"), argv=(sys.executable, "-c", grab, marker))
    small = Sandbox(SandboxLimits(memory=96 << 20, disk=8 << 20))
    started = await host.start_bot(spec, small, restart_policy=RestartPolicy(crashes=1))
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.CRASH
    assert "used more than its 96 MB of memory" in ending.texts[0]


async def test_a_fork_bomb_ends_at_the_groups_wall(host: Host, real: Cgroups, marker: str) -> None:
    few = Sandbox(SandboxLimits(processes=20), groups=real)
    started = await host.start_bot(host.bad("forks.py", marker), few)
    await host.until(lambda: any("denied" in line for line in started.process.stderr.lines()))
    assert len(host.processes(marker)) <= 24


async def test_groups_of_a_killed_referee_are_cleared_away_and_those_in_use_are_not(
    host: Host, real: Cgroups, marker: str
) -> None:
    started = await host.start_bot(host.shell("cat >&2"), Sandbox())
    command = [sys.executable, str(Path(__file__).parents[1] / "host_to_kill.py"), "sandbox", marker]
    worker = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert worker.stdout is not None
    assert await asyncio.wait_for(worker.stdout.readline(), PATIENCE) == b"ready\n"
    assert groups_of(real, worker.pid)
    worker.kill()
    await worker.wait()

    def cleared() -> bool:
        real.clear_away()  # as every referee does at its start
        return groups_of(real, worker.pid) == []

    await host.until(cleared)
    assert len(groups_of(real)) == len(real.hierarchies)
    assert await started.process.wait(0.1) is False


async def test_a_bot_that_cannot_even_be_started_leaves_no_group(
    real: Cgroups, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(*words: object, **settings: object) -> None:
        raise OSError("no more processes")

    bot = BotProcess(parse("builtin:shell"), Sandbox())
    monkeypatch.setattr(asyncio.get_running_loop(), "subprocess_exec", fails)
    with pytest.raises(OSError, match="no more processes"):
        await bot.start()
    assert groups_of(real) == []


def test_v2_without_controllers_counts_processor_time_of_children_nobody_waits_for() -> None:
    """The real thing, where root may make groups in it."""
    mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines() if " - cgroup2 " in line]
    if not mounts or not os.access(mounts[0][4], os.W_OK) or os.geteuid() != 0:
        pytest.skip("no cgroup v2 that may be written")
    group = Group.make((Hierarchy(2, Path(mounts[0][4]), frozenset()),), SHARE)
    assert group is not None
    burn = "import time\nwhile time.process_time() < 0.1: pass"
    burner = f"subprocess.run(['{sys.executable}', '-c', {burn!r}])"
    ignoring = f"import signal, subprocess\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\n{burner}\n{burner}\n{burner}"
    subprocess.run([*group.words, sys.executable, "-c", ignoring], check=True, timeout=60)
    assert (group.seconds() or 0) > 0.3
    left = subprocess.Popen([*group.words, "sleep", "300"])
    while left.pid not in control_group.processes(next(folder for _, folder, _ in group._folders)):
        assert left.poll() is None
    while not group.remove():
        left.poll()
    assert left.wait(10) == -9


@pytest.mark.parametrize(
    "command",
    [
        ("check", "shell", "--sandbox", "--game", "stop_me_go", "--matches", "1"),
        ("run", "stop_me_go", "stdio:sh bot.sh", "random", "--rounds", "1", "--workers", "1", "--seed", "x"),
    ],
)
def test_what_holds_bots_is_said_beside_the_result(command: tuple[str, ...], real: Cgroups, tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        place.chmod(0o755)  # for the bot's user id
    (tmp_path / "bot.sh").write_text((folders.house() / "shell" / "bot.sh").read_text())
    referee = [str(Path(sys.executable).with_name("referee")), *command, "--json"]
    done = subprocess.run(referee, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert real.told() in done.stderr
    assert isinstance(json.loads(done.stdout), dict)
    assert groups_of(real) == []
