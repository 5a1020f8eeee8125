"""Hosts one bot in a sandbox without cgroups, and says in the end what it saw: `lodging.py SECONDS COMMAND…`.

Prints a line when the bot has begun and, after so many seconds, one JSON object.
"""

import asyncio
import json
import sys
from pathlib import Path

from referee.hosting.cgroups import Cgroups
from referee.hosting.process import BotProcess, Condition, Patience
from referee.hosting.sandbox import Sandbox
from referee.hosting.spec import BotSpec, Kind


async def main(seconds: float, argv: list[str]) -> None:
    folder = next((Path(word).parent for word in argv[1:] if word.startswith("/")), None)
    spec = BotSpec("lodger", tuple(argv), Kind.STDIO, folder or Path("/"), folder=folder)
    bot = BotProcess(spec, Sandbox(groups=Cgroups()), patience=Patience(crashes=1))
    await bot.start()
    print("ready", flush=True)
    await bot.wait(seconds)
    seen = bot.hold
    assert seen is not None
    throttle = seen.throttle
    told = {
        "seconds": seen.seconds,
        "holds": throttle.holds if throttle else 0,
        "running": bot.condition is Condition.RUNNING,
        "exits": [leaving.text for leaving in bot.exits],
        "said": bot.stderr.lines(),
    }
    print(json.dumps(told), flush=True)
    await bot.stop()


asyncio.run(main(float(sys.argv[1]), sys.argv[2:]))
