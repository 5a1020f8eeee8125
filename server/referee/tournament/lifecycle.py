"""The life of a stored tournament: created, paused, cancelled, joined by bots, extended, undone and reopened."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from referee import names
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import (
    Addition,
    BotKind,
    MatchState,
    NewEntrant,
    NewTournament,
    NonceDraw,
    Outdated,
    RulingKind,
    SeatedMatch,
    Store,
    Tournament,
    TournamentState,
)
from referee.store.values import CANCELLED, exclusion
from referee.tournament import schedule
from referee.tournament.formats import registry as formats
from referee.tournament.plan import Plan, checked, pairings
from referee.tournament.schedule.making_up import extend_without, further_rounds
from referee.tournament.schedule.pairing import Pairing, ScheduleError
from referee.tournament.seeds import new_root


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
        _check_no_remote_bots(store, name, entrants)
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


def _check_no_remote_bots(store: Store, name: str, entrants: Sequence[NewEntrant]) -> None:
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
    if (why := names.trouble(name, "a tournament's name")) is not None:
        raise WrongUse(why)
    if "/" in name or names.alike(name, "practice") or name in (".", ".."):
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


def pause(store: Store, name: str) -> None:
    """Mark a tournament as paused, once or again; WrongUse if it is over or was never started."""
    tournament = store.tournaments.get(name)
    if tournament.state is TournamentState.CREATED:
        raise WrongUse(f"{name} has not been started, so it is not running: 'referee tournament start {name}'")
    if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
        raise WrongUse(f"{name} is {tournament.state}, not running")
    store.tournaments.set_state(tournament.id, TournamentState.PAUSED)


def cancel(store: Store, name: str) -> None:
    """End a tournament that is not being played at the moment: its results stay, what was being played is void."""
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


def join(store: Store, name: str, newcomers: Sequence[NewEntrant], draw: NonceDraw | None = None) -> int:
    """Let bots into a tournament that allows it; returns how many matches were appended.

    `draw` holds the nonces that count for these matches.
    """
    tournament = store.tournaments.get(name)
    check_join(store, tournament, newcomers)
    out = store.rulings.out(tournament.id)
    back = [newcomer.name for newcomer in newcomers if newcomer.name in out]
    for bot in back:
        store.rulings.bot(tournament.id, RulingKind.RETURNED, bot, "it came back", annul=False, further=None)
    fresh = [newcomer for newcomer in newcomers if newcomer.name not in out]
    return _current(lambda: _enter(store, tournament, fresh, draw)) if fresh else 0


def _enter(store: Store, tournament: Tournament, fresh: Sequence[NewEntrant], draw: NonceDraw | None) -> int:
    """Store newcomers with their matches; Outdated if these were worked out from what is no longer so."""
    plan, seen = Plan.of(tournament), store.tournaments.seen(tournament.id)
    present = seen.entrants
    if plan.format or store.rulings.out(tournament.id):
        instead = None if plan.format else partial(_extend_without, plan, present)
        store.tournaments.extend(tournament.id, fresh, (), draw, instead, seen)
        return store.matches.total(tournament.id) - seen.matches
    try:
        further = schedule.extend(plan.schedule, scheduled(store, tournament), present + len(fresh), plan.players)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    store.tournaments.extend(tournament.id, fresh, further, draw, seen=seen)
    return len(further)


def _current(change: Callable[[], int]) -> int:
    """Make a change; once more, as long as another program was quicker and it was worked out from what was before."""
    while True:
        try:
            return change()
        except Outdated:
            continue


def join_matches(store: Store, name: str, newcomers: Sequence[NewEntrant]) -> int:
    """How many matches `join` would append, as things are now; WrongUse if these bots cannot join."""
    tournament = store.tournaments.get(name)
    present = check_join(store, tournament, newcomers)
    plan, out = Plan.of(tournament), store.rulings.out(tournament.id)
    fresh = [newcomer for newcomer in newcomers if newcomer.name not in out]
    if plan.format or not fresh:
        return 0
    try:
        if out:
            seated, positions = _seated(store, tournament)
            return len(_extend_without(plan, present, seated, present + len(fresh), positions, frozenset()))
        return len(schedule.extend(plan.schedule, scheduled(store, tournament), present + len(fresh), plan.players))
    except ScheduleError as error:
        raise WrongUse(str(error)) from None


def extend(store: Store, name: str, rounds: int, *, dry_run: bool = False) -> int:
    """Append so many rounds to a round-robin; returns how many matches that are. A dry run only counts them."""
    return _current(partial(_extend, store, name, rounds, dry_run))


def _extend(store: Store, name: str, rounds: int, dry_run: bool) -> int:
    tournament = store.tournaments.get(name)
    plan, seen = Plan.of(tournament), store.tournaments.seen(tournament.id)
    _check_extended(tournament, plan, rounds)
    out = store.rulings.out(tournament.id)
    entrants = seen.entrants
    tables: Sequence[Pairing] = ()
    instead = partial(_further_rounds, plan, rounds) if out else None
    try:
        if instead is None:
            tables = schedule.extend(plan.schedule, scheduled(store, tournament), entrants, plan.players, rounds)
        elif dry_run:
            seated, positions = _seated(store, tournament)
            tables = instead(seated, entrants, positions, frozenset())
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    if dry_run:
        return len(tables)
    return store.amendments.extend(tournament.id, rounds, tables, instead, seen)


def _check_extended(tournament: Tournament, plan: Plan, rounds: int) -> None:
    name = tournament.name
    if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
        raise WrongUse(f"{name} is {tournament.state}: 'referee tournament reopen {name}' first")
    if rounds < 1:
        raise WrongUse("give at least 1 further round")
    if plan.format:
        raise WrongUse(f"{name} is a {plan.format['name']}, which draws its rounds itself: it cannot be extended")
    if plan.hosted:
        raise WrongUse(f"{name} belongs to 'referee run' and cannot be extended")
    if plan.rotates:
        raise WrongUse(f"{name} plays every deal or opening from all seats and cannot be extended")
    if plan.schedule != "balanced":
        raise WrongUse(f"{name} plays every table in every seat already: only a balanced schedule can be extended")


def _further_rounds(
    plan: Plan, rounds: int, matches: Sequence[SeatedMatch], entrants: int, out: frozenset[int], _: frozenset[int]
) -> list[Pairing]:
    return further_rounds(matches, entrants, plan.players, out, rounds)


def _seated(store: Store, tournament: Tournament) -> tuple[list[SeatedMatch], frozenset[int]]:
    """The schedule as further matches depend on it, and who is out, by position."""
    aside = (MatchState.ABSENT, MatchState.VOID)
    matches = [
        SeatedMatch(match.round or 0, tuple(seat.position or 0 for seat in match.seats), match.state not in aside)
        for match in store.matches.in_schedule_order(tournament.id)
    ]
    out = store.rulings.out(tournament.id)
    entrants = store.tournaments.entrants(tournament.id)
    return matches, frozenset(each.position for each in entrants if each.name in out)


def undo(store: Store, name: str, *, dry_run: bool = False) -> Addition:
    """Take back who joined last, or the last extension, as long as none of those matches has begun."""
    tournament = store.tournaments.get(name)
    if Plan.of(tournament).format:
        raise WrongUse(f"{name} draws its rounds itself: 'referee tournament withdraw {name} BOT' lets a bot leave")
    return store.amendments.last_addition(tournament.id) if dry_run else store.amendments.undo(tournament.id)


def reopen(store: Store, name: str) -> int:
    """Open a tournament again that is over: it is paused then. Returns how many matches can be played.

    Its root is published, so the deals to come follow from a new one. It is drawn when the nonces of the entrants are
    known already: `verify` says that it was reopened.
    """
    tournament = store.tournaments.get(name)
    plan = Plan.of(tournament)
    if plan.format:
        raise WrongUse(
            f"{name} is a {plan.format['name']}, whose rounds are drawn to their end: create a new tournament"
        )
    if plan.hosted:
        raise WrongUse(f"{name} belongs to 'referee run': the same command goes on with it, or start another one")
    root = None if tournament.repeatable else new_root(None, repeatable=False).root
    return store.amendments.reopen(tournament.id, root)


def _extend_without(
    plan: Plan, before: int, matches: Sequence[SeatedMatch], entrants: int, out: frozenset[int], _: frozenset[int]
) -> list[Pairing]:
    return extend_without(plan.schedule, matches, entrants, plan.players, out, before)


def check_join(store: Store, tournament: Tournament, newcomers: Sequence[NewEntrant]) -> int:
    """WrongUse if these bots cannot join; returns how many entrants there are already."""
    name, plan = tournament.name, Plan.of(tournament)
    if not plan.allow_join:
        raise WrongUse(
            f"{name} was created without --allow-join, so nobody can join it: create another tournament with it"
        )
    if plan.rotates:
        what = "mirrored deals" if plan.mirror else "every opening from all seats"
        raise WrongUse(f"{name} plays {what}: nobody can join it")
    if plan.format and plan.format["name"] not in formats.JOINABLE:
        raise WrongUse(f"{name} is a {plan.format['name']}: nobody can join it after it was created")
    names = {entrant.name for entrant in store.tournaments.entrants(tournament.id)}
    out = store.rulings.out(tournament.id)
    for newcomer in newcomers:
        if newcomer.name in out and plan.format and out[newcomer.name].kind is RulingKind.WITHDRAWN:
            continue
        if newcomer.name in out:
            raise WrongUse(f"{exclusion(out[newcomer.name].kind, newcomer.name, out[newcomer.name].reason)}: it is out")
        if newcomer.name in names:
            raise WrongUse(f"{newcomer.name} plays in {name} already")
    if tournament.repeatable:
        _check_no_remote_bots(store, name, newcomers)
    return len(names)


def scheduled(store: Store, tournament: Tournament) -> list[Pairing]:
    """The schedule as it is stored."""
    return [
        Pairing(match.round or 0, match.table or 0, tuple(seat.position or 0 for seat in match.seats))
        for match in store.matches.in_schedule_order(tournament.id)
    ]
