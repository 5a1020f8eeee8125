"""Draws every round of a tournament again, from its results and its root alone, and compares it with what was drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.rules.game import WrongUse
from referee.rules.spelling import brief
from referee.tournament.audit.audited import AuditedTournament
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.story import Story, ToldRound
from referee.tournament.formats import registry
from referee.tournament.formats.format import Drawn, Field, Finished, Format, SettledRound, Waiting
from referee.tournament.formats.places import places
from referee.tournament.formats.settled import settled_table
from referee.tournament.plan import Plan
from referee.tournament.running.drawing import draw
from referee.tournament.schedule.pairing import Pairing

Seats = tuple[int, ...]


def drawn_again(audited: AuditedTournament, plan: Plan) -> list[Pairing]:
    """The schedule that the format leads to; DoesNotHold names the first round that is otherwise.

    While the root is secret nobody can draw again: then the schedule is taken as it is told.
    """
    story = audited.story
    if story is None or audited.source.count() < sum(len(each.reasons) for each in story.rounds):
        raise DoesNotHold(f"{audited.name}: its format drew rounds, and their matches are not there")
    try:
        format = registry.from_settings(plan.format)
        format.check(audited.groups[0] if audited.groups else 0, plan.players)
        if audited.root is None:
            return _as_told(audited, story)
        return _Again(audited, plan, story, format, audited.root).run()
    except (WrongUse, ValueError, TypeError, KeyError, IndexError) as error:
        raise DoesNotHold(f"{audited.name}: no rounds follow from its format: {error}") from None


def final_places(story: Story, plan: Plan, seats: Sequence[Seats]) -> list[list[str]] | None:
    """The order by the format's own count, groups of names; None where no format draws. `seats` by match."""
    if not plan.format:
        return None
    names = [one.name for one in story.entrants]
    by_round = [seats[told.first : told.first + len(told.reasons)] for told in story.rounds]
    format = registry.from_settings(plan.format)
    over = sum(
        all(story.match(told.first + table).state != "scheduled" for table in range(len(told.reasons)))
        for told in story.rounds
    )
    # What an open round was drawn from is decided where the format lets it stand.
    now = over + 1 if format.stands() and over < len(story.rounds) else len(story.rounds) + 2
    settled = [_settled(story, format, names, by_round, at, now) for at in range(over)]
    gone = {position for position, name in enumerate(names) if story.out.get(name) == "disqualified"}
    field = _field(plan, names, frozenset(story.out))
    order = places(format, field, settled, gone)
    return [[names[one] for one in group] for group in order]


class _Again:
    def __init__(self, audited: AuditedTournament, plan: Plan, story: Story, format: Format, root: bytes) -> None:
        self._name = audited.name
        self._names = [one.name for one in story.entrants]
        self._place = {name: position for position, name in enumerate(self._names)}
        self._plan = plan
        self._story = story
        self._format = format
        self._root = root
        self._seats: list[list[Seats]] = []
        self._settled: list[SettledRound] = []
        self._amended = _amended(story)

    def run(self) -> list[Pairing]:
        pairings: list[Pairing] = []
        for told in self._story.rounds:
            drawn = self._draw(told.number, told.entrants, frozenset(self._place[name] for name in told.active))
            if not isinstance(drawn, Drawn):
                raise DoesNotHold(f"{self._name}: round {told.number} should not have been drawn: {drawn.why}")
            self._compare(told, drawn)
            self._seats.append([table.seats for table in drawn.tables])
            pairings += [Pairing(told.number, number, table.seats) for number, table in enumerate(drawn.tables, 1)]
        if self._story.state == "finished":
            out = self._story.out_at_the_end
            inside = frozenset(place for place, name in enumerate(self._names) if name not in out)
            last = self._draw(len(self._story.rounds) + 1, len(self._names), inside)
            if not isinstance(last, Finished):
                more = last.stage if isinstance(last, Drawn) else "a further round"
                raise DoesNotHold(f"{self._name} is said to be finished, and {more} should have been drawn")
        return pairings

    def _draw(self, number: int, entrants: int, active: frozenset[int]) -> Drawn | Waiting | Finished:
        """What follows from what was known when this round was drawn."""
        first = max(0, min((number - 2, *self._amended.get(number - 1, ()))))
        for at in range(first, number - 1):
            self._settled[at:] = [self._known(at, number), *self._settled[at + 1 :]]
        field = Field(
            entrants, self._plan.players, active, registry.seeding_of(self._plan.format, self._names[:entrants])
        )
        return draw(self._format, field, self._settled, self._root, self._name)

    def _known(self, at: int, before: int) -> SettledRound:
        return _settled(self._story, self._format, self._names, self._seats, at, before)

    def _compare(self, told: ToldRound, drawn: Drawn) -> None:
        where = f"{self._name}: round {told.number}"
        compared = (
            ("stage", drawn.stage, told.stage),
            ("tables", len(drawn.tables), len(told.reasons)),
            ("byes", [self._names[one] for one in drawn.byes], list(told.byes)),
            ("reasons", [table.why for table in drawn.tables], list(told.reasons)),
            ("deals", [table.deal for table in drawn.tables], list(told.deals)),
        )
        for what, wanted, found in compared:
            if wanted != found:
                raise DoesNotHold(f"{where}: the {what} should be {brief(wanted)}, not {brief(found)}")


def _amended(story: Story) -> dict[int, set[int]]:
    """After how many rounds results were annulled, and in which of the rounds, counted from 0."""
    begins = {
        match: told.number - 1 for told in story.rounds for match in range(told.first, told.first + len(told.deals))
    }
    found: dict[int, set[int]] = {}
    for match, changes in story.amended.items():
        for drawn, _ in changes:
            if begins[match] < drawn:
                found.setdefault(drawn, set()).add(begins[match])
    return found


def _settled(
    story: Story, format: Format, names: list[str], seats: Sequence[Sequence[Seats]], at: int, before: int
) -> SettledRound:
    """The round at this place as it was known when round `before` was drawn; `seats` by round and table."""
    told = story.rounds[at]
    known = _one_settled(story, told, names, seats[at], before)
    if not format.stands() or not story.amended:
        return known
    otherwise = []
    for earlier in range(at):
        then, now = (
            _one_settled(story, story.rounds[earlier], names, seats[earlier], n) for n in (told.number, before)
        )
        otherwise += [then] * (then != now)
    return replace(known, otherwise=tuple(otherwise))


def _one_settled(story: Story, told: ToldRound, names: list[str], seats: Sequence[Seats], before: int) -> SettledRound:
    """A round as it was known when round `before` was drawn."""
    tables = []
    for ordinal, (table, deal) in enumerate(zip(seats, told.deals, strict=True), told.first):
        match = story.match_before(before, ordinal)
        tables.append(
            settled_table(
                table,
                [names[one] for one in table],
                match.state,
                match.ranks,
                match.scores,
                match.terminations,
                match.reason,
                deal,
            )
        )
    place = {name: position for position, name in enumerate(names)}
    byes, active = tuple(place[name] for name in told.byes), frozenset(place[name] for name in told.active)
    return SettledRound(told.number, tuple(tables), byes, active)


def _field(plan: Plan, names: list[str], out: frozenset[str]) -> Field:
    active = frozenset(position for position, name in enumerate(names) if name not in out)
    return Field(len(names), plan.players, active, registry.seeding_of(plan.format, names))


def _as_told(audited: AuditedTournament, story: Story) -> list[Pairing]:
    place = {name: position for position, name in enumerate(audited.entrants)}
    seats = [tuple(place[name] for name in line.seats) for line, _ in audited.lines()]
    return [
        Pairing(told.number, table + 1, seats[told.first + table])
        for told in story.rounds
        for table in range(len(told.reasons))
    ]
