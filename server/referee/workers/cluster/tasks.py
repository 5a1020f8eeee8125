"""What a dask worker is asked to run: it describes itself, takes bots, opens a run, plays matches, and ends it.

Every function takes and returns JSON as bytes and raises nothing: an error is an answer, `{"error": …}`. The host that
asks reads no pickles (`fence.py`), and an exception would be one. What is sent here is idempotent: a piece of a bot, a
match or an end of a run that arrives twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from referee.hosting.bot.build import BuildFailed
from referee.hosting.sandbox.bubblewrap import SandboxFailed
from referee.rules.game import WrongUse
from referee.workers.cluster.site import Machine

NOT_OURS = "this dask worker was not started with 'referee worker'"
NOT_OPEN = b'{"say":"closed"}\n'
machine: Machine | None = None
"""This machine, in a process that `referee worker` has started."""


async def meet(asked: bytes) -> bytes:
    """What this machine is, and which of these bots it has not got."""

    async def answer() -> dict[str, Any]:
        return {**_machine().about(), "missing": _machine().cache.missing(json.loads(asked)["digests"])}

    return await _answered(answer)


async def take(digest: str, offset: int, piece: bytes) -> bytes:
    """A piece of a packed bot."""

    async def answer() -> dict[str, Any]:
        _machine().cache.arrived(digest, offset, piece)
        return {}

    return await _answered(answer)


async def open_run(run: str, order: bytes) -> bytes:
    """Prepare a run; the bots of an earlier one of that name are ended before."""

    async def answer() -> dict[str, Any]:
        return await _machine().open(run, json.loads(order))

    return await _answered(answer)


async def play(run: str, orders: bytes, stored: bytes = b"[]") -> bytes:
    """Play matches of a run, and tell of those that have ended (`Site.play`); others are stored now."""
    await announce(run, stored)
    site = machine.sites.get(run) if machine is not None else None
    return NOT_OPEN if site is None else await site.play(json.loads(orders))


async def announce(run: str, matches: bytes) -> None:
    """Matches of a run are stored."""
    if machine is not None and run in machine.sites:
        machine.sites[run].announce(json.loads(matches))


async def break_off(run: str, matches: bytes) -> None:
    """Matches of a run are to end without a result."""
    if machine is not None and run in machine.sites:
        machine.sites[run].break_off(json.loads(matches))


async def close_run(run: str) -> None:
    """A run is over."""
    if machine is not None:
        await machine.close(run)


def _machine() -> Machine:
    if machine is None:
        raise WrongUse(NOT_OURS)
    return machine


async def _answered(answer: Callable[[], Awaitable[dict[str, Any]]]) -> bytes:
    try:
        value = await answer()
    except BuildFailed as failed:
        value = {"error": f"{failed.sentence}: {failed.output}", "bot": True}
    except WrongUse as error:
        value = {"error": str(error)}
    except (SandboxFailed, OSError) as error:
        value = {"error": str(error)}
    return json.dumps(value).encode()
