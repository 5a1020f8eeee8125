"""The rounds of a tournament as its format takes them, read from the store."""

from __future__ import annotations

from typing import Any

from referee.store import MatchState, Store, StoredRound, Tournament
from referee.tournament.formats import registry
from referee.tournament.formats.format import Field, Format, SettledRound
from referee.tournament.formats.settled import settled_round
from referee.tournament.plan import Plan

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)


class RoundsSoFar:
    """The rounds of one tournament as its format takes them; what was read once is not read again."""

    def __init__(self, store: Store, tournament: Tournament, plan: Plan) -> None:
        self.format: Format = registry.from_settings(plan.format)
        self.drawn: list[StoredRound] = []
        self.settled: list[SettledRound] = []
        """Of those drawn, as many from the first on as are settled."""
        self.names: list[str] = []
        self.rulings = 0
        self.out: dict[str, Any] = {}
        self._store = store
        self._tournament = tournament
        self._plan = plan

    def read(self) -> None:
        """Read what is new; after a ruling everything, for it may have changed earlier results."""
        store, number = self._store, self._tournament.id
        rulings = store.rulings.all(number)
        if len(rulings) != self.rulings:
            self.settled.clear()
        # A round may be taken back into play, by a bot that returned or by a ruling: the last one is read again.
        del self.settled[max(0, len(self.drawn) - 1) :]
        self.names = [entrant.name for entrant in store.tournaments.entrants(number)]
        self.rulings, self.out = len(rulings), store.rulings.out(number)
        self.drawn += store.rounds.all(number, after=len(self.drawn))
        waiting = self.drawn[len(self.settled) :]
        if not waiting:
            return
        matches = {
            match.ordinal: match
            for match in store.matches.in_schedule_order(number, after=waiting[0].first - 1)
            if match.ordinal is not None
        }
        for drawn in waiting:
            if any(matches[ordinal].state in OPEN for ordinal in range(drawn.first, drawn.last)):
                return
            self.settled.append(settled_round(drawn, matches))

    @property
    def field(self) -> Field:
        """Who can be drawn now."""
        active = frozenset(position for position, name in enumerate(self.names) if name not in self.out)
        return Field(len(self.names), self._plan.players, active, registry.seeding_of(self._plan.format, self.names))
