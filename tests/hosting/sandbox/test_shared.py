"""What bots share, none of them can change: the socket of their worker, devices, their own files."""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
from typing import TYPE_CHECKING

from referee.hosting.bot.spec import Kind, parse
from referee.hosting.sandbox import seccomp
from referee.match.clock import TimeControl
from referee.match.result import Termination

from ...hosted_bots import BAD_BOTS

if TYPE_CHECKING:
    from tests.hosted_bots import Host, Nobody

    from referee.hosting.sandbox.bubblewrap import Sandbox

UNHURRIED = TimeControl(limit=30.0, bank=30.0)
ATTEMPTS = 11
CHANNELS = 11
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")


async def test_no_bot_shuts_the_others_out(host: Host, sandbox: Sandbox) -> None:
    before = BAD_BOTS.stat().st_mode, (BAD_BOTS / "locks_out.py").stat().st_mode
    started = await host.start_bot(host.bad("locks_out.py", kind=Kind.GRPC), sandbox)
    late = await host.start_bot(parse("builtin:random"), sandbox)
    ending = await host.play(started, late, control=UNHURRIED)
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)
    said = started.process.stderr.lines()
    assert sum(line.startswith("denied") for line in said) == ATTEMPTS, said
    assert not [line for line in said if line.startswith("DONE")]
    assert (BAD_BOTS.stat().st_mode, (BAD_BOTS / "locks_out.py").stat().st_mode) == before


def test_no_bot_shuts_the_others_out_where_all_run_under_the_hosts_own_id(nobody: Nobody) -> None:
    shutil.copy(BAD_BOTS / "locks_out.py", nobody.home / "attacker.py")
    (nobody.home / "honest.py").write_text("import arena\narena.run(lambda decision: decision.legal[-1])\n")
    words = ["stop_me_go", "attacker.py", "honest.py", "random", "-p", "2", "--rounds", "6", "--workers", "1", "--json"]
    done = nobody.run(sys.executable, "-m", "referee", "run", *words)
    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    assert {name: row["faults"] for name, row in rows.items()} == {"attacker": 0, "honest": 0, "random": 0}


async def test_two_bots_cannot_speak_to_each_other_through_files_that_both_may_read(
    host: Host, sandbox: Sandbox
) -> None:
    touched = [os.stat(device).st_mtime_ns for device in DEVICES]
    teller = await host.start_bot(host.bad("colludes.py", "tells"), sandbox, name="teller")
    await host.until(lambda: "done" in teller.process.stderr.lines())
    listener = await host.start_bot(host.bad("colludes.py", "listens"), sandbox, name="listener")
    ending = await host.play(teller, listener, control=UNHURRIED)
    assert ending.terminations == (Termination.FINISHED, Termination.FINISHED)
    said = listener.process.stderr.lines()
    assert sum(line.startswith("silent") for line in said) == CHANNELS, said
    assert not [line for line in said if line.startswith("HEARD")]
    told = teller.process.stderr.lines()
    assert "did flock" in told, "a lock is granted, though it is not kept"
    assert "did lock" in told
    assert "did times" in told, "so is a time of a file"
    assert [os.stat(device).st_mtime_ns for device in DEVICES] == touched, "devices are the same for all bots"
    assert any(line.startswith("denied hiding") for line in told)


def test_a_build_keeps_its_locks_and_the_times_of_its_files() -> None:
    for machine, numbers in (("x86_64", (73, 132, 235, 261, 280)), ("aarch64", (32, 88))):
        strict, build = seccomp.program(machine), seccomp.program(machine, building=True)
        assert strict is not None
        assert build is not None
        for number in numbers:
            assert decided(strict, machine, number) == seccomp.GRANTED
            assert decided(build, machine, number) == seccomp.ALLOW


def decided(program: bytes, machine: str, number: int) -> int:
    """What a filter decides about a call without looking at its arguments."""
    steps = list(struct.iter_unpack("<HBBI", program))
    arch = seccomp.X86_64 if machine == "x86_64" else seccomp.AARCH64
    fields, value, at = {seccomp.NUMBER_AT: number, seccomp.ARCH_AT: arch}, 0, 0
    while True:
        code, hit, miss, operand = steps[at]
        if code == seccomp.RETURN:
            return int(operand)
        at += 1
        if code == seccomp.LOAD:
            value = fields.get(operand, 0)
        elif code == seccomp.JUMP_EQUAL:
            at += hit if value == operand else miss
        elif code == seccomp.JUMP_AT_LEAST:
            at += hit if value >= operand else miss
        else:
            at += hit if value & operand else miss
