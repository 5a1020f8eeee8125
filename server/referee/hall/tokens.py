"""Authentication: the hashes of all tokens in memory, so that logging in waits for no queue that others can fill.

Tokens are compared by their hashes, so the time taken tells nothing about the tokens there are. What changes in the
store is noticed when a caller has an unknown token, and every two seconds at the latest.
"""

from __future__ import annotations

import re

from referee.hall.places import Places, PlacesTaken
from referee.hall.single_flight import SingleFlight
from referee.store import Admin, BotCredentials, BotKind, Role, Store
from referee.store.bots import token_hash
from referee.threads import in_thread

TOKEN = re.compile(r"[!-~]{1,256}")
"""What could be a token; anything else is refused without a query to the store."""
MOST_UNKNOWN = 128
MOST_UNKNOWN_PER_ADDRESS = 64
"""Callers with an unknown token that wait for a query to the store; one query serves all of them."""


class Tokens:
    """Checks the tokens of bots and of admins."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._names: dict[str, str] = {}
        self._admins: dict[str, Admin] = {}
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

    async def admin(self, token: str, peer: str) -> Admin | None:
        """The admin who has this token, at this very moment.

        PlacesTaken if too many unknown ones are being looked up.
        """
        if not TOKEN.fullmatch(token):
            return None
        given = token_hash(token)
        if given not in self._admins:
            with self._unknown.one(peer):
                await self.refresh()
            return self._admins.get(given)
        # The caller knows this token or one of before: see whether it has been made void meanwhile.
        return await in_thread(self._store.admins.with_hash, given)

    async def is_admin(self, token: str, peer: str, role: Role = Role.HOST) -> bool:
        """Whether this is the token of an admin who may do what needs that role."""
        admin = await self.admin(token, peer)
        return admin is not None and admin.may(role)

    async def _look(self) -> list[BotCredentials]:
        def read() -> tuple[list[BotCredentials], dict[str, Admin]]:
            return self._store.bots.passes(), self._store.admins.by_hash()

        bots, self._admins = await in_thread(read)
        self._names = {
            bot.token_hash: bot.name
            for bot in bots
            if bot.kind is BotKind.REMOTE and bot.token_hash is not None and bot.revoked is None
        }
        return bots
