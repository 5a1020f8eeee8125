"""`arena.run(bot)`: from a file with a `decide` to a bot that plays."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from arena import bots, settings
from arena.client import Client
from arena.errors import ArenaError


def run(bot: Any, arguments: Sequence[str] | None = None, **changes: Any) -> None:
    """Connect and play until there is nothing more to play, then return; ends the program with a sentence if it cannot.

    `bot` is a function `decide(decision) -> str`, an object with such a method, or a class of which every match gets an
    instance of its own; `decide` may be async. Reads `--server`, `--token`, `--name` and more (`--help`) or
    REFEREE_SERVER, REFEREE_TOKEN, …; keyword arguments such as `games=("flip7",)` or `concurrency=4` override.
    """
    bots.check(bot)
    chosen = replace(settings.read(arguments), **changes)
    try:
        asyncio.run(_play(bot, chosen))
    except ArenaError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.code)
    except KeyboardInterrupt:
        sys.exit(130)


async def run_async(bot: Any, chosen: settings.Settings) -> Client:
    """The same inside a running event loop; returns the client with its `results`, raises ArenaError."""
    client = Client(bot, chosen)
    await client.play()
    return client


async def _play(bot: Any, chosen: settings.Settings) -> None:
    client = Client(bot, chosen)
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(client.play())

    def stop() -> None:
        # First time: finish the running matches. Second time: go.
        if not client.playing or client.leaving:
            work.cancel()
        else:
            print("leaving after the running matches; once more to leave at once", file=sys.stderr, flush=True)
            client.leave()

    if os.name == "posix":
        loop.add_signal_handler(signal.SIGINT, stop)
        loop.add_signal_handler(signal.SIGTERM, stop)
    try:
        await work
    except asyncio.CancelledError:
        if os.name == "posix":
            raise KeyboardInterrupt from None
        raise
