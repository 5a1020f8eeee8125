"""When the nonces of a tournament are drawn: at its start, and when a bot joins while it runs.

At the start the commitments are stored before the first nonce is asked for. If the server is killed in between, the
next one asks the same entrants for the nonces they had committed themselves to, and no other entrant.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from referee.hall.nonce_call import NonceCall, NonceStep
from referee.hall.nonce_drawing import NonceDrawing
from referee.store import NonceDraw, Store, Tournament
from referee.store.journal_entry import schedule_line
from referee.threads import in_thread


class TournamentNonces:
    """Draws nonces and stores them; `bots` are always the remote entrants with the names of their bots."""

    def __init__(self, store: Store, drawing: NonceDrawing) -> None:
        self._store = store
        self._drawing = drawing

    async def at_start(self, tournament: Tournament, bots: Mapping[str, str]) -> None:
        """Draw the nonces of a tournament that has never been started; nothing to do if it has been."""
        if tournament.started is not None or tournament.repeatable:
            return
        known = await in_thread(self._store.nonces.draws, tournament.id)
        here = self._drawing.taking_part(bots)
        if not here and not known:
            return
        digest = await in_thread(self._schedule_digest, tournament)
        call = NonceCall(tournament.name, 0, NonceStep.COMMIT, tournament.commitment, digest)
        entrants = known[0].entrants if known else await self._drawing.commitments(call, here)
        if not entrants:
            return
        if not known:
            await in_thread(self._store.nonces.commit, tournament.id, NonceDraw(0, 0, entrants))
        call = NonceCall(tournament.name, 0, NonceStep.REVEAL, tournament.commitment, digest, entrants)
        drawn = await self._drawing.nonces(call, bots)
        nonces = {entrant.name: entrant.nonce for entrant in drawn if entrant.nonce}
        await in_thread(self._store.nonces.tell, tournament.id, 0, nonces)
        await self.tell_last(tournament, bots)

    async def at_join(self, tournament: Tournament, bots: Mapping[str, str]) -> NonceDraw | None:
        """Draw the nonces of the matches that are about to be added; the caller stores them with the matches."""
        here = self._drawing.taking_part(bots)
        if tournament.repeatable or not here:
            return None
        known = await in_thread(self._store.nonces.draws, tournament.id)
        number = known[-1].draw + 1 if known else 1
        call = NonceCall(tournament.name, number, NonceStep.COMMIT, tournament.commitment)
        entrants = await self._drawing.commitments(call, here)
        if not entrants:
            return None
        call = NonceCall(tournament.name, number, NonceStep.REVEAL, tournament.commitment, "", entrants)
        return NonceDraw(number, 0, await self._drawing.nonces(call, here))

    def can_be_drawn(self, tournament: Tournament) -> bool:
        """Whether nonces may be drawn for what is added next: never twice for the same matches."""
        total = self._store.matches.total(tournament.id)
        known = self._store.nonces.draws(tournament.id)
        return total > (known[-1].first if known else 0)

    async def tell_last(self, tournament: Tournament, bots: Mapping[str, str]) -> None:
        """Tell those who took part in the last draw what is stored of it."""
        draw = (await in_thread(self._store.nonces.draws, tournament.id))[-1]
        digest = "" if draw.draw else await in_thread(self._schedule_digest, tournament)
        call = NonceCall(
            tournament.name, draw.draw, NonceStep.FIXED, tournament.commitment, digest, draw.entrants, draw.first
        )
        self._drawing.tell(call, bots)

    def _schedule_digest(self, tournament: Tournament) -> str:
        """SHA-256 of the schedule as an export writes it."""
        digest = hashlib.sha256()
        for match in self._store.matches.in_schedule_order(tournament.id):
            names = [seat.name for seat in match.seats]
            line = schedule_line(match.ordinal or 0, match.round or 0, match.table or 0, names)
            digest.update(line.encode())
        return digest.hexdigest()
