"""Event log (audit trail): what is stored in the journal goes to the server's log as it happens.

It follows the database and not the code that writes to it. So it tells what this server decided, what an admin asked
for, and what another command did to the same database, in the same words.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

import structlog

from referee.store import DamagedRow, Store, StoreError, Tournament, TournamentState
from referee.store.journal_entry import INSTALLATION
from referee.threads import in_thread
from referee.tournament.events import Event, Teller
from referee.tournament.events_together import together

log = structlog.get_logger()
LOOK_SECONDS = 1.0
MOST_AT_ONCE = 2000
"""Entries of one chain that are read at a look; the rest follows at the next one."""
OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)


class EventLog:
    """Reads on in all chains of a store."""

    def __init__(
        self, store: Store, tell: Callable[[Event], object] | None = None, *, for_people: bool = False
    ) -> None:
        """`for_people`: what is said of many matches or invitations in a row is one line, not one for each."""
        self._store = store
        self._for_people = for_people
        self._tell = tell or _to_log
        self._read: dict[int, int] = {}
        self._tellers: dict[int, Teller] = {}
        self._over: set[int] = set()
        self._looking: asyncio.Future[list[Event]] | None = None

    def skip_to_now(self) -> None:
        """What is stored already is not told: 'referee events' lists it."""
        for chain, _ in self._chains():
            self._read[chain] = self._store.journal.head(chain)[0]

    async def follow(self) -> None:
        """Tell what is stored, about once a second, as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self._tell_news()

    async def tell_the_rest(self) -> None:
        """Tell what was stored since the last look, once nothing follows any more: the next server skips it."""
        if self._looking is not None:
            await self._tell_news()
        await self._tell_news()

    async def _tell_news(self) -> None:
        """One look; one that is cancelled is told by the next."""
        if self._looking is None:
            self._looking = asyncio.ensure_future(in_thread(self.look))
        try:
            found = await asyncio.shield(self._looking)
        except StoreError as error:  # results tell it louder, and the log goes on when the database does
            self._looking = None
            log.error("the log of events cannot be read", why=str(error))
            return
        self._looking = None
        for event in together(found) if self._for_people else found:
            self._tell(event)

    def look(self) -> list[Event]:
        """The events since the last look, chain by chain."""
        found: list[Event] = []
        for chain, tournament in self._chains():
            over = tournament is not None and tournament.state in OVER
            if chain in self._over:
                if over:
                    continue
                self._over.discard(chain)  # it was reopened
            if chain not in self._tellers:
                about = ("", None) if tournament is None else (tournament.name, tournament.started)
                self._tellers[chain] = Teller(about[0], partial(self._seats, chain), about[1])
            first, count = self._read.get(chain, 0), 0
            for entry in self._store.journal.read(chain, first, MOST_AT_ONCE):
                count += 1
                try:
                    found += self._tellers[chain].tell(entry)
                except DamagedRow as error:
                    log.error("an event cannot be told", why=str(error))
            self._read[chain] = first + count
            if over and count == 0:
                self._over.add(chain)
        return found

    def _chains(self) -> list[tuple[int, Tournament | None]]:
        """Each chain, and the tournament it belongs to; None for that of the installation."""
        return [(INSTALLATION, None), *((one.id, one) for one in self._store.tournaments.all())]

    def _seats(self, chain: int, match: int) -> Sequence[str]:
        if chain == INSTALLATION:
            return [seat.name for seat in self._store.matches.get(match).seats]
        return [seat.name for one in self._store.matches.page(chain, match, 1) for seat in one.seats]


def _to_log(event: Event) -> None:
    say = log.warning if event.alarm else log.info
    where = {"tournament": event.tournament} if event.tournament else {}
    say(event.text, event_kind=event.kind, **where, **{k: v for k, v in event.about.items() if k not in where})
