"""A bot's build command: run once, before the first start, as the person who started the referee."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from collections.abc import Iterable

from referee.hosting.output import LastLines
from referee.hosting.quarters import kept, plain_environment
from referee.hosting.spec import BotSpec
from referee.rules.game import WrongUse

BUILD_SECONDS = 900.0


async def build(specs: Iterable[BotSpec], seconds: float = BUILD_SECONDS) -> None:
    """Build every bot that has to be built, each folder once; WrongUse shows the output of a build that fails."""
    done = set()
    for spec in specs:
        if spec.build and spec.cwd not in done:
            done.add(spec.cwd)
            await _build(spec, seconds)


async def _build(spec: BotSpec, seconds: float) -> None:
    command = shlex.join(spec.build)
    running = await asyncio.create_subprocess_exec(
        *kept(spec.build),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=spec.cwd,
        env=plain_environment(os.environ),
        start_new_session=True,
    )
    output = LastLines()
    assert running.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            while chunk := await running.stdout.read(1 << 16):
                output.add(chunk)
            code = await running.wait()
    except TimeoutError:
        raise WrongUse(f"{spec.name}: {command} took longer than {seconds:g} seconds:\n{output.told(20)}") from None
    finally:
        if running.returncode is None:  # out of time, or interrupted
            running.send_signal(signal.SIGHUP)
            await running.wait()
    if code != 0:
        raise WrongUse(
            f"{spec.name} cannot be built: {command} in {spec.cwd} failed with code {code}:\n{output.told(20)}"
        )
