"""A worker that hosts a stubborn bot, or many, and waits to be killed: `host_to_kill.py sandbox|open|many MARKER`."""

import asyncio
import sys
from pathlib import Path

from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.bot_process import BotProcess
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import Launcher, NoSandbox

BAD_BOTS = Path(__file__).resolve().parents[1] / "bad_bots"


async def main(where: str, marker: str) -> None:
    if where == "many":
        sleeper = BotSpec("sleeps", ("/bin/sh", "-c", "sleep 300", marker), Kind.STDIO, Path("/"))
        for _ in range(12):
            await BotProcess(sleeper, Sandbox()).start()
        print("ready", flush=True)
        await asyncio.sleep(300)
    argv = (sys.executable, str(BAD_BOTS / "daemonises.py"), marker)
    spec = BotSpec("daemonises", argv, Kind.STDIO, BAD_BOTS, folder=BAD_BOTS)
    launcher: Launcher = Sandbox() if where == "sandbox" else NoSandbox()
    bot = BotProcess(spec, launcher)
    loose = asyncio.Event()
    bot.on_stderr = lambda chunk: loose.set()
    await bot.start()
    await loose.wait()
    print("ready", flush=True)
    await asyncio.sleep(300)


asyncio.run(main(*sys.argv[1:]))
