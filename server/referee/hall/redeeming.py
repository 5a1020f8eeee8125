"""Redeeming invitations: what a caller without any token may do to become a bot, few at a time."""

from __future__ import annotations

from referee.hall.places import Places, PlacesTaken
from referee.hall.tokens import Tokens
from referee.store import NewBot, Store, Unknown
from referee.threads import in_thread

AT_ONCE, AT_ONCE_PER_ADDRESS = 128, 64
"""Callers whose codes are being looked up; a class may sit behind one address."""
LONGEST_CODE = 200
NO_SUCH = "there is no such invitation: check the code, or ask the host for a new one"
BUSY = "too many invitations are being looked up: try again in a moment"


class Redeeming:
    """Turns codes into bots."""

    def __init__(self, store: Store, tokens: Tokens) -> None:
        self._store = store
        self._tokens = tokens
        self._places = Places(AT_ONCE, AT_ONCE_PER_ADDRESS, PlacesTaken(BUSY), PlacesTaken(BUSY))

    async def redeem(self, code: str, name: str, peer: str) -> NewBot:
        """The new bot and its token. A wrong code is found out by reading, so strangers make the store write nothing.

        PlacesTaken if too many ask at once; Unknown, NotAllowed, NameTaken, Refused and WrongUse as they say.
        """
        from referee.hall.roster import check_new_name

        with self._places.one(peer):
            if len(code) > LONGEST_CODE or not await in_thread(self._store.invitations.known, code):
                raise Unknown(NO_SUCH)
            check_new_name(name)
            made = await in_thread(self._store.invitations.redeem, code, name)
            await self._tokens.refresh()
            return made
