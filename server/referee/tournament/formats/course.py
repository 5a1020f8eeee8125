"""The course of a knock-out: a bracket and the rounds played so far, walked through to what comes next.

Each table is a block of k matches on one deal, the seats turned by one from match to match. The block's result is the
sum of points by rank (one for everyone left behind, a half for everyone level: the same order as by the sum of ranks),
then the sum of scores. Where that leaves open who advances, the table plays a further block, all blocks counting
together; after `further` of them the better seed advances.

A result that is annulled when a later round has been drawn from it does not change who advanced: what was decided is
decided. One of the last round counts no longer; if that leaves the final open, its bots share the first place.

A bot that has withdrawn leaves its seat empty. If no more bots are left at the table than advance, they advance without
playing. Otherwise the seat goes to the bot that went out last; if there is none, the better seeds advance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from referee.tournament.formats.bracket import Bracket, BracketStage, BracketTable
from referee.tournament.formats.format import Drawn, DrawnTable, SettledRound, SettledTable
from referee.tournament.formats.seeding import listed
from referee.tournament.formats.tally import halves_by_rank

Result = tuple[int, float]
"""Points in halves and scores, summed up."""


@dataclass(slots=True)
class _Pairing:
    """A table of the bracket while it is played."""

    table: BracketTable
    entrants: list[int]
    sums: dict[int, Result] = field(default_factory=dict)
    further: int = 0

    def count(self, rounds: Sequence[SettledRound]) -> None:
        """Add up what these rounds say of this table."""
        self.sums = {}
        for settled in (table for round in rounds for table in round.tables if table.seats[0] in self.entrants):
            self._add(settled)

    def _add(self, settled: SettledTable) -> None:
        ranks = settled.ranks
        if ranks is None:  # who was not there is behind; the others are level
            ranks = tuple(2 if seat in settled.absent else 1 for seat in range(len(settled.seats)))
        scores = settled.scores if settled.ranks is not None else ()
        for seat, (entrant, halves) in enumerate(zip(settled.seats, halves_by_rank(ranks), strict=True)):
            points, score = self.sums.get(entrant, (0, 0.0))
            self.sums[entrant] = (points + halves, score + (scores[seat] if scores else 0.0))

    def level(self) -> bool:
        """Whether it is open who advances."""
        best = sorted(self.sums.values(), reverse=True)
        return len(best) > self.table.advance and best[self.table.advance - 1] == best[self.table.advance]


class Course:
    """Where a knock-out stands."""

    def __init__(
        self,
        bracket: Bracket,
        order: Sequence[int],
        rounds: Sequence[SettledRound],
        active: frozenset[int],
        blocks: int,
        further: int,
    ) -> None:
        """`order[s]` is the entrant with seed s + 1; `rounds` are those of the knock-out alone."""
        self._seed = {entrant: seed for seed, entrant in enumerate(order, 1)}
        self._order = order
        self._rounds = list(rounds)
        self._active = active
        self._blocks = blocks
        self._further = further
        self._decided: dict[int, BracketTable] = {}
        self._results: dict[int, dict[int, Result]] = {}
        self._out: dict[int, tuple[int, int]] = {}
        """Stage and place at which an entrant went out."""
        self.drawn: Drawn | None = None
        """The next round; None if all is decided."""
        self._stages = list(bracket.stages)
        for at in range(len(self._stages)):
            self._fill(at)
            if not self._play(at):
                break
        for at in range(len(self._stages)):
            self._fill(at)

    @property
    def bracket(self) -> Bracket:
        """The bracket with all that is known by now."""
        return Bracket(tuple(self._stages))

    def places(self) -> list[tuple[int, ...]]:
        """Groups that share a place: those still in, then those who went out, the latest and best placed first."""
        groups: list[tuple[int, ...]] = []
        final = self._stages[-1].tables[0]
        if final.places:
            groups += self._shared(final)
        still = tuple(entrant for entrant in self._order if entrant not in self._out and entrant not in final.places)
        if still:
            groups.append(still)
        gone: dict[tuple[int, int], list[int]] = {}
        for entrant in self._order:
            if entrant in self._out and entrant not in final.places:
                gone.setdefault(self._out[entrant], []).append(entrant)
        return groups + [tuple(gone[key]) for key in sorted(gone, key=lambda key: (-key[0], key[1]))]

    def _shared(self, final: BracketTable) -> list[tuple[int, ...]]:
        """The final's places; behind the winner, those who are level in points and scores share one."""
        results = self._results.get(final.number, {})
        groups: list[list[int]] = []
        for entrant in final.places:
            last = groups[-1][-1] if len(groups) > 1 else None
            if last is not None and entrant in results and results.get(last) == results[entrant]:
                groups[-1].append(entrant)
            else:
                groups.append([entrant])
        return [tuple(group) for group in groups]

    def _fill(self, at: int) -> None:
        """Write into a stage who is known by now."""

        def known(table: BracketTable) -> BracketTable:
            slots = tuple(
                replace(slot, entrant=self._entrant(slot.seed, slot.table, slot.place)) for slot in table.slots
            )
            return replace(self._decided.get(table.number, table), slots=slots)

        stage = self._stages[at]
        waiting = tuple(
            replace(slot, entrant=self._entrant(slot.seed, slot.table, slot.place)) for slot in stage.waiting
        )
        self._stages[at] = replace(stage, tables=tuple(map(known, stage.tables)), waiting=waiting)

    def _entrant(self, seed: int, table: int, place: int) -> int | None:
        if seed:
            return self._order[seed - 1]
        decided = self._decided.get(table)
        return decided.places[place - 1] if decided and len(decided.places) >= place else None

    def _play(self, at: int) -> bool:
        """Go through the rounds of a stage; False if it is not over."""
        stage = self._stages[at]
        pairings = self._line_up(stage, at)
        further = 0
        rounds: list[SettledRound] = []
        while pairings:
            if not self._rounds:
                self.drawn = self._draw(stage, pairings, further)
                return False
            rounds.append(self._rounds.pop(0))
            known = self._rounds[0].drawn_from(rounds) if self._rounds else rounds
            open_still: list[_Pairing] = []
            now = self._now()
            for pairing in pairings:
                pairing.count(known)
                pairing.further = further
                if pairing.level() and further < self._further and now.issuperset(pairing.entrants):
                    open_still.append(pairing)
                else:
                    self._decide(pairing, at, now)
            pairings = open_still
            further += 1
        return True

    def _now(self) -> frozenset[int]:
        """Who is active when the next round is drawn."""
        return self._rounds[0].active if self._rounds else self._active

    def _line_up(self, stage: BracketStage, at: int) -> list[_Pairing]:
        """The tables of a stage that have to be played; the others are decided on the spot."""
        active = self._now()
        here = {slot.entrant for table in stage.tables for slot in table.slots} | {
            slot.entrant for slot in stage.waiting
        }
        # Who went out last and best comes first if a seat has to be filled.
        spare = [
            entrant
            for entrant in sorted(self._out, key=lambda e: (-self._out[e][0], self._out[e][1], self._seed[e]))
            if entrant in active and entrant not in here
        ]
        pairings: list[_Pairing] = []
        for table in stage.tables:
            named = [slot.entrant for slot in table.slots if slot.entrant is not None]
            present = [entrant for entrant in named if entrant in active]
            missing = len(table.slots) - len(present)
            if len(present) <= table.advance:
                self._without_playing(table, named, active, at, "walkover")
            elif missing > len(spare):
                self._without_playing(table, named, active, at, "seeding")
            else:
                for entrant in named:
                    if entrant not in active:
                        self._out[entrant] = (at, len(table.slots))
                pairings.append(_Pairing(table, present + [spare.pop(0) for _ in range(missing)]))
        return pairings

    def _without_playing(
        self, table: BracketTable, named: list[int], active: frozenset[int], at: int, how: str
    ) -> None:
        places = sorted(named, key=lambda entrant: (entrant not in active, self._seed[entrant]))
        self._close(table, places, at, how)

    def _decide(self, pairing: _Pairing, at: int, active: frozenset[int]) -> None:
        self._results[pairing.table.number] = pairing.sums
        places = sorted(
            pairing.entrants,
            key=lambda e: (-pairing.sums[e][0], -pairing.sums[e][1], e not in active, self._seed[e]),
        )
        how = "seeding" if pairing.level() else "further block" if pairing.further else "played"
        self._close(pairing.table, places, at, how)

    def _close(self, table: BracketTable, places: Sequence[int], at: int, how: str) -> None:
        self._decided[table.number] = replace(table, places=tuple(places), how=how)
        on = 0 if at == len(self._stages) - 1 else table.advance
        for place, entrant in enumerate(places, 1):
            if place > on:
                # Third place stands behind the final's, and before those who went out earlier.
                self._out[entrant] = (at, place + table.third_place * len(table.slots))
            else:
                self._out.pop(entrant, None)

    def _draw(self, stage: BracketStage, pairings: Sequence[_Pairing], further: int) -> Drawn:
        tables: list[DrawnTable] = []
        deal = 0
        for pairing in pairings:
            for block in range(1 if further else self._blocks):
                deal += 1
                for turn in range(len(pairing.entrants)):
                    seats = tuple(pairing.entrants[turn:] + pairing.entrants[:turn])
                    tables.append(DrawnTable(seats, self._why(stage, pairing, further, block, turn), deal))
        playing = {entrant for pairing in pairings for entrant in pairing.entrants}
        byes = [e for e in self._order if e in self._active and e not in playing and e not in self._out]
        name = f"{stage.name}, further block {further}" if further else stage.name
        return Drawn(tuple(tables), name, tuple(sorted(byes)))

    def _why(self, stage: BracketStage, pairing: _Pairing, further: int, block: int, turn: int) -> str:
        table = pairing.table
        who = [str(slot) for slot in table.slots if slot.entrant in pairing.entrants]
        if len(who) < len(table.slots):
            who.append("who went out last, for a bot that withdrew")
        name = "third place" if table.third_place else stage.name.removesuffix(" and third place")
        of = f" of block {block + 1}" if self._blocks > 1 and not further else ""
        level = f"; it ended level, so further block {further} is played" if further else ""
        return f"{name}, table {table.number}: {listed(who)}, match {turn + 1}{of} on the same deal{level}"
