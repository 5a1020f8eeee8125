"""`arena.run(bot)`: from a file with a `decide` to a bot that plays."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence
from typing import Unpack

from arena import bots, settings
from arena.client import Client
from arena.errors import ArenaError, Refused
from arena.keywords import Changes, change, checked

RESIGNED = 1
"""A match was resigned because of an error in the bot."""
INTERRUPTED = 130


def run(bot: bots.Bot, arguments: Sequence[str] | None = None, **changes: Unpack[Changes]) -> None:
    """Connect and play until there is nothing more to play, then return; ends the program with a sentence if it cannot.

    `bot` is a function `decide(decision) -> str`, an object with such a method, or a class of which every match gets an
    instance of its own; `decide` may be async. Reads `--server`, `--token`, `--name` and more (`--help`) or
    REFEREE_SERVER, REFEREE_TOKEN, …; keyword arguments such as `games=("flip7",)` or `concurrency=4` override.
    """
    try:
        bots.check(bot)
        chosen = change(settings.read(arguments), changes)
        _check_no_loop()
        end = asyncio.run(_play(bot, chosen))
    except ArenaError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        sys.exit(error.code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    if end is not None:
        raise end


def _check_no_loop() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # as it should be
        return
    raise Refused(
        "an event loop is running here already, as in a notebook or an async function: "
        'say  await arena.run_async(bot, arena.Settings("HOST:PORT", TOKEN))'
    )


async def run_async(bot: bots.Bot, chosen: settings.Settings) -> Client:
    """The same inside a running event loop; returns the client with its `results`, raises ArenaError."""
    client = Client(bot, checked(chosen))
    await client.play()
    return client


async def _play(bot: bots.Bot, chosen: settings.Settings) -> SystemExit | None:
    """Play to the end; what ends the program before that is returned, for asyncio would make a long story of it."""
    client = Client(bot, chosen)
    loop = asyncio.get_running_loop()
    work = asyncio.ensure_future(_until_exit(client))
    open_signals = 0
    twice = False

    def stop() -> None:
        # First time: finish the running matches. Second time: go.
        nonlocal open_signals, twice
        open_signals -= 1
        if work.done():
            return
        if not client.playing or client.leaving:
            twice = client.leaving
            client.leave()
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
        return await work
    except asyncio.CancelledError:
        if not work.cancelled():
            raise
        if twice:
            return SystemExit(INTERRUPTED)
        return _end(client)  # no match was running: this is how a bot leaves
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _until_exit(client: Client) -> SystemExit | None:
    try:
        await client.play()
    except KeyboardInterrupt:  # raised in the midst of `decide`
        return SystemExit(INTERRUPTED)
    except SystemExit as end:  # the author's own wish
        return end
    return _end(client)


def _end(client: Client) -> SystemExit | None:
    return SystemExit(RESIGNED) if client.errors else None
