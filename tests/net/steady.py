"""A well-behaved bot that plays on while others misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from arena.client import Client
from arena.decision import Decision
from arena.settings import Practice, Settings
from arena.v1 import result_pb2

from ..waiting import PATIENCE, soon


class Steady:
    """Plays practice matches one after the other, and knows whether anything went wrong."""

    def __init__(self, address: str, token: str) -> None:
        self.decisions = 0
        self.trouble: list[str] = []
        practice = Practice("flip7", ("cautious", "cautious"), 1000)
        settings = Settings(address, token, practice=practice, quiet=True)
        self.client = Client(self._decide, settings, say=self.trouble.append)

    def _decide(self, decision: Decision) -> str:
        self.decisions += 1
        return decision.legal[-1]

    async def plays_on(self, decisions: int = 15, patience: float = PATIENCE) -> None:
        """It is asked and answers as ever."""
        goal = self.decisions + decisions
        await soon(lambda: self.decisions >= goal or self.trouble, patience)
        assert not self.trouble, self.trouble
        for end in self.client.results:
            assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED] * 3
        assert not self.trouble, self.trouble


@asynccontextmanager
async def steady(address: str, token: str) -> AsyncIterator[Steady]:
    bot = Steady(address, token)
    work = asyncio.ensure_future(bot.client.play())
    try:
        await bot.plays_on(5)
        yield bot
        await bot.plays_on()
    finally:
        work.cancel()
        with suppress(asyncio.CancelledError):
            await work
