"""Everything a tournament claims, recomputed from its root, its settings and its moves, without the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import MatchState
from referee.tournament import schedule
from referee.tournament.audit.export import OPEN, Damaged, Dossier, Line
from referee.tournament.audit.replay import DoesNotHold, Replayed, replay
from referee.tournament.plan import Plan, deal, pairings
from referee.tournament.schedule.pairing import Pairing, ScheduleError
from referee.tournament.seeds import commitment, match_seed, root_of
from referee.tournament.standings import empty_board
from referee.tournament.standings.scoreboard import Score


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found to hold."""

    tournament: str
    game: str
    state: str
    replayed: int
    """Matches whose seed, moves and result hold."""
    set_aside: int
    """Matches without a result, absent or void."""
    open: int
    """Matches still to be played."""
    seeds: bool
    """Whether the seeds could be recomputed: the root is secret until the tournament is over."""
    digest: str
    """Of the standings, from the replayed results."""
    repeatable: bool
    """Whether its deals are said to follow from a text alone, which a player could have guessed."""


def verify(dossier: Dossier, checked: Callable[[int], object] = lambda number: None) -> Verified:
    """Check a whole tournament; DoesNotHold names the first thing that does not. `checked` hears of every match."""
    plan = dossier.plan
    game = registry.find(dossier.game)
    if str(game.version) != dossier.game_version:
        raise WrongUse(
            f"{dossier.name} was played with {game.name} version {dossier.game_version}, installed is version "
            f"{game.version}: verify it with the version that played it"
        )
    _check_root(dossier)
    try:
        options = game.resolve_options(plan.options)
    except WrongUse as error:
        raise DoesNotHold(f"{dossier.name}: {error}") from None
    if dict(plan.options) != options:
        raise DoesNotHold(f"{dossier.name}: the options are not those of {game.name} version {game.version}")
    board = empty_board(plan, dossier.entrants)
    replayed = open_ = 0
    drawn = _schedule(dossier, plan)
    number = 0
    try:
        for number, (line, record) in enumerate(dossier.lines()):
            _check_pairing(dossier, drawn, number, line)
            if line.state == MatchState.FINISHED:
                board.add(_check_match(dossier, plan, line, record))
                replayed += 1
            elif line.state in OPEN:
                open_ += 1
            elif record is not None:
                raise DoesNotHold(f"match {dossier.name}/{line.ordinal}: it was played, and is said to be {line.state}")
            else:
                board.skip(line.ordinal)
            checked(number + 1)
    except Damaged as error:
        raise DoesNotHold(f"match {dossier.name}/{error.ordinal}: {error}") from None
    if board.matches + board.aside + open_ != len(drawn):
        raise DoesNotHold(f"{dossier.name}: the schedule has {len(drawn)} matches, {number + 1} are there")
    if open_ and dossier.state == "finished":
        raise DoesNotHold(f"{dossier.name} is said to be finished, and {open_} matches are open")
    digest = board.digest()
    if dossier.digest and dossier.digest != digest:
        raise DoesNotHold(f"{dossier.name}: the results lead to standings with digest {digest}, not {dossier.digest}")
    return Verified(
        dossier.name,
        dossier.game,
        dossier.state,
        replayed,
        board.aside,
        open_,
        dossier.root is not None,
        digest,
        bool(dossier.repeatable),
    )


def _check_root(dossier: Dossier) -> None:
    """The root is the one that was promised, and follows from what it is said to follow from."""
    if dossier.root is None:
        return
    if commitment(dossier.root) != dossier.commitment:
        raise DoesNotHold(f"{dossier.name}: the commitment is not the SHA-256 of the root")
    text, salt = dossier.seed_text, dossier.salt
    if text is not None and root_of(text, salt) != dossier.root:
        raise DoesNotHold(f"{dossier.name}: the root does not follow from the seed's text and salt")
    if dossier.repeatable is not None and dossier.repeatable != (text is not None and salt is None):
        raise DoesNotHold(f"{dossier.name}: its root and what is said of its being repeatable contradict each other")


def _schedule(dossier: Dossier, plan: Plan) -> list[Pairing]:
    """The schedule that follows from the settings, and from who joined later, one after the other."""
    first = len(dossier.entrants) - dossier.joined_later
    try:
        drawn = pairings(plan, first)
        for number in range(first + 1, len(dossier.entrants) + 1):
            drawn += schedule.extend(plan.schedule, drawn, number, plan.players)
    except (WrongUse, ScheduleError) as error:
        raise DoesNotHold(f"{dossier.name}: no schedule follows from its settings: {error}") from None
    return drawn


def _check_pairing(dossier: Dossier, drawn: list[Pairing], number: int, line: Line) -> None:
    found = (line.ordinal, line.round, line.table, line.seats)
    if number < len(drawn) and found == (number, drawn[number].round, drawn[number].table, drawn[number].seats):
        return
    raise DoesNotHold(f"match {dossier.name}/{line.ordinal}: it is not the {number + 1}. match of the schedule")


def _check_match(dossier: Dossier, plan: Plan, line: Line, record: bytes | None) -> Score:
    name = f"{dossier.name}/{line.ordinal}"
    if record is None:
        raise DoesNotHold(f"match {name}: its record is missing")
    try:
        played = replay(record)
        _check_record(dossier, plan, line, name, played)
    except DoesNotHold as error:
        raise DoesNotHold(f"match {name}: {error}") from None
    ending = played.ending
    bots, ranks, scores = played.names, ending.ranks, ending.scores
    return Score.of(dossier.name, line.ordinal, line.round, bots, ranks, scores, ending.codes, ending.reason)


def _check_record(dossier: Dossier, plan: Plan, line: Line, name: str, played: Replayed) -> None:
    record, ending = played.record, played.ending
    seated = tuple(dossier.entrants[entrant] for entrant in line.seats)
    expected = (
        ("match", name, played.match),
        ("players", seated, played.names),
        ("game", (dossier.game, dossier.players), (record.game, record.players)),
        ("options", dict(plan.options), dict(record.options)),
        ("seed", line.seed, record.seed),
        ("ranks", ending.ranks, line.ranks),
        ("scores", ending.scores, line.scores),
        ("faults", ending.codes, line.faults),
        ("reason", ending.reason, line.reason),
    )
    for what, wanted, found in expected:
        if wanted != found:
            raise DoesNotHold(f"the {what} should be {wanted}, not {found}")
    if dossier.root is not None:
        seed = match_seed(dossier.root, dossier.name, deal(plan, line.ordinal), line.attempt).hex()
        if record.seed != seed:
            raise DoesNotHold("its seed does not follow from the root")
