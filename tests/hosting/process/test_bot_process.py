"""A bot's program: how it is started, what is kept of its words, how it is started again, and that all of it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.build import build
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.process.bot_process import BotProcess, Condition, RestartPolicy, how_it_ended
from referee.hosting.process.child import Child
from referee.hosting.process.output_pipe import DRAIN_BURST, DRAIN_PER_SECOND
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import Launcher, Link, NoSandbox, granted
from referee.rules.game import WrongUse

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

ONCE = RestartPolicy(crashes=1)


async def last_words(spec: BotSpec, launcher: Launcher, link: Link | None = None) -> list[str]:
    """What a program that ends by itself writes."""
    process = BotProcess(spec, launcher, link, restart_policy=ONCE)
    await process.start()
    assert await process.wait(PATIENCE)
    await process.stop()
    return process.stderr.lines()


async def test_the_environment_holds_what_a_bot_needs_and_no_secret(
    host: Host, launcher: Launcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_ADMIN_TOKEN", "sesame")
    monkeypatch.setenv("DATABASE_PASSWORD", "sesame")
    link = Link(host.bot_host.socket, "the token", "somebody", 7)
    said = await last_words(host.shell("env >&2"), launcher, link)
    found = dict(line.split("=", 1) for line in said if "=" in line)
    assert found["REFEREE_TOKEN"] == "the token"
    assert found["REFEREE_NAME"] == "somebody"
    assert found["REFEREE_CONCURRENCY"] == "7"
    assert found["REFEREE_SERVER"].startswith("unix:/")
    assert found["GRPC_ENABLE_FORK_SUPPORT"] == "0"
    assert "sesame" not in "".join(said)


async def test_a_bot_has_a_session_of_its_own(host: Host, launcher: Launcher) -> None:
    script = "import os, sys; print(os.getsid(0), os.getpgrp(), file=sys.stderr)"
    spec = BotSpec("session", (sys.executable, "-c", script), Kind.STDIO, Path("/"))
    [line] = await last_words(spec, launcher)
    assert str(os.getsid(0)) not in line.split()


async def test_a_bot_that_keeps_crashing_rests_longer_and_is_benched_with_its_last_words(
    host: Host, launcher: Launcher
) -> None:
    process = BotProcess(
        host.shell("echo I cannot go on >&2; exit 7", "weary"),
        launcher,
        restart_policy=RestartPolicy(crashes=3, first_rest=0.05),
    )
    benched: list[str] = []
    process.on_bench = benched.append
    loop = asyncio.get_running_loop()
    ends, starts = [], []
    process.on_exit = lambda leaving: ends.append(loop.time())
    process.on_start = lambda: starts.append(loop.time())
    await process.start()
    await host.until(lambda: benched)
    rests = [start - end for end, start in zip(ends, starts[1:], strict=False)]
    for rest, least in zip(rests, (0.05, 0.1), strict=True):
        assert rest > 0.9 * least
    assert process.condition is Condition.BENCHED
    assert process.runs == 3
    assert [leaving.text for leaving in process.exits] == ["exited with code 7"] * 3
    assert "weary is benched: it ended 3 times" in benched[0]
    assert "I cannot go on" in benched[0]
    await process.stop()


async def test_crashes_long_ago_are_forgiven(host: Host) -> None:
    process = BotProcess(
        host.shell("exit 1"),
        NoSandbox(),
        restart_policy=RestartPolicy(crashes=2, within=0.001, first_rest=0.01, longest_rest=0.01),
    )
    await process.start()
    await host.until(lambda: process.runs >= 4)
    assert process.condition is not Condition.BENCHED
    await process.stop()
    runs = process.runs
    other = BotProcess(
        process.spec, NoSandbox(), restart_policy=process._restart_policy
    )  # rests no longer, and is not stopped
    await other.start()
    await host.until(lambda: other.runs >= 4)
    await other.stop()
    assert process.runs == runs


async def test_who_ignores_signals_is_ended_all_the_same(host: Host, launcher: Launcher, marker: str) -> None:
    started = await host.start_bot(host.bad("stubborn.py", marker), launcher)
    await host.until(lambda: "here I stay" in started.process.stderr.lines())
    await started.stop()
    assert host.processes(marker) == []


async def test_a_polite_bot_may_say_goodbye_in_the_open_air(host: Host) -> None:
    polite = "trap 'echo goodbye >&2; exit 0' TERM; echo hello >&2; while :; do sleep 0.05; done"
    started = await host.start_bot(host.shell(polite))
    await host.until(started.process.stderr.lines)
    await started.stop()
    assert started.process.stderr.lines() == ["hello", "goodbye"]


@pytest.mark.parametrize("words", [(), ("exit",)])
async def test_what_a_bot_daemonises_ends_with_it(
    host: Host, launcher: Launcher, marker: str, words: tuple[str, ...]
) -> None:
    process = BotProcess(host.bad("daemonises.py", *words, marker), launcher, restart_policy=ONCE)
    await process.start()
    await host.until(lambda: "a daemon is loose" in process.stderr.lines())
    if not words:
        assert len(host.processes(marker)) >= 2
    await process.stop()
    assert host.processes(marker) == []


async def test_nothing_survives_a_worker_that_is_killed_in_the_open_air(host: Host, marker: str) -> None:
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parents[1] / "host_to_kill.py"),
        "open",
        marker,
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert await asyncio.wait_for(worker.stdout.readline(), PATIENCE) == b"ready\n"
    assert len(host.processes(marker)) >= 3
    worker.kill()
    await worker.wait()
    await host.until(lambda: host.processes(marker) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_bot_that_is_stopped_while_it_is_being_started_does_not_survive(number: signal.Signals, marker: str) -> None:
    """A stop in the very moment between the start of the program and the subreaper's knowing of it."""
    subreaper = Path(NoSandbox().prepare(BotSpec("x", ("x",), Kind.STDIO, Path("/")), Link()).argv[3])
    script = (
        "import os, signal, subprocess, sys\n"
        "real = subprocess.Popen\n"
        "def popen(command):\n"
        "    started = real(command)\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    return started\n"
        "subprocess.Popen = popen\n"
        f"sys.path.insert(0, {str(subreaper.parent)!r})\n"
        "import subreaper\n"
        "sys.exit(subreaper.main(sys.argv[1:]))\n"
    )
    words = [sys.executable, "-c", "import time; time.sleep(300)", marker]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=PATIENCE)
    assert done.stderr == ""
    assert done.returncode in (128 + signal.SIGTERM, 128 + signal.SIGKILL)


async def test_a_program_that_has_ended_is_not_taken_for_one_that_closed_its_stdout(
    host: Host, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Child] = []
    look = Child._closed

    def counted(child: Child) -> None:
        looks.append(child)
        look(child)

    monkeypatch.setattr(Child, "_closed", counted)
    spec = BotSpec("x", ("/bin/sh", "-c", "read go; exit 3", marker), Kind.STDIO, Path("/"))
    process = BotProcess(spec, NoSandbox(), restart_policy=ONCE)
    closed = []
    process.on_closed = lambda: closed.append(True)
    process.on_output = lambda chunk, now: None
    await process.start()
    await host.until(lambda: len(process.usage().family) == 2)
    assert process.pid is not None
    subreapers_stdout = f"/proc/{process.pid}/fd/1"
    await host.until(lambda: os.readlink(subreapers_stdout) == os.devnull)  # from now on the pipe is the bot's alone
    os.kill(process.pid, signal.SIGSTOP)  # its subreaper is slow
    process.write(b"go\n")
    await host.until(lambda: len(looks) >= 3)
    os.kill(process.pid, signal.SIGCONT)
    assert await process.wait(PATIENCE)
    assert process.exits[-1].text == "exited with code 3"
    assert not closed


async def test_a_bot_whose_keeper_is_told_twice_at_once_does_not_survive(host: Host, marker: str) -> None:
    process = BotProcess(host.shell(f"echo here >&2; sleep 300; : {marker}"), NoSandbox(), restart_policy=ONCE)
    await process.start()
    await host.until(lambda: process.stderr.lines())
    assert process.pid is not None
    for number in (signal.SIGSTOP, signal.SIGHUP, signal.SIGTERM, signal.SIGCONT):  # both are there when it wakes up
        os.kill(process.pid, number)
    await host.until(lambda: host.processes(marker) == [])
    await process.stop()


async def test_a_bot_that_is_stopped_while_its_walls_are_being_built_does_not_survive(
    host: Host, sandbox: Sandbox, marker: str
) -> None:
    for number in range(30):
        spec = BotSpec("x", ("/bin/sh", "-c", "sleep 300", marker), Kind.STDIO, Path("/"))
        process = BotProcess(spec, sandbox, restart_policy=ONCE)
        await process.start()
        await asyncio.sleep(number * 0.0005)  # any moment will do
        await process.stop()
    await host.until(lambda: host.processes(marker) == [])


async def test_memory_is_limited_in_the_open_air_too(host: Host, marker: str) -> None:
    process = BotProcess(host.bad("hoards.py", marker), NoSandbox(memory=64 << 20), restart_policy=ONCE)
    await process.start()
    await host.until(lambda: process.condition is Condition.BENCHED)
    assert process.exits[-1].text == "was ended: it used more than its 64 MB of memory"
    await process.stop()


async def test_endless_stderr_is_read_slowly_and_not_kept(host: Host) -> None:
    """What it costs is measured by `tests/bench/bench_hosting.py`."""
    process = BotProcess(host.shell("yes this goes on and on >&2"), NoSandbox())
    before = time.monotonic()
    await process.start()
    await host.until(lambda: process.stderr.bytes > DRAIN_BURST + DRAIN_PER_SECOND // 2)
    seconds, read = time.monotonic() - before, process.stderr.bytes
    await process.stop()
    at_once = 1 << 20  # what one look at the pipe can bring beyond the allowance, and more
    assert read < DRAIN_BURST + seconds * DRAIN_PER_SECOND + at_once
    assert process.stderr.lines()[-1].startswith("this goes")
    assert sum(map(len, process.stderr._chunks)) < 1 << 20


async def test_a_program_that_is_not_there_is_a_crash_that_says_so(host: Host) -> None:
    spec = BotSpec("ghost", ("/nowhere/ghost",), Kind.STDIO, Path("/"))
    assert await last_words(spec, NoSandbox()) == ["cannot start /nowhere/ghost: No such file or directory"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (0, "exited with code 0"),
        (7, "exited with code 7"),
        (-9, "was killed by SIGKILL"),
        (139, "was killed by SIGSEGV"),
    ],
)
def test_an_exit_is_told_in_words(code: int, text: str) -> None:
    assert how_it_ended(code) == text


def test_a_bot_gets_the_memory_it_asks_for_up_to_what_the_host_allows() -> None:
    spec = parse("random")
    small = BotSpec("small", ("x",), Kind.STDIO, Path("/"), memory=10)
    assert granted(spec, 100) == 100
    assert granted(small, 100) == 10
    assert granted(small, 5) == 5


async def test_a_build_runs_once_per_folder_and_shows_its_output_when_it_fails(tmp_path: Path) -> None:
    spec = BotSpec("b", ("x",), Kind.STDIO, tmp_path, build=("/bin/sh", "-c", "echo built >> log"))
    await build([spec, spec], shut_in=False)
    assert (tmp_path / "log").read_text() == "built\n"
    failing = BotSpec("b", ("x",), Kind.STDIO, tmp_path, build=("/bin/sh", "-c", "echo missing header; exit 2"))
    with pytest.raises(WrongUse, match=r"failed with code 2:\n  \| missing header"):
        await build([failing], shut_in=False)
    slow = BotSpec("b", ("x",), Kind.STDIO, tmp_path, build=("/bin/sh", "-c", "sleep 60"))
    with pytest.raises(WrongUse, match="took longer than"):
        await build([slow], shut_in=False, seconds=0.2)
    absent = BotSpec("b", ("x",), Kind.STDIO, tmp_path, build=("/nowhere/make",))
    with pytest.raises(WrongUse, match="cannot be built"):
        await build([absent], shut_in=False)


async def test_nothing_of_a_build_survives_it(host: Host, tmp_path: Path, marker: str) -> None:
    def building(script: str) -> BotSpec:
        return BotSpec("b", ("x",), Kind.STDIO, tmp_path, build=("/bin/sh", "-c", script, marker))

    lasting = f"{sys.executable} -c 'import time; time.sleep(300)' {marker}"
    # What it leaves running is not waited for.
    await asyncio.wait_for(build([building(f"{lasting} &")], shut_in=False), PATIENCE)
    assert host.processes(marker) == []
    with pytest.raises(WrongUse, match="took longer than"):
        await build([building(f"setsid {lasting} & {lasting}")], shut_in=False, seconds=0.5)
    assert host.processes(marker) == []
    interrupted = asyncio.ensure_future(build([building(f"setsid {lasting} & {lasting}")], shut_in=False))
    await host.until(lambda: len(host.processes(marker)) >= 2)
    interrupted.cancel()
    with pytest.raises(asyncio.CancelledError):
        await interrupted
    assert host.processes(marker) == []
