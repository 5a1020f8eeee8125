"""A draw of nonces (commit, then reveal) among the connected bots of a tournament, each step with a deadline.

A bot that does not commit itself in time does not take part. One that committed itself and does not tell its nonce in
time stays listed without one. Neither holds the tournament up for longer than the deadline.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial

import structlog

from referee.hall.nonce_call import NonceCall, NonceStep
from referee.hall.presence import ConnectedBot, Presence
from referee.store import DrawnNonce
from referee.tournament.nonces import HEX, keeps

log = structlog.get_logger()
ANSWER_SECONDS = 10.0
"""How long a bot may take for each of the two answers."""


class NonceDrawing:
    """Asks connected bots; knows no database."""

    def __init__(self, presence: Presence, seconds: float = ANSWER_SECONDS) -> None:
        self._presence = presence
        self._seconds = seconds

    def taking_part(self, bots: Mapping[str, str]) -> dict[str, str]:
        """Of the entrants (and the bots they are), those whose bot is connected and gives nonces."""
        found = {name: self._presence.find(bot) for name, bot in bots.items()}
        return {name: bots[name] for name, bot in found.items() if bot is not None and bot.gives_nonces}

    async def commitments(self, call: NonceCall, bots: Mapping[str, str]) -> tuple[DrawnNonce, ...]:
        """Step 1: who takes part, in the order of `bots`."""
        told = await self._ask(replace(call, step=NonceStep.COMMIT), bots)
        return tuple(DrawnNonce(name, told[name]) for name in bots if HEX.fullmatch(told.get(name, "")))

    async def nonces(self, call: NonceCall, bots: Mapping[str, str]) -> tuple[DrawnNonce, ...]:
        """Step 2: the entrants of `call` with their nonces, as far as they told them."""
        wanted = {entrant.name: bots[entrant.name] for entrant in call.entrants if not entrant.nonce}
        told = await self._ask(replace(call, step=NonceStep.REVEAL), wanted)
        return tuple(self._revealed(call, entrant, told.get(entrant.name, "")) for entrant in call.entrants)

    def tell(self, call: NonceCall, bots: Mapping[str, str]) -> None:
        """Step 3: what is fixed now."""
        for entrant in call.entrants:
            bot = self._presence.find(bots[entrant.name])
            if bot is not None:
                bot.nonces(replace(call, step=NonceStep.FIXED))

    def _revealed(self, call: NonceCall, entrant: DrawnNonce, nonce: str) -> DrawnNonce:
        if entrant.nonce:
            return entrant
        if HEX.fullmatch(nonce) and keeps(entrant.commitment, call.tournament, call.draw, bytes.fromhex(nonce)):
            return replace(entrant, nonce=nonce)
        why = "it told another one" if nonce else "it did not tell it in time"
        log.warning("a nonce is missing", tournament=call.tournament, bot=entrant.name, why=why)
        return entrant

    async def _ask(self, call: NonceCall, bots: Mapping[str, str]) -> dict[str, str]:
        """What the entrants answer within the time; one that comes back on a new connection is asked again."""
        answers: dict[str, str] = {}
        asked: dict[str, ConnectedBot] = {}
        news = asyncio.Event()

        def answered(name: str, text: str) -> None:
            answers.setdefault(name, text)
            news.set()

        self._presence.on_change(news.set)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    while len(answers) < len(bots):
                        news.clear()
                        for name in bots:
                            bot = self._presence.find(bots[name])
                            if name not in answers and bot is not None and asked.get(name) is not bot:
                                asked[name] = bot
                                bot.nonces(call, partial(answered, name))
                        await news.wait()
        finally:
            self._presence.forget(news.set)
        return answers
