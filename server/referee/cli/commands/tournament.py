"""`referee tournament`: create, run, steer and check tournaments, on a running server or directly on the file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import (
    OPTION_HELP,
    AdminToken,
    AsJson,
    Ca,
    Db,
    Server,
    game_options,
    read_bots,
    whole_milliseconds,
)
from referee.cli.backend import ControlResult, backend_of, tournament_named
from referee.cli.database import open_store
from referee.cli.errors import WRONG_USE, Failure, wrong_use
from referee.cli.format_options import (
    Advance,
    Budget,
    Challengers,
    Confidence,
    FormatName,
    FormatSettings,
    Groups,
    Openings,
    Order,
    Seeding,
    ThirdPlace,
    UntilKnown,
    format_settings,
    opened,
    rated,
    until_settings,
)
from referee.cli.listing import print_details, print_forecast, print_progress, print_tournaments
from referee.cli.output import print_json, print_table, stdout_console
from referee.rules.boards.text import plural

app = typer.Typer(no_args_is_help=True, help="Create, run and steer tournaments.")

Name = Annotated[str, typer.Argument(help="The tournament's name.")]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", "-c", min=1, help="Most matches at once, without --server.", show_default="256"),
]


@app.command()
def create(
    name: Name,
    game: Annotated[str, typer.Option("--game", "-g", help="The game.")],
    bots: Annotated[str, typer.Option("--bots", "-b", help="Registered bots and house bots, with commas.")],
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Seats per match.", show_default="fewest")
    ] = None,
    format: FormatName = "round-robin",
    schedule: Annotated[
        str, typer.Option(help="Of a round-robin: balanced, or full: every table in every seat rotation.")
    ] = "balanced",
    rounds: Annotated[int | None, typer.Option("--rounds", "-r", min=1, help="How many rounds.")] = None,
    with_: FormatSettings = None,
    advance: Advance = None,
    groups: Groups = None,
    third_place: ThirdPlace = False,
    challengers: Challengers = None,
    seeding: Seeding = None,
    until: UntilKnown = None,
    confidence: Confidence = None,
    budget: Budget = None,
    order: Order = None,
    openings: Openings = 0,
    limit: Annotated[str, typer.Option("--time", metavar="DURATION", help="Free time per decision.")] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    total: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="The most that one bot may hold a match up in all, thinking or away; 0s: no such bound.",
            show_default="300 decisions, bank and grace",
        ),
    ] = None,
    missed: Annotated[
        str,
        typer.Option(
            metavar="lost|aside",
            help="Matches of a bot that has played here and then stays away to the end: lost, or set aside.",
        ),
    ] = "lost",
    absence: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long matches wait for an absent bot; one that comes back before the end gets them back.",
        ),
    ] = "60s",
    version_sigma: Annotated[
        float,
        typer.Option(
            metavar="σ",
            min=0.0,
            help="A new version of a submitted bot begins at the μ of the one before, with at least this σ (8.33 "
            "is that of a new bot); 0: as if it were the same program.",
        ),
    ] = 0.0,
    allow_join: Annotated[bool, typer.Option("--allow-join", help="Bots may join later.")] = False,
    mirror: Annotated[bool, typer.Option("--mirror", hidden=True)] = False,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Any text to mix into the deals, with a secret random salt; both are revealed at the end. "
            "The deals stay secret, and the same text never deals the same again.",
        ),
    ] = None,
    repeatable: Annotated[
        bool,
        typer.Option(
            "--repeatable",
            help="With --seed, for tests and research: the same text deals the same again, without a salt. Whoever "
            "guesses the text knows every deal; refused if a remote bot plays.",
        ),
    ] = False,
    option: Annotated[list[str] | None, typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP)] = None,
    start: Annotated[bool, typer.Option("--start", help="Start it at once (with --server).")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many matches, how long, what σ.")] = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Create a tournament: a round-robin with its whole schedule, or a format that draws round after round.

    Example: referee tournament create league --game flip7 --players 4 --rounds 20 --bots ada,bob,odds,cautious,random

    Example: referee tournament create cup --game flip7 --format gauntlet --challengers ada --bots ada,bob,odds,cautious
    """
    from dataclasses import replace

    from referee.rules import registry
    from referee.tournament.lifecycle import check_seed
    from referee.tournament.plan import Plan, checked, distinct

    backend = backend_of(db, server, admin_token, ca)
    if mirror:
        raise Failure(
            "mirrored deals are not for bots that connect from elsewhere: they would remember the cards from one match "
            "to the next. 'referee run GAME BOT … --mirror' starts every bot anew for every match",
            WRONG_USE,
        )
    check_seed(seed, repeatable)
    chosen = registry.find(game)
    names = read_bots(bots)
    named = {"rounds": rounds, "advance": advance, "groups": groups, "third_place": third_place}
    entered = distinct(names)
    others = {**named, "challengers": challengers, "seeding": seeding, "with": with_}
    drawn = until_settings(until, confidence, budget, format, entered, others) or format_settings(
        format, named, challengers, seeding, with_, entered, lambda name: rated(backend.standings(name))
    )
    if drawn and schedule != "balanced":
        raise Failure("--schedule belongs to a round-robin", WRONG_USE)
    plan = Plan(
        game=game,
        players=players if players is not None else max(2, chosen.seats.least),
        schedule=schedule,
        rounds=None if drawn else rounds if rounds is not None else (10 if schedule == "balanced" else None),
        limit=whole_milliseconds("--time", limit),
        bank=whole_milliseconds("--bank", bank),
        absence=whole_milliseconds("--absence", absence),
        allow_join=allow_join or format == "ladder",
        missed=missed,
        format=drawn,
        options=opened(game_options(chosen, option or []), openings),
        order=order or "",
        version_sigma=version_sigma,
    )
    whole = plan.control.usual_total(plan.limit, plan.bank, plan.grace)
    plan = replace(plan, total=whole if total is None else whole_milliseconds("--total", total))
    _, plan = checked(plan, len(names))  # here too: to a server no time at all means its own
    if dry_run:
        from referee.tournament.forecast import forecast

        expected = forecast(plan, names)
        if json:
            print_json(expected)
        else:
            print_forecast(expected, plan.players)
        return
    value = backend.create(name, plan, names, seed, repeatable=repeatable, start=start)
    if json:
        print_json(value)
        return
    how = plural(value["matches"], "match", "matches") if not drawn else f"a {drawn['name']}, drawn round by round,"
    if until is not None:
        how = f"at most {drawn['budget']:,} matches, until it is known ({until}),"
    stdout_console().print(
        f"{name} is created: {how} of {game} with {plan.players} players each.\n"
        f"Commitment to the deals: {value['commitment']}",
        markup=False,
        soft_wrap=True,
    )
    if repeatable:
        stdout_console().print("Its deals are repeatable: whoever guesses the seed knows them all.", markup=False)
    if not start:
        stdout_console().print(
            f"Start it: referee tournament start {name}{backend.where}", markup=False, soft_wrap=True
        )


@app.command("start")
def start_(
    name: Name,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    concurrency: Concurrency = None,
) -> int:
    """Start a tournament: on a server, or (house bots only) right here on the file."""
    return _told(name, backend_of(db, server, admin_token, ca).start(name, concurrency))


@app.command()
def pause(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Let the running matches end and start no more."""
    _told(name, backend_of(db, server, admin_token, ca).pause(name))


@app.command()
def resume(
    name: Name,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    concurrency: Concurrency = None,
) -> int:
    """Go on with a paused or interrupted tournament."""
    return _told(name, backend_of(db, server, admin_token, ca).resume(name, concurrency))


@app.command()
def cancel(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """End a tournament for good; its results so far stay."""
    _told(name, backend_of(db, server, admin_token, ca).cancel(name))


DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say how many matches, and change nothing.")]


@app.command()
def join(
    name: Name,
    bot: Annotated[str, typer.Argument(help="The bot that joins.")],
    dry_run: DryRun = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Let a further bot into a tournament that allows it: the schedule is extended, never rewritten.

    'referee tournament undo NAME' takes it back, as long as none of its matches has begun.
    """
    added = backend_of(db, server, admin_token, ca).join(name, bot, dry_run=dry_run)
    stdout_console().print(f"{bot} {'would join' if dry_run else 'joins'} {name}: {_more(added)}", markup=False)


@app.command()
def extend(
    name: Name,
    rounds: Annotated[int, typer.Option("--rounds", "-r", min=1, help="How many further rounds.")],
    dry_run: DryRun = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Append further rounds to a round-robin; one that is over is reopened first.

    Example: referee tournament extend league --rounds 10 --dry-run
    """
    added = backend_of(db, server, admin_token, ca).extend(name, rounds, dry_run=dry_run)
    stdout_console().print(f"{name} {'would get' if dry_run else 'gets'} {_more(added)}", markup=False)


@app.command()
def undo(
    name: Name,
    dry_run: DryRun = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Take back the last join or extension of a paused tournament, as long as none of its matches has begun."""
    matches, bots = backend_of(db, server, admin_token, ca).undo(name, dry_run=dry_run)
    who = f" of {', '.join(bots)}" if bots else ""
    said = "would be taken back" if dry_run else "taken back"
    stdout_console().print(f"{name}: {_matches(matches)}{who} {said}", markup=False, soft_wrap=True)


@app.command()
def reopen(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Go on with a finished or cancelled round-robin: matches set aside for an absent bot are open again.

    It is paused then: 'referee tournament resume NAME' plays. The secret behind its deals was published at its end, so
    further deals follow from a new one, to which it commits itself now; 'referee verify' says so.
    """
    backend = backend_of(db, server, admin_token, ca)
    opened = backend.reopen(name)
    stdout_console().print(
        f"{name} is reopened and paused, with {_matches(opened)} to play\n"
        f"Go on: referee tournament resume {name}{backend.where}",
        markup=False,
        soft_wrap=True,
    )


Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why: stored and shown.")]
Match = Annotated[
    str,
    typer.Argument(metavar="MATCH", help="The match as all commands write it, such as league/12; or its tournament."),
]
Number = Annotated[str | None, typer.Argument(metavar="[NUMBER]", help="Its number, after the tournament.")]


@app.command()
def disqualify(
    name: Name,
    bot: Annotated[str, typer.Argument(help="The bot, by its name in the tournament.")],
    reason: Reason,
    annul: Annotated[bool, typer.Option("--annul/--keep", help="Whether its results count no longer.")] = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Take a bot out for good: its open matches are not played, and the others get further ones instead.

    In a round-robin that lasts until no other bot has lost more than one match. A finished tournament is rated anew.

    Example: referee tournament disqualify league ada --reason "two accounts" --annul
    """
    _ruled(backend_of(db, server, admin_token, ca).rule(name, "disqualify", bot, reason, annul=annul))


@app.command()
def withdraw(
    name: Name,
    bot: Annotated[str, typer.Argument(help="The bot, by its name in the tournament.")],
    reason: Reason,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Let a bot leave: its results stay, its open matches are not played; a ladder lets it join again."""
    _ruled(backend_of(db, server, admin_token, ca).rule(name, "withdraw", bot, reason))


@app.command()
def annul(
    match: Match,
    reason: Reason,
    number: Number = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Make the result of a match count no longer; it stays stored, and is shown as annulled."""
    name, match = _parts(match, number)
    _ruled(backend_of(db, server, admin_token, ca).rule(name, "annul", match, reason))


@app.command("replay-match")
def replay_match(
    match: Match,
    reason: Reason,
    number: Number = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Have a match played again on a new deal, before the tournament is over and before a later round is drawn."""
    name, match = _parts(match, number)
    _ruled(backend_of(db, server, admin_token, ca).rule(name, "replay", match, reason))


@app.command("list")
def list_(db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """List all tournaments."""
    rows = backend_of(db, server, ca=ca).tournaments()
    if json:
        print_json(rows)
        return
    print_tournaments(rows)


@app.command()
def status(name: Name, db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """One line (or JSON): state and progress."""
    row = tournament_named(backend_of(db, server, ca=ca), name)
    if json:
        print_json(row)
        return
    print_progress(row)


@app.command()
def show(name: Name, db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """All settings, the bots, commitment and nonces of the deals (with root, seed text and salt, once it is over)."""
    row = tournament_named(backend_of(db, server, ca=ca), name)
    if json:
        print_json(row)
        return
    print_details(row)


@app.command()
def rerate(name: Name, db: Db = None, json: AsJson = False) -> None:
    """Compute all ratings anew from the stored results, and show that the digest is the same."""
    from referee.tournament.standings import from_store

    with open_store(db, create=False) as store:
        standings = from_store(store, name)
    if json:
        print_json(standings.to_json_value())
        return
    print_table(standings)


@app.command()
def export(
    name: Name,
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="A new folder.")],
    db: Db = None,
) -> None:
    """Write a tournament as files that anybody can check: the same as 'referee export NAME FOLDER'.

    Example: referee tournament export league --to league; referee verify league
    """
    from referee.cli.commands.export import export_folder

    written = export_folder(backend_of(db, None), name, to)
    stdout_console().print(
        f"wrote {name} with {plural(written['records'], 'record')} to {to}", markup=False, soft_wrap=True
    )


def _parts(match: str, number: str | None) -> tuple[str, str]:
    """The tournament, and which of its matches: `league/12`, or the two as two words."""
    if number is not None:
        return match, number
    name, slash, number = match.rpartition("/")
    if not slash:
        wrong_use(f"which match of {match}? Name it as 'referee matches {match}' does: {match}/NUMBER")
    return name, number


def _matches(number: int) -> str:
    return plural(number, "match", "matches")


def _more(number: int) -> str:
    return "1 more match" if number == 1 else f"{number:,} more matches"


def _ruled(told: str) -> None:
    stdout_console().print(told, markup=False, soft_wrap=True)


def _told(name: str, controlled: ControlResult) -> int:
    if controlled.state:
        stdout_console().print(f"{name} is {controlled.state}", markup=False)
    return controlled.code
