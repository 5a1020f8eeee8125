"""The plan of a tournament: what is played, by whom, how often, and how it is stored before the first match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from referee.match.clock import TimeControl
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.store import NewEntrant, NewTournament, Store, Tournament
from referee.tournament import schedule
from referee.tournament.pairing import Pairing, ScheduleError
from referee.tournament.seeds import root_for

ABSENCE = 60.0


@dataclass(frozen=True, slots=True)
class Plan:
    """All settings of a tournament; stored as JSON beside it."""

    game: str
    players: int
    schedule: str = "balanced"
    rounds: int | None = None
    limit: float = 1.0
    bank: float = 30.0
    grace: float = 30.0
    options: Mapping[str, Any] = field(default_factory=dict)
    allow_join: bool = False
    absence: float = ABSENCE
    """How long a match waits for a bot that is not there."""
    mirror: bool = False
    """Blocks of matches on the same deal, every bot in every seat."""
    hosted: Mapping[str, str] = field(default_factory=dict)
    """Entrants that the host starts itself: name and what to start. Others connect, or are house bots in the server."""

    def to_settings(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, tournament: Tournament) -> Plan:
        """The plan of a stored tournament."""
        return cls(**{name: value for name, value in dict(tournament.settings).items() if name in cls.__slots__})  # type: ignore[arg-type]

    @property
    def control(self) -> TimeControl:
        return TimeControl(self.limit, self.bank, grace=self.grace)


def checked(plan: Plan, entrants: int) -> tuple[Game[Any], Plan]:
    """The game and the plan with its options resolved, or WrongUse."""
    game = registry.find(plan.game)
    game.check_players(plan.players)
    if plan.limit <= 0 or plan.bank < 0:
        raise WrongUse("the time per decision must be above 0 and the bank at least 0")
    if entrants < plan.players:
        raise WrongUse(f"{plan.players} players per match need at least as many bots; {entrants} given")
    if plan.rounds is None and plan.schedule == "balanced":
        raise WrongUse("a balanced schedule needs a number of rounds")
    options = game.resolve_options(plan.options)
    fields = {name: getattr(plan, name) for name in Plan.__slots__} | {"options": options}
    return game, Plan(**fields)


def pairings(plan: Plan, entrants: int) -> list[Pairing]:
    """The schedule of a plan; with `mirror`, every table in every rotation of its seats, one after the other."""
    try:
        rounds = plan.rounds if plan.schedule == "balanced" else None
        tables = schedule.build(plan.schedule, entrants, plan.players, rounds)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    if not plan.mirror:
        return tables
    if plan.schedule == "full":  # it has all rotations already: one round of tables is enough
        tables = [pairing for pairing in tables if pairing.round == tables[0].round]
    return [
        Pairing(pairing.round, pairing.table * plan.players + turn, pairing.seats[turn:] + pairing.seats[:turn])
        for pairing in tables
        for turn in range(plan.players)
    ]


def deal(plan: Plan, ordinal: int) -> int:
    """Which deal a match is played on: its own, or that of its mirrored block."""
    return ordinal - ordinal % plan.players if plan.mirror else ordinal


def create(store: Store, name: str, plan: Plan, entrants: Sequence[NewEntrant], seed: str | None = None) -> Tournament:
    """Store a tournament with its whole schedule, ready to start."""
    game, plan = checked(plan, len(entrants))
    new = NewTournament(
        name, game.name, str(game.version), plan.players, plan.to_settings(), root_for(seed), seed_text=seed
    )
    return store.tournaments.create(new, entrants, pairings(plan, len(entrants)))


def join(store: Store, name: str, newcomers: Sequence[NewEntrant]) -> int:
    """Let bots into a tournament that allows it; returns how many matches were appended."""
    tournament = store.tournaments.get(name)
    plan = Plan.of(tournament)
    if not plan.allow_join:
        raise WrongUse(f"{name} was created without --allow-join: nobody can join it")
    if plan.mirror:
        raise WrongUse(f"{name} plays mirrored deals: nobody can join it")
    present = store.tournaments.entrants(tournament.id)
    known = [
        Pairing(match.round or 0, match.table or 0, tuple(seat.position or 0 for seat in match.seats))
        for match in store.matches.in_schedule_order(tournament.id)
    ]
    further = schedule.extend(plan.schedule, known, len(present) + len(newcomers), plan.players)
    store.tournaments.extend(tournament.id, newcomers, further)
    return len(further)


def distinct(names: Sequence[str]) -> list[str]:
    """Names with repeats numbered: random, random-2, random-3."""
    seen: dict[str, int] = {}
    taken = set(names)
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        if seen[name] == 1:
            result.append(name)
            continue
        while (numbered := f"{name}-{seen[name]}") in taken:
            seen[name] += 1
        taken.add(numbered)
        result.append(numbered)
    return result
