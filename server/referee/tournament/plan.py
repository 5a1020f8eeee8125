"""The plan of a tournament: what is played, by whom, how often, and how it is stored before the first match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from referee.match.clock import TimeControl
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.store import BotKind, MatchState, NewEntrant, NewTournament, Store, Tournament, TournamentState
from referee.tournament import schedule
from referee.tournament.schedule.pairing import Pairing, ScheduleError
from referee.tournament.seeds import new_root

ABSENCE = 60.0
CANCELLED = "the tournament was cancelled"


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
    draw_probability: float | None = None
    """How often equal bots end level at this game; noted here, so that ratings rest on what is stored alone."""

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
    if plan.rounds is not None and plan.schedule == "full":
        raise WrongUse("a full schedule has as many rounds as it needs: leave out the rounds, or choose balanced")
    return game, replace(plan, options=game.resolve_options(plan.options), draw_probability=game.draw_probability)


def pairings(plan: Plan, entrants: int) -> list[Pairing]:
    """The schedule of a plan; with `mirror`, every table in every rotation of its seats, one after the other."""
    try:
        tables = schedule.build(plan.schedule, entrants, plan.players, plan.rounds)
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


def create(
    store: Store,
    name: str,
    plan: Plan,
    entrants: Sequence[NewEntrant],
    seed: str | None = None,
    *,
    repeatable: bool = False,
) -> Tournament:
    """Store a tournament with its whole schedule, ready to start.

    A seed is mixed with a secret salt. With `repeatable` the deals follow from it alone: never for remote bots.
    """
    check_name(name)
    game, plan = checked(plan, len(entrants))
    check_seed(seed, repeatable)
    if repeatable:
        _check_nobody_from_elsewhere(store, name, entrants)
    root = new_root(seed, repeatable=repeatable)
    new = NewTournament(
        name, game.name, str(game.version), plan.players, plan.to_settings(), root.root, root.text, root.salt
    )
    return store.tournaments.create(new, entrants, pairings(plan, len(entrants)))


def check_seed(seed: str | None, repeatable: bool) -> None:
    """WrongUse if this is no seed, or if there is none to repeat."""
    if repeatable and seed is None:
        raise WrongUse("--repeatable needs --seed TEXT: the same text gives the same deals again")
    if seed is None:
        return
    if not seed.strip():
        raise WrongUse("--seed is empty: give any text, or leave it out for secret deals")
    if "\0" in seed or seed != seed.encode("utf-8", "replace").decode():
        raise WrongUse("--seed holds characters that no database keeps: give another text")


def _check_nobody_from_elsewhere(store: Store, name: str, entrants: Sequence[NewEntrant]) -> None:
    """WrongUse if a remote bot would play on deals that its author can compute beforehand."""
    remote = {bot.id for bot in store.bots.all() if bot.kind is BotKind.REMOTE}
    for entrant in entrants:
        if entrant.bot in remote:
            raise WrongUse(
                f"{entrant.name} is a remote bot and cannot play in {name}, whose deals are repeatable: whoever "
                "guesses the seed's text knows them all. Create the tournament without --repeatable: a secret salt is "
                "mixed into the seed then"
            )


def check_name(name: str) -> None:
    """Matches are called `tournament/number`, and practice matches `practice/number`; WrongUse if that would clash."""
    if "/" in name or name in ("practice", ".", ".."):
        raise WrongUse(f"a tournament cannot be named {name!r}: choose a name without a slash, other than 'practice'")


def check_playable(tournament: Tournament) -> None:
    """WrongUse if the tournament cannot be played here and now: by a server, with the games that are installed."""
    game = registry.find(tournament.game)
    if str(game.version) != tournament.game_version:
        raise WrongUse(
            f"{tournament.name} was created for {game.name} version {tournament.game_version}, installed is version "
            f"{game.version}: install that one again, or create a new tournament"
        )
    if Plan.of(tournament).hosted:
        raise WrongUse(f"{tournament.name} belongs to 'referee run': the same command goes on with it")


def cancel(store: Store, name: str) -> None:
    """End a tournament that nobody plays at the moment: its results stay, what was being played is void."""
    tournament = store.tournaments.get(name)
    close(store, tournament)
    void_interrupted(store, tournament)


def close(store: Store, tournament: Tournament) -> None:
    """Mark a tournament as cancelled and publish its root."""
    store.tournaments.set_state(tournament.id, TournamentState.CANCELLED, reveal=True)


def void_interrupted(store: Store, tournament: Tournament) -> None:
    """What is marked as being played in a cancelled tournament will never end."""
    interrupted = store.matches.interrupted(tournament.id)
    store.matches.set_all_aside({match.id: CANCELLED for match in interrupted}, MatchState.VOID)


def join(store: Store, name: str, newcomers: Sequence[NewEntrant]) -> int:
    """Let bots into a tournament that allows it; returns how many matches were appended."""
    tournament = store.tournaments.get(name)
    plan = Plan.of(tournament)
    if not plan.allow_join:
        raise WrongUse(f"{name} was created without --allow-join: nobody can join it")
    if plan.mirror:
        raise WrongUse(f"{name} plays mirrored deals: nobody can join it")
    present = store.tournaments.entrants(tournament.id)
    names = {entrant.name for entrant in present}
    for newcomer in newcomers:
        if newcomer.name in names:
            raise WrongUse(f"{newcomer.name} plays in {name} already")
    if tournament.repeatable:
        _check_nobody_from_elsewhere(store, name, newcomers)
    known = [
        Pairing(match.round or 0, match.table or 0, tuple(seat.position or 0 for seat in match.seats))
        for match in store.matches.in_schedule_order(tournament.id)
    ]
    try:
        further = schedule.extend(plan.schedule, known, len(present) + len(newcomers), plan.players)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
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
