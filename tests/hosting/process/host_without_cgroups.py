"""Hosts one bot in a sandbox without cgroups, and says in the end what it saw.

`host_without_cgroups.py SECONDS CORES COMMAND…` prints a line when the bot has begun. With less than one core to use it
has to be held: says so when that has happened. After so many seconds more it prints one JSON object.
"""

import asyncio
import json
import sys
from pathlib import Path

from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.bot_process import BotProcess, Condition, RestartPolicy
from referee.hosting.process.cgroups import Cgroups
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxLimits


async def main(seconds: float, cores: float, argv: list[str]) -> None:
    folder = next((Path(word).parent for word in argv[1:] if word.startswith("/")), None)
    spec = BotSpec("lodger", tuple(argv), Kind.STDIO, folder or Path("/"), folder=folder)
    bot = BotProcess(
        spec, Sandbox(SandboxLimits(cores=cores), groups=Cgroups()), restart_policy=RestartPolicy(crashes=1)
    )
    await bot.start()
    print("ready", flush=True)
    seen = bot.limits
    assert seen is not None
    throttle = seen.throttle
    assert throttle is not None
    if cores < 1:
        async with asyncio.timeout(60):
            while not throttle.holds:  # noqa: ASYNC110 - nobody is told of a hold
                await asyncio.sleep(0.05)
        print(json.dumps({"seconds": seen.seconds}), flush=True)
    await bot.wait(seconds)
    told = {
        "seconds": seen.seconds,
        "holds": throttle.holds,
        "running": bot.condition is Condition.RUNNING,
        "exits": [leaving.text for leaving in bot.exits],
        "said": bot.stderr.lines(),
    }
    print(json.dumps(told), flush=True)
    await bot.stop()


asyncio.run(main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
