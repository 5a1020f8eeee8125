"""Many SDK bots in one process: `python tournament_crowd.py SERVER NAME=STYLE=TOKEN…`.

A style is `random` (any legal move, by a hash of the view), `slow` (the same, after a moment, so that a long tournament
is not over soon), `first` (always the first legal move), a number (`0.8`: random moves, each after so much of its
budget), or a move that is always answered.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

from arena import Decision
from arena.bots import Bot
from arena.launch import run_async
from arena.settings import Settings


def at_random(decision: Decision) -> str:
    draw = int.from_bytes(hashlib.sha256(decision.view_bytes).digest()[:8], "big")
    return decision.legal[draw % len(decision.legal)]


async def slowly(decision: Decision) -> str:
    await asyncio.sleep(0.02)
    return at_random(decision)


def after(share: float) -> Bot:
    async def decide(decision: Decision) -> str:
        await asyncio.sleep(share * decision.budget)
        return at_random(decision)

    return decide


def bot(style: str) -> Bot:
    if style in ("random", "slow"):
        return at_random if style == "random" else slowly
    if style.replace(".", "").isdigit():
        return after(float(style))
    return lambda decision: decision.legal[0] if style == "first" else style


async def main(server: str, words: list[str]) -> None:
    bots = [word.split("=") for word in words]
    await asyncio.gather(
        *(run_async(bot(style), Settings(server, token, quiet=True, first_patience=60)) for _, style, token in bots)
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2:]))
