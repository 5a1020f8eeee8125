"""The standings by the count of a format that draws its rounds: places, points, movement and the rounds themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from referee.store import MatchState, RulingKind, StoredMatch, StoredRound, Tournament
from referee.tournament.formats.bracket import Bracket
from referee.tournament.formats.format import Field
from referee.tournament.formats.places import advanced, places, through
from referee.tournament.plan import Plan
from referee.tournament.running.rounds import RoundsSoFar
from referee_leaderboard.format import FormatPairing, FormatPlace, FormatRound, FormatStage, FormatStanding, FormatTable
from referee_leaderboard.standings import Standing

if TYPE_CHECKING:
    from referee.store import Store

MOST_ROUNDS = 32
MOST_TABLES = 200
"""Of the rounds that are shown together; older ones are left out."""


def format_view(store: Store, tournament: Tournament, plan: Plan) -> FormatView | None:
    """None where no format draws rounds."""
    return FormatView(store, tournament, plan) if plan.format else None


def by_places(rows: Sequence[Standing], shown: FormatStanding, *, moving: bool = False) -> tuple[Standing, ...]:
    """The rows of a table in the order of the format, with its places as ranks.

    `moving`: with the places before the last round beside them.
    """
    place = {each.bot: each.place for each in shown.places}
    before = {each.bot: each.place + each.climbed for each in shown.places} if moving else {}
    last = len(rows) + 1
    ordered = sorted(rows, key=lambda row: place.get(row.bot, last))
    return tuple(replace(row, rank=place.get(row.bot, row.rank), previous_rank=before.get(row.bot)) for row in ordered)


class FormatView:
    """Follows the rounds of one tournament; belongs to one thread at a time."""

    def __init__(self, store: Store, tournament: Tournament, plan: Plan) -> None:
        self.shared_deals: dict[int, int] = {}
        self._shared_from = 0
        """Rounds whose shared deals are known."""
        self._store = store
        self._tournament = tournament
        self._name = str(plan.format["name"])
        self._rounds = RoundsSoFar(store, tournament, plan)
        self._known: tuple[int, int, int] | None = None
        self._places: tuple[FormatPlace, ...] = ()
        self._numbered: tuple[int, dict[int, int]] = (0, {})
        """After how many settled rounds each entrant had which place, when that was last counted."""
        self._drawn_bracket: Bracket | None = None
        self._verdict = ""
        """The answer to the question that the format asks, if it asks one and the settled rounds have one."""

    def update(self) -> FormatStanding:
        """As it stands now."""
        rounds = self._rounds
        rounds.read()
        for drawn in rounds.drawn[self._shared_from :]:
            self.shared_deals.update(drawn.shared_deals())
        self._shared_from = len(rounds.drawn)
        known = (len(rounds.settled), rounds.rulings, len(rounds.names))
        if known != self._known:
            self._known, self._places = known, self._by_count()
            self._drawn_bracket = rounds.format.bracket(rounds.field, rounds.settled) if rounds.names else None
            self._verdict = rounds.format.verdict(rounds.field, rounds.settled, rounds.names) if rounds.names else ""
        shown = _last(rounds.drawn)
        return FormatStanding(
            self._name,
            self._stage(),
            len(rounds.drawn),
            self._places,
            tuple(self._shown(shown)),
            self._bracket(),
        )

    def _stage(self) -> str:
        drawn = self._rounds.drawn
        if not drawn:
            return ""
        # While a round is open nothing is over, whatever the rounds before it say.
        return (self._verdict if len(self._rounds.settled) == len(drawn) else "") or drawn[-1].stage

    def _bracket(self) -> tuple[FormatStage, ...]:
        if self._drawn_bracket is None:
            return ()
        names = self._rounds.names
        return tuple(
            FormatStage(
                stage.name,
                tuple(
                    FormatPairing(
                        table.number,
                        tuple(str(slot) if slot.entrant is None else names[slot.entrant] for slot in table.slots),
                        tuple(names[one] for one in through(table)),
                        table.how,
                    )
                    for table in stage.tables
                ),
                tuple(str(slot) if slot.entrant is None else names[slot.entrant] for slot in stage.waiting),
            )
            for stage in self._drawn_bracket.stages
        )

    def _by_count(self) -> tuple[FormatPlace, ...]:
        rounds = self._rounds
        field, settled = rounds.field, rounds.settled
        gone = {
            position
            for position, name in enumerate(rounds.names)
            if name in rounds.out and rounds.out[name].kind is RulingKind.DISQUALIFIED
        }
        before = self._before(field, gone)
        now = _numbers(places(rounds.format, field, settled, gone))
        self._numbered = (len(settled), now)
        counted = rounds.format.own_count(field, settled)
        parted = rounds.format.tie_breaks(field, settled)
        return tuple(
            FormatPlace(
                place,
                rounds.names[one],
                None if counted is None else counted[one],
                before.get(one, place) - place,
                rounds.out[rounds.names[one]].kind.value if rounds.names[one] in rounds.out else "",
                None if parted is None else parted[one],
            )
            for one, place in now.items()
        )

    def _before(self, field: Field, gone: set[int]) -> dict[int, int]:
        """The places before the last settled round."""
        settled = self._rounds.settled
        if self._numbered[0] == len(settled) - 1:
            return self._numbered[1]
        if len(settled) < 2:
            return {}
        return _numbers(places(self._rounds.format, field, settled[:-1], gone))

    def _shown(self, rounds: Sequence[StoredRound]) -> list[FormatRound]:
        if not rounds:
            return []
        names = self._rounds.names
        went = advanced(self._drawn_bracket, self._rounds.settled)
        matches = {
            match.ordinal: match
            for match in self._store.matches.in_schedule_order(self._tournament.id, after=rounds[0].first - 1)
        }
        return [
            FormatRound(
                drawn.number,
                drawn.stage,
                tuple(
                    self._table(matches[ordinal], why, went.get((drawn.number, ordinal - drawn.first), ()))
                    for ordinal, why in enumerate(drawn.reasons, drawn.first)
                    if ordinal in matches
                ),
                tuple(names[one] for one in drawn.byes),
            )
            for drawn in rounds
        ]

    def _table(self, match: StoredMatch, why: str, went: Sequence[int]) -> FormatTable:
        over = match.state is MatchState.FINISHED
        return FormatTable(
            f"{self._tournament.name}/{match.ordinal}",
            tuple(seat.name for seat in match.seats),
            match.state.value,
            tuple(seat.rank or 0 for seat in match.seats) if over else None,
            why,
            tuple(self._rounds.names[one] for one in went),
        )


def _numbers(groups: Sequence[tuple[int, ...]]) -> dict[int, int]:
    """The place of each entrant, best first; who shares a group shares a place."""
    found: dict[int, int] = {}
    place = 1
    for group in groups:
        found.update(dict.fromkeys(group, place))
        place += len(group)
    return found


def _last(rounds: Sequence[StoredRound]) -> Sequence[StoredRound]:
    """The last rounds that are shown together, at least one."""
    shown, tables = 0, 0
    for drawn in reversed(rounds[-MOST_ROUNDS:]):
        tables += drawn.matches
        if shown and tables > MOST_TABLES:
            break
        shown += 1
    return rounds[len(rounds) - shown :]
