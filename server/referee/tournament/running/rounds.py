"""The rounds of a tournament as its format takes them, read from the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from referee.store import MatchState, StoredMatch, StoredRound, Tournament
from referee.tournament.formats import registry
from referee.tournament.formats.format import Field, Format, SettledRound
from referee.tournament.formats.settled import settled_round
from referee.tournament.plan import Plan

if TYPE_CHECKING:
    from referee.store import Store

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
        self._former: dict[int, list[tuple[int, SettledRound]]] = {}
        """Of rounds with annulled results, by number: up to the drawing of which round they were otherwise, and how."""
        self._as_drawn = False
        """Whether settled rounds are told as they were when the open one was drawn."""
        self._store = store
        self._tournament = tournament
        self._plan = plan

    def read(self) -> None:
        """Read what is new; after a ruling everything, for it may have changed earlier results."""
        store, number = self._store, self._tournament.id
        rulings = store.rulings.all(number)
        if len(rulings) != self.rulings or self._as_drawn:
            self.settled.clear()
        self._as_drawn = False
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
        if not self.settled:
            annulled = self.format.stands() and any(one.annulled for one in rulings)
            self._former = self._before_annulment(waiting, matches) if annulled else {}
        for drawn in waiting:
            otherwise = self._otherwise(drawn.number)
            if any(matches[ordinal].state in OPEN for ordinal in range(drawn.first, drawn.last)):
                # What this round was drawn from is decided, though the round is not settled.
                self._as_drawn = bool(otherwise)
                self.settled = SettledRound(drawn.number, (), otherwise=otherwise).drawn_from(self.settled)
                return
            self.settled.append(replace(settled_round(drawn, matches), otherwise=otherwise))

    def _before_annulment(
        self, rounds: Sequence[StoredRound], matches: Mapping[int, StoredMatch]
    ) -> dict[int, list[tuple[int, SettledRound]]]:
        store, number = self._store, self._tournament.id
        last: dict[int, int] = {}  # of each annulled match: the last round that was drawn before
        for ruling, drawn_then in zip(store.rulings.all(number), store.rulings.rounds_before(number), strict=False):
            last |= dict.fromkeys(ruling.annulled, drawn_then)
        found: dict[int, list[tuple[int, SettledRound]]] = {}
        for drawn in rounds:
            times = sorted(
                {last[match] for match in range(drawn.first, drawn.last) if last.get(match, 0) > drawn.number}
            )
            if times:
                found[drawn.number] = [
                    (time, settled_round(drawn, matches, {match for match in last if last[match] >= time}))
                    for time in times
                ]
        return found

    def _otherwise(self, number: int) -> tuple[SettledRound, ...]:
        """Earlier rounds as they were known when this one was drawn, where they were otherwise."""
        formers = (former for earlier, former in self._former.items() if earlier < number)
        found = (next((then for last, then in former if last >= number), None) for former in formers)
        return tuple(then for then in found if then is not None)

    @property
    def field(self) -> Field:
        """Who can be drawn now."""
        active = frozenset(position for position, name in enumerate(self.names) if name not in self.out)
        return Field(len(self.names), self._plan.players, active, registry.seeding_of(self._plan.format, self.names))
