"""Authentication: the hashes of all tokens in memory, so that logging in waits for no queue that others can fill.

Tokens are compared by their hashes, so the time taken tells nothing about the tokens there are. What changes in the
store is noticed when a caller has an unknown token, and every two seconds at the latest.
"""

from __future__ import annotations

import hmac
import re

from referee.hall.places import Places, PlacesTaken
from referee.hall.single_flight import SingleFlight
from referee.store import ADMIN_FACT, BotCredentials, BotKind, Store
from referee.store.bots import token_hash
from referee.threads import in_thread

TOKEN = re.compile(r"[!-~]{1,256}")
"""What could be a token; anything else is refused without a query to the store."""
MOST_UNKNOWN = 128
MOST_UNKNOWN_PER_ADDRESS = 64
"""Callers with an unknown token that wait for a query to the store; one query serves all of them."""


class Tokens:
    """Checks the tokens of bots and of the host (admin)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, str] = {}
        self._admin: str | None = None
        self._looking = SingleFlight(self._look)
        self._unknown = Places(MOST_UNKNOWN, MOST_UNKNOWN_PER_ADDRESS, PlacesTaken(), PlacesTaken())

    def knows(self, name: str) -> bool:
        """Whether a bot of that name is registered and may connect."""
        return name in self._names.values()

    async def refresh(self) -> list[BotCredentials]:
        """Read the store again; returns all bots."""
        return await self._looking.now()

    async def authenticate(self, token: str, peer: str) -> str | None:
        """The name of the remote bot that has this token; at once, if it is known.

        PlacesTaken if too many unknown ones are being looked up.
        """
        if not TOKEN.fullmatch(token):
            return None
        given = token_hash(token)
        if given not in self._names:
            with self._unknown.one(peer):
                await self.refresh()
        return self._names.get(given)

    async def is_admin(self, token: str, peer: str) -> bool:
        """Whether this is the host's token, at this very moment."""
        if not TOKEN.fullmatch(token):
            return False
        given = token_hash(token)
        if not self._was_admin(given):
            with self._unknown.one(peer):
                await self.refresh()
            return self._was_admin(given)
        # The caller knows this token or the one before: see whether it has been made void meanwhile.
        self._admin = await in_thread(self._store.fact, ADMIN_FACT)
        return self._was_admin(given)

    def _was_admin(self, given: str) -> bool:
        return self._admin is not None and hmac.compare_digest(self._admin, given)

    async def _look(self) -> list[BotCredentials]:
        def read() -> tuple[list[BotCredentials], str | None]:
            return self._store.bots.passes(), self._store.fact(ADMIN_FACT)

        bots, self._admin = await in_thread(read)
        self._names = {
            bot.token_hash: bot.name
            for bot in bots
            if bot.kind is BotKind.REMOTE and bot.token_hash is not None and bot.revoked is None
        }
        return bots
