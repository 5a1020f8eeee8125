"""`arena.run(bot)`: from a file with a `decide` to a bot that plays."""

from __future__ import annotations

import asyncio
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
    open_signals = 0

    def stop() -> None:
        # First time: finish the running matches. Second time: go.
        nonlocal open_signals
        open_signals -= 1
        if not client.playing or client.leaving:
            work.cancel()
        else:
            print("leaving after the running matches; once more to leave at once", file=sys.stderr, flush=True)
            client.leave()

    def interrupt(*_: object) -> None:
        nonlocal open_signals
        open_signals += 1
        if open_signals > 1:  # the loop has not even noticed the one before: the bot is deep in thought
            raise KeyboardInterrupt
        loop.call_soon_threadsafe(stop)

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        await work
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
