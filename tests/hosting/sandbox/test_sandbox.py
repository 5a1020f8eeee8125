"""In the sandbox a bot plays and does nothing else: every bad bot fails, is blamed, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot import folders, programs
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.process.bot_process import Condition, RestartPolicy
from referee.hosting.process.throttle import RESERVE
from referee.hosting.sandbox import bubblewrap as walls
from referee.hosting.sandbox import seccomp
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import Link, NoSandbox
from referee.match.clock import TimeControl
from referee.match.result import Ending, Termination

from ...hosted_bots import BAD_BOTS
from ...waiting import PATIENCE, eventually

if TYPE_CHECKING:
    from tests.hosted_bots import Host

UNHURRIED = TimeControl(limit=30.0, bank=30.0)


def finished(ending: Ending) -> bool:
    return ending.terminations[0] is Termination.FINISHED


async def test_good_bots_play_in_the_sandbox_over_the_socket_and_over_pipes(host: Host, sandbox: Sandbox) -> None:
    grpc_bot = await host.start_bot(parse("builtin:random"), sandbox)
    pipe_bot = await host.start_bot(parse("builtin:shell"), sandbox)
    ending = await host.play(grpc_bot, pipe_bot)
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)


async def test_files_of_the_host_and_of_other_bots_cannot_be_read_nor_anything_written(
    host: Host, sandbox: Sandbox, tmp_path: Path, marker: str
) -> None:
    database, other = tmp_path / "referee.db", tmp_path / "other_bot"
    database.write_text("results")
    other.mkdir()
    (other / "bot.py").write_text("secret strategy")
    prying = [
        f"@{path}" for path in (database, other, other / "bot.py", "/etc/shadow", "/root", Path.home(), Path.cwd())
    ]
    before = (BAD_BOTS / "reads_files.py").read_bytes()
    started = await host.start_bot(host.bad("reads_files.py", marker, *prying), sandbox)
    assert finished(await host.play(started))
    said = started.process.stderr.lines()
    assert sum("denied" in line for line in said) >= len(prying)
    assert not [line for line in said if "WROTE" in line or "secret" in line or "results" in line]
    # Where its own folder lies inside the present one, the way there is passable; nothing else is in it.
    assert all("pyproject" not in line and ".git" not in line for line in said)
    assert (BAD_BOTS / "reads_files.py").read_bytes() == before


async def test_other_processes_are_neither_seen_nor_read_nor_hit(host: Host, sandbox: Sandbox, marker: str) -> None:
    victim = await host.start_bot(parse("builtin:random"), sandbox, name="victim")
    started = await host.start_bot(host.bad("looks_around.py", "REFEREE_" + "TOKEN", marker), sandbox)
    ending = await host.play(started, victim)
    said = started.process.stderr.lines()
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED), said
    assert victim.process.runs == 1
    [count] = [int(line.removeprefix("processes: ")) for line in said if line.startswith("processes: ")]
    assert count <= 3
    # Its own first process may be aimed at where all run under one user id; the kernel does not let that one be hit.
    assert not [line for line in said if line.startswith(("READ", "HIT")) and line != "HIT 1"]


async def test_nothing_can_be_connected_to(host: Host, sandbox: Sandbox, marker: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind("\0" + marker)
        abstract.listen()
        started = await host.start_bot(host.bad("phones_home.py", str(port.getsockname()[1]), marker), sandbox)
        assert finished(await host.play(started))
    said = started.process.stderr.lines()
    assert sum("denied" in line for line in said) == 6, said


async def test_side_doors_of_the_kernel_are_shut(host: Host, sandbox: Sandbox, marker: str) -> None:
    started = await host.start_bot(host.bad("breaks_out.py", marker), sandbox)
    assert finished(await host.play(started))
    said = started.process.stderr.lines()
    assert sum("denied" in line for line in said) == 17, said
    assert "flushed: [0, 0, 0, 0]" in said, "what keeps the host's disk busy is granted and not done"
    [who] = [line for line in said if line.startswith("capabilities: ")]
    assert who.startswith("capabilities: 0, uid: ")
    assert not who.endswith("uid: 0")


async def test_a_fork_bomb_stays_small_and_dies_at_once(host: Host, sandbox: Sandbox, marker: str) -> None:
    started = await host.start_bot(host.bad("forks.py", marker), sandbox)
    await host.until(lambda: any("denied" in line for line in started.process.stderr.lines()))
    assert len(host.processes(marker)) <= sandbox.limits.processes + 3
    ending = await host.play(started, control=TimeControl(limit=0.5, bank=0.5))
    assert ending.terminations[0] is Termination.TIMEOUT
    run = started.process._run
    assert run is not None
    run.signal(run.launch.stop)  # once is enough
    await host.until(run.over.is_set)
    await started.stop()
    assert host.processes(marker) == []


@pytest.mark.parametrize("how", ["alone", "children", "tables", "files", "sockets", "pipes"])
async def test_who_takes_too_much_memory_is_ended_and_told_so(
    host: Host, sandbox: Sandbox, marker: str, how: str
) -> None:
    started = await host.start_bot(host.bad("hoards.py", how, marker), sandbox, restart_policy=RestartPolicy(crashes=1))
    # However long it takes on a busy machine to make 90,000 files: what counts is that it ends for its memory.
    ending = await host.play(started, control=TimeControl(limit=PATIENCE, bank=PATIENCE))
    assert ending.terminations[0] is Termination.CRASH
    assert "used more than its 96 MB of memory" in ending.texts[0]
    assert started.benched
    assert started.process.peak.memory < 2 << 30


@pytest.mark.alone
async def test_who_keeps_more_cores_busy_than_are_its_own_is_slowed_down(
    host: Host, sandbox: Sandbox, marker: str
) -> None:
    half = Sandbox(replace(sandbox.limits, cores=0.5))
    started = await host.start_bot(host.bad("burns.py", marker), half)
    await host.until(lambda: started.process.usage().seconds > 3 * RESERVE)  # by now its reserve is gone
    before, began = started.process.usage().seconds, time.monotonic()
    await host.until(lambda: started.process.usage().seconds > before + 2.5)
    assert (started.process.usage().seconds - before) / (time.monotonic() - began) < 0.8
    assert started.process.condition is Condition.RUNNING
    await started.stop()
    assert host.processes(marker) == []


async def test_the_disk_cannot_be_filled(host: Host, sandbox: Sandbox, marker: str) -> None:
    started = await host.start_bot(host.bad("fills_disk.py", marker), sandbox)
    assert finished(await host.play(started, control=UNHURRIED))
    said = started.process.stderr.lines()
    assert not [line for line in said if "FILLED" in line]
    assert sum("denied" in line for line in said) == 7, said


async def test_a_daemon_dies_with_its_bot(host: Host, sandbox: Sandbox, marker: str) -> None:
    started = await host.start_bot(
        host.bad("daemonises.py", "exit", marker), sandbox, restart_policy=RestartPolicy(crashes=1)
    )
    await host.until(lambda: started.benched)
    assert started.process.exits[-1].text == "exited with code 0"
    await host.until(lambda: host.processes(marker) == [])


async def test_another_bots_name_does_not_open_the_door(host: Host, sandbox: Sandbox, marker: str) -> None:
    victim = await host.start_bot(parse("builtin:random"), sandbox, name="victim")
    spec = host.bad("impostor.py", "victim", marker, kind=Kind.GRPC)
    started = await host.bot_host.host(spec, launcher=sandbox, restart_policy=RestartPolicy(crashes=1))
    assert not await host.bot_host.wait_ready(started)
    assert started.process.stderr.lines()[-3:] == [
        "another name: PERMISSION_DENIED",
        "no token: UNAUTHENTICATED",
        "made-up token: UNAUTHENTICATED",
    ]
    assert finished(await host.play(victim))


async def test_nothing_survives_the_worker(host: Host, sandbox: Sandbox, marker: str) -> None:
    """The worker is killed in the hardest way; the kernel clears away what it had started."""
    worker = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).parents[1] / "host_to_kill.py"),
        "sandbox",
        marker,
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert await asyncio.wait_for(worker.stdout.readline(), PATIENCE) == b"ready\n"
    assert len(host.processes(marker)) >= 2
    worker.kill()
    await worker.wait()
    await host.until(lambda: host.processes(marker) == [])


async def test_nothing_survives_a_worker_that_dies_while_walls_are_being_built(
    host: Host, sandbox: Sandbox, marker: str
) -> None:
    """Bots in every stage of their start, from the first moment to a running program."""
    for _ in range(3):
        worker = await asyncio.create_subprocess_exec(
            sys.executable,
            str(Path(__file__).parents[1] / "host_to_kill.py"),
            "many",
            marker,
            stdout=asyncio.subprocess.PIPE,
        )
        assert worker.stdout is not None
        assert await asyncio.wait_for(worker.stdout.readline(), PATIENCE) == b"ready\n"
        worker.kill()
        await worker.wait()

    def nothing() -> bool:
        walls.clear_away()  # as the next worker does
        return host.processes(marker) == []

    await host.until(nothing)


async def test_a_bot_waits_for_its_turn_on_the_processor_behind_the_referee(host: Host, sandbox: Sandbox) -> None:
    started = await host.start_bot(host.shell("nice >&2; cat >&2"), sandbox)
    await host.until(lambda: started.process.stderr.lines())
    assert int(started.process.stderr.lines()[0]) >= 5


async def test_out_of_memory_the_kernel_ends_a_bot_and_not_the_referee(host: Host, sandbox: Sandbox) -> None:
    words = host.shell("cat /proc/self/oom_score_adj >&2; cat >&2")
    for launcher in (sandbox, NoSandbox()):
        started = await host.start_bot(words, launcher)
        await host.until(lambda started=started: started.process.stderr.lines())  # type: ignore[misc]
        assert started.process.stderr.lines()[0] == "1000"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives bots user ids of their own")
def test_no_bot_gets_the_user_id_of_a_process_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another worker, say: the two would share one limit on processes, and one could use it up for both."""
    ours = walls.own_uid()
    with subprocess.Popen(["setpriv", f"--reuid={ours}", "--clear-groups", "sleep", "300"]) as other:
        try:
            eventually(lambda: os.stat(f"/proc/{other.pid}").st_uid == ours)
            first = (ours - walls.FIRST_UID - os.getpid() * 61) % walls.UIDS
            monkeypatch.setattr(walls, "_LODGERS", count(first))
            assert walls.own_uid() != ours
        finally:
            other.kill()


def test_what_is_missing_is_said_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    walls.probe.cache_clear()
    monkeypatch.setattr("shutil.which", lambda program: None if program == "bwrap" else f"/usr/bin/{program}")
    try:
        missing = walls.probe()
    finally:
        walls.probe.cache_clear()
    assert missing is not None
    assert "apt-get install bubblewrap" in missing
    assert "--no-sandbox" in missing


@pytest.mark.parametrize(
    ("words", "way_out"),
    [
        ("bwrap: setting up uid map: Permission denied", "user namespaces"),
        ("bwrap: No permissions to create new namespace", "user namespaces"),
        ("bwrap: something new", "bubblewrap failed (bwrap: something new)"),
    ],
)
def test_a_trial_that_fails_is_explained(words: str, way_out: str) -> None:
    assert way_out in walls._why(words)


@pytest.mark.parametrize(
    "words",
    [
        "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
        "bwrap: Can't set hostname to referee-bot: Operation not permitted",
        "bwrap: loopback: Failed to create NETLINK_ROUTE socket: Address family not supported by protocol",
    ],
)
def test_in_a_service_its_unit_is_named_as_what_may_forbid_a_sandbox(
    monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    """Seen with systemd 252 and the unit that comes with Referee, without its drop-in."""
    monkeypatch.setenv("NOTIFY_SOCKET", "/run/systemd/notify")
    said = walls._why(words)
    assert "nstall server/deploy/submissions.conf beside the unit, then 'systemctl daemon-reload'" in said
    assert "unprivileged_userns_clone" not in said


async def test_without_a_sandbox_nothing_is_started(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "probe", lambda: "no sandbox here")
    with pytest.raises(walls.SandboxFailed, match="no sandbox here"):
        await host.bot_host.host(host.shell("true"), launcher=Sandbox())
    assert host.bot_host.bots["script"].process.condition is Condition.NEW


def test_the_filter_is_a_whole_program_for_both_kinds_of_machine() -> None:
    for machine in ("x86_64", "aarch64"):
        program = seccomp.program(machine)
        assert program is not None
        assert len(program) % 8 == 0
    assert seccomp.program("riscv64") is None


def test_a_lone_file_does_not_open_the_folder_it_lies_in(tmp_path: Path, bubblewrap: None) -> None:
    (tmp_path / "mybot.py").write_text("")
    launch = Sandbox().wrap(parse("mybot.py", tmp_path), Link())
    shown = [launch.argv[place + 1] for place, word in enumerate(launch.argv) if word == "--ro-bind"]
    assert str(tmp_path / "mybot.py") in shown
    assert str(tmp_path) not in shown


def shown(spec: BotSpec) -> list[str]:
    """What a bot gets to see."""
    argv = Sandbox().wrap(spec, Link()).argv
    return [argv[place + 1] for place, word in enumerate(argv) if word == "--ro-bind"]


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def bot_folder(path: Path, command: str) -> Path:
    path.mkdir(parents=True)
    (path / "bot.toml").write_text(f'name = "x"\ngames = ["*"]\nabout = "x"\nkind = "stdio"\ncommand = "{command}"\n')
    return path


def test_the_folder_of_a_bot_opens_no_other_place_by_a_link_or_a_path(tmp_path: Path, bubblewrap: None) -> None:
    tool = program(tmp_path / "private" / "bin" / "tool")
    linked = bot_folder(tmp_path / "linked", "./run")
    (linked / "run").symlink_to(tool)
    direct = bot_folder(tmp_path / "direct", str(tool))
    for folder in (linked, direct):
        with pytest.raises(walls.SandboxFailed, match="neither in the bot's folder nor on the PATH"):
            shown(parse(str(folder)))
    # The host may name it: alone it is the bot, and before a bot's file it is a program with what belongs to it.
    assert str(tool) in shown(parse(f"stdio:{tool}", tmp_path))
    assert str(tmp_path / "private") not in shown(parse(f"stdio:{tool}", tmp_path))
    (tmp_path / "private" / "lib").mkdir()
    (tmp_path / "bot.txt").write_text("")
    assert str(tmp_path / "private") not in shown(parse(f"stdio:{tool}", tmp_path))
    assert str(tmp_path / "private") in shown(parse(f"stdio:{tool} bot.txt", tmp_path))


def test_programs_in_a_hidden_folder_of_a_home_do_not_open_all_of_it(
    tmp_path: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    program(tmp_path / ".local" / "bin" / "tool")
    program(tmp_path / "conda" / "bin" / "other")
    (tmp_path / "conda" / "lib").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path}/.local/bin:{tmp_path}/conda/bin:{os.environ['PATH']}")
    programs.on_path.cache_clear()
    folder = bot_folder(tmp_path / "bots" / "x", "tool")
    assert str(tmp_path / ".local" / "bin" / "tool") in shown(parse(str(folder)))
    assert str(tmp_path / ".local") not in shown(parse(str(folder)))
    assert str(tmp_path / "conda") in shown(parse("other", tmp_path))


async def test_a_script_runs_on_what_its_first_line_names(
    host: Host, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "lang" / "bin" / "mylang", '#!/bin/sh\nexec sh "$@"\n')
    monkeypatch.setenv("PATH", f"{tmp_path}/lang/bin:{os.environ['PATH']}")
    programs.on_path.cache_clear()
    open_way(tmp_path)
    source = (folders.house() / "shell" / "bot.sh").read_text()
    program(tmp_path / "mybot", source.replace("#!/bin/sh", "#!/usr/bin/env mylang"))
    started = await host.start_bot(parse("stdio:./mybot", tmp_path), sandbox)
    assert finished(await host.play(started)), started.process.stderr.lines()


def open_way(path: Path) -> None:
    """Let the bot's user id through to a folder of the test."""
    for place in (path, path.parent, path.parent.parent):
        place.chmod(0o755)


def test_where_bots_have_user_ids_of_their_own_a_closed_file_is_told(
    tmp_path: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    folder = bot_folder(tmp_path / "x", "sh bot.sh")
    (folder / "bot.sh").write_text("")
    (folder / "bot.sh").chmod(0o600)
    with pytest.raises(walls.SandboxFailed, match="chmod -R o"):
        shown(parse(str(folder)))


def test_where_bots_have_user_ids_of_their_own_a_closed_folder_is_told(
    tmp_path: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "bot.py").write_text("")
    with pytest.raises(walls.SandboxFailed, match="chmod -R o"):
        Sandbox().wrap(parse("closed", tmp_path), Link())
