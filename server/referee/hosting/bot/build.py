"""A bot's build command: shown, and run once before the first start, in a sandbox of its own (`build_sandbox.py`).

A build runs what the author of a bot wants to run, as the bot itself does, and is sandboxed like it. Only a host that
trusts the bots (`shut_in=False`) lets it run without a sandbox, as the person who started the referee.
"""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from referee.hosting.bot import programs
from referee.hosting.bot.build_copy import MOST_BYTES, MOST_FILES, staged
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.bot_process import BotProcess, Exit, RestartPolicy
from referee.hosting.sandbox.bubblewrap import SandboxFailed, SandboxLimits, own_uid, probe
from referee.hosting.sandbox.build_sandbox import LIMITS, BuildSandbox
from referee.hosting.sandbox.launch import Launcher, NoSandbox
from referee.rules.game import WrongUse
from referee.rules.spelling import printable

BUILD_SECONDS = 900.0
LOOK_SECONDS = 0.2
GONE_SECONDS = 10.0
SHOWN_LINES = 20
UNLIMITED = 1 << 62
WANTED_NETWORK = (
    "name resolution", "could not resolve", "getaddrinfo", "eai_again", "enotfound", "enetunreach", "no such host",
    "network is unreachable", "name or service not known", "dial tcp", "failed to establish a new connection",
    "unable to connect", "failed to connect", "connection refused", "econnrefused", "could not connect",
    "could not transfer artifact",
)  # fmt: skip
"""What programs write that cannot reach another machine."""


class BuildFailed(WrongUse):
    """A build did not succeed: a sentence that says how, and the last lines it wrote."""

    def __init__(self, sentence: str, output: str) -> None:
        super().__init__(f"{sentence}:\n{output}")
        self.sentence = sentence
        self.output = output


async def build(
    specs: Iterable[BotSpec],
    *,
    shut_in: bool = True,
    network: bool = False,
    told: Callable[[str], object] = lambda text: None,
    seconds: float = BUILD_SECONDS,
    limits: SandboxLimits = LIMITS,
) -> None:
    """Build every bot that has to be built, each folder once; `told` hears the command of each before it runs.

    `network` lets a build that is shut in reach the network. BuildFailed shows the output of a build that fails.
    """
    done = set()
    for spec in specs:
        if not spec.build or spec.cwd in done:
            continue
        done.add(spec.cwd)
        where = "in the sandbox, with network" if network else "in the sandbox, without network"
        told(f"building {printable(spec.name)} ({where if shut_in else 'no sandbox'}): {_shown(spec)}")
        if shut_in:
            await _build_shut_in(spec, network, seconds, limits)
        else:
            await _run(spec, spec.build, NoSandbox(UNLIMITED), seconds)
        _check_made(spec)


async def _build_shut_in(spec: BotSpec, network: bool, seconds: float, limits: SandboxLimits) -> None:
    if (missing := probe()) is not None:
        raise SandboxFailed(missing)
    program, folder, uid = spec.build[0], spec.folder or spec.cwd, own_uid()
    found = str(folder / program) if "/" in program else programs.on_path(program)
    if found is None:
        raise WrongUse(f"{printable(spec.name)} cannot be built: there is no program {program!r} on the PATH")
    with staged(folder, uid) as staging:
        sandbox = BuildSandbox(staging.copy, uid, network, limits)
        try:
            await _run(spec, (found, *spec.build[1:]), sandbox, seconds, staging.copy)
        except SandboxFailed as error:  # a program that is not to be had inside
            raise WrongUse(f"{printable(spec.name)} cannot be built: {error}") from None
        except BuildFailed as failed:
            if network or not any(sign in failed.output.lower() for sign in WANTED_NETWORK):
                raise
            hint = "it seems to want the network, which builds do not have: --build-network allows it"
            hint += ", or build it yourself first"
            raise BuildFailed(f"{failed.sentence}; {hint}", failed.output) from None
        finally:
            # Only when its first process is gone has the kernel ended all others, and nothing changes any more.
            await _gone(sandbox.first_process())
            sandbox.close()
        staging.bring_back()


async def _run(
    spec: BotSpec, command: tuple[str, ...], launcher: Launcher, seconds: float, copy: Path | None = None
) -> None:
    """Run the command to its end, and end all its descendants."""
    of_build = replace(spec, argv=command, kind=Kind.GRPC, folder=spec.folder or spec.cwd, files=(), build=())
    process = BotProcess(of_build, launcher, restart_policy=RestartPolicy(crashes=1))
    loop = asyncio.get_running_loop()
    until, room = loop.time() + seconds, None if copy is None else _Room(copy)
    try:
        await process.start()
        while not await process.wait(min(LOOK_SECONDS, seconds)):
            if room is not None and (used := room.used_up()):
                process.kill(used)
            if loop.time() > until:
                raise BuildFailed(
                    f"{printable(spec.name)}: {_shown(spec)} took longer than {seconds:g} seconds", _last(process)
                )
    finally:
        await process.stop()
    ended = process.exits[-1]
    if ended.code != 0:
        raise BuildFailed(
            f"{printable(spec.name)} cannot be built: {_shown(spec)} in {spec.cwd} {_how(ended)}", _last(process)
        )


class _Room:
    """Watches how much a build takes of the disk, files that it has removed but holds open included."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        self._before = os.statvfs(copy)

    def used_up(self) -> str:
        """What it has done, as the end of a sentence; nothing as long as there is room."""
        before, now = self._before, os.statvfs(self._copy)
        if (before.f_bfree - now.f_bfree) * now.f_frsize > MOST_BYTES:
            return f"used more than {MOST_BYTES >> 20:,} MB of the disk"
        if before.f_ffree - now.f_ffree > MOST_FILES:
            return f"made more than {MOST_FILES:,} files"
        return ""


async def _gone(pid: int | None) -> None:
    until = asyncio.get_running_loop().time() + GONE_SECONDS
    while pid is not None and _is_there(pid) and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110 - see /proc
        await asyncio.sleep(0.005)


def _is_there(pid: int) -> bool:
    """Whether the first process of a sandbox still lives; ids are used again."""
    try:
        name, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
    except OSError:
        return False
    return "bwrap" in name and fields.split()[0] not in "ZX"


def _check_made(spec: BotSpec) -> None:
    """WrongUse if there is still nothing to start."""
    for word in spec.argv[:2]:
        if spec.cwd in Path(word).parents and not os.path.exists(word):
            raise WrongUse(
                f"{printable(spec.name)} was built, but there is no {word} now: {_shown(spec)} should have made it"
            )


def _shown(spec: BotSpec) -> str:
    """The command for people: it is the bot's text."""
    return printable(shlex.join(spec.build))


def _last(process: BotProcess) -> str:
    return process.stderr.told(SHOWN_LINES)


def _how(ended: Exit) -> str:
    return ended.text if ended.text.startswith("was ") else f"failed with code {ended.code}"
