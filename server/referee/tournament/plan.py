"""The plan of a tournament: its settings, checked, and the schedule and deals that follow from them.

`lifecycle.py` stores it and changes what is stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from referee.match.clock import TimeControl
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.rules.openings import is_pure, openings_of
from referee.rules.spelling import brief
from referee.store import (
    Tournament,
    TournamentState,
)
from referee.tournament import schedule
from referee.tournament.formats import registry as formats
from referee.tournament.ratings import RatingSettings
from referee.tournament.schedule.pairing import Pairing, ScheduleError

ABSENCE = 60.0
WIDEST = RatingSettings().sigma
ASIDE, LOST = "aside", "lost"
NONE_SHARED: Mapping[int, int] = {}
ORDERS = ("trueskill", "strength")
"""The ratings that can order a table."""


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
    format: Mapping[str, Any] = field(default_factory=dict)
    """The format that draws the rounds, with its settings (`formats.registry`); empty for a round-robin."""
    order: str = ""
    """Which rating orders the table, `trueskill` or `strength`; empty: see `standings.ordering`."""
    rotate: bool = False
    """Blocks of matches on the same opening, every bot in every seat; follows from the options (`checked`)."""
    total: float = 0.0
    """The most seconds that one seat may hold a match up in all; 0: no such bound."""
    missed: str = ASIDE
    """What becomes of the matches of a bot that has played here and then stays away to the end: `aside` or `lost`."""
    version_sigma: float = 0.0
    """The least σ with which a new version of a submitted bot begins, at the μ of the one before; 0: as if it were the
    same program."""

    def to_settings(self) -> dict[str, Any]:
        """As it is stored: a round-robin says nothing of its format, and a drawn tournament nothing of a schedule."""
        unused = ["schedule", "rounds", "mirror"] if self.format else ["format"]
        # What was not there from the beginning is said only where it is used.
        unused += [name for name in ("order", "rotate", "total", "version_sigma") if not getattr(self, name)]
        unused += ["missed"] if self.missed == ASIDE else []
        return {name: value for name, value in asdict(self).items() if name not in unused}

    @classmethod
    def of(cls, tournament: Tournament) -> Plan:
        """The plan of a stored tournament."""
        return cls(**{name: value for name, value in dict(tournament.settings).items() if name in cls.__slots__})  # type: ignore[arg-type]

    @property
    def rotates(self) -> bool:
        """Whether every table is played in every rotation of its seats, one after the other."""
        return self.mirror or self.rotate

    @property
    def on_openings(self) -> bool:
        """Whether matches share an opening, which bots may remember, rather than a deal, which they may not."""
        return self.rotate or bool(self.format.get(formats.ALL_SEATS))

    @property
    def control(self) -> TimeControl:
        return TimeControl(self.limit, self.bank, grace=self.grace, total=self.total)


def checked(plan: Plan, entrants: int) -> tuple[Game[Any], Plan]:
    """The game and the plan with its options resolved, or WrongUse."""
    game = registry.find(plan.game)
    game.check_players(plan.players)
    if plan.limit <= 0 or plan.bank < 0:
        raise WrongUse("the time per decision must be above 0 and the bank at least 0")
    if plan.total and plan.total < plan.limit:
        raise WrongUse("the time that a seat may take in all of a match cannot be shorter than that of one decision")
    if plan.missed not in (ASIDE, LOST):
        raise WrongUse(f"missed matches are set {ASIDE} or {LOST}, not {plan.missed!r}")
    if not 0 <= plan.version_sigma <= WIDEST:
        raise WrongUse(
            f"the σ of a new version is from 0 to {WIDEST:.2f}, that of a new bot, not {plan.version_sigma:g}"
        )
    if entrants < plan.players:
        raise WrongUse(f"{plan.players} players per match need at least as many bots, not {entrants}: enter more bots")
    _check_order(plan)
    if plan.format:
        return game, _checked_format(plan, entrants, game)
    if plan.rounds is None and plan.schedule == "balanced":
        raise WrongUse("a balanced schedule needs a number of rounds")
    if plan.rounds is not None and plan.schedule == "full":
        raise WrongUse("a full schedule has as many rounds as it needs: leave out the rounds, or choose balanced")
    options = game.resolve_options(plan.options)
    # What else is drawn from a seed could be remembered from one match of a block to the next; an opening may be.
    rotate = is_pure(game) and openings_of(game, options) > 0 and not plan.mirror
    return game, replace(plan, options=options, draw_probability=game.draws(plan.players), rotate=rotate)


def _check_order(plan: Plan) -> None:
    if not plan.order:
        return
    if plan.order not in ORDERS:
        raise WrongUse(f"there is no order {brief(plan.order)}: the table is ordered by {' or '.join(ORDERS)}")
    if plan.players == 1:
        raise WrongUse("matches of one player are ordered by points: leave out --order")
    if (name := plan.format.get("name")) in formats.ORDERS:
        raise WrongUse(f"a {name} orders the table by its own places: leave out --order")


def _checked_format(plan: Plan, entrants: int, game: Game[Any]) -> Plan:
    """The plan with all settings of its format; the schedule's own settings are left as if they had not been given."""
    if plan.mirror:
        raise WrongUse("--mirror belongs to a round-robin; a format that mirrors deals has a setting of its own")
    given = {key: value for key, value in plan.format.items() if key != formats.ALL_SEATS}
    try:
        if "draw_probability" in formats.setting_names(str(given.get("name"))):
            given.setdefault("draw_probability", game.draws(plan.players))
        if given.get("name") == "ladder" and given.get("season") is not None:
            given.setdefault("around", RatingSettings().mu)
        format = formats.from_settings(given)
        format.check(entrants, plan.players)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    settings = formats.to_settings(format)
    if seeding := formats.strengths(plan.format):
        if (name := settings["name"]) not in formats.SEEDED:
            raise WrongUse(f"a {name} seats no bot by its strength: leave out --seeding")
        settings[formats.SEEDING] = seeding
    options = game.resolve_options(plan.options)
    if is_pure(game) and openings_of(game, options) > 0:
        settings[formats.ALL_SEATS] = True
    return replace(
        plan,
        schedule="balanced",
        rounds=None,
        format=settings,
        options=options,
        draw_probability=game.draws(plan.players),
    )


def pairings(plan: Plan, entrants: int) -> list[Pairing]:
    """The schedule of a plan; if it `rotates`, every table in every rotation of its seats, one after the other.

    Empty where a format draws the rounds while the tournament runs.
    """
    if plan.format:
        return []
    try:
        tables = schedule.build(plan.schedule, entrants, plan.players, plan.rounds)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    if not plan.rotates:
        return tables
    if plan.schedule == "full":  # it has all rotations already: one round of tables is enough
        tables = [pairing for pairing in tables if pairing.round == tables[0].round]
    return [
        Pairing(pairing.round, pairing.table * plan.players + turn, pairing.seats[turn:] + pairing.seats[:turn])
        for pairing in tables
        for turn in range(plan.players)
    ]


def deal(plan: Plan, ordinal: int, shared: Mapping[int, int] = NONE_SHARED) -> int:
    """Which deal a match is played on: its own, or that of its mirrored block.

    `shared` tells of matches that a format drew on the same deal which is the first of them. That counts only where the
    host starts the bots anew for each match: others would remember the cards. An opening may be remembered.
    """
    if plan.rotates:
        return ordinal - ordinal % plan.players
    return shared.get(ordinal, ordinal) if _shares(plan) else ordinal


def _shares(plan: Plan) -> bool:
    """Whether matches that a format drew on the same deal are played on it."""
    return bool(plan.hosted) or bool(plan.format.get(formats.ALL_SEATS))


def deals_across(plan: Plan, place: int, shared: Mapping[int, int] = NONE_SHARED) -> set[int]:
    """The deals on which matches on both sides of a place in the schedule are played, by the first match of each."""
    if plan.rotates:
        return {deal(plan, place)} - {place}
    if not _shares(plan):
        return set()
    return {first for ordinal, first in shared.items() if first < place <= ordinal}


def is_final(plan: Plan, state: str, open_: int) -> bool:
    """Whether the standings of a tournament in this state, with so many open matches, will not change by playing on."""
    if state == TournamentState.CANCELLED:
        return True
    return open_ == 0 and (not plan.format or state == TournamentState.FINISHED)


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
