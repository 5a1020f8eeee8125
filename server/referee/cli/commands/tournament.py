"""`referee tournament`: create, run, steer and check tournaments, on a running server or directly on the file."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import OPTION_HELP, game_options, read_bots
from referee.cli.connection import AdminToken, Ca, Db, Server, call, open_store, seconds
from referee.cli.creating import create_on_file, create_on_server, people_of
from referee.cli.creating import dry_run as show_dry_run
from referee.cli.errors import WRONG_USE, Failure
from referee.cli.listing import one_of, print_details, row_of, rows_of
from referee.cli.onsite import play_here
from referee.cli.output import AsJson, paper, print_json, print_table
from referee.masking import shown

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
    schedule: Annotated[str, typer.Option(help="balanced, or full: every table in every seat rotation.")] = "balanced",
    rounds: Annotated[int | None, typer.Option("--rounds", "-r", min=1, help="Rounds of a balanced schedule.")] = None,
    limit: Annotated[str, typer.Option("--time", metavar="DURATION", help="Free time per decision.")] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    absence: Annotated[
        str,
        typer.Option(
            metavar="DURATION",
            help="How long matches wait for an absent bot; one that comes back before the end gets them back.",
        ),
    ] = "60s",
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
    """Create a tournament with its whole schedule.

    Example: referee tournament create league --game flip7 --players 4 --rounds 20 --bots ada,bob,odds,cautious,random
    """
    from referee.rules import registry
    from referee.tournament.plan import Plan, check_seed, checked

    one_of(db, server)
    if mirror:
        raise Failure(
            "mirrored deals are not for bots that connect from elsewhere: they would remember the cards from one match "
            "to the next. 'referee run GAME BOT … --mirror' starts every bot anew for every match",
            WRONG_USE,
        )
    check_seed(seed, repeatable)
    chosen = registry.find(game)
    names = read_bots(bots)
    plan = Plan(
        game=game,
        players=players if players is not None else max(2, chosen.seats.least),
        schedule=schedule,
        rounds=rounds if rounds is not None else (10 if schedule == "balanced" else None),
        limit=_milliseconds("--time", limit),
        bank=_milliseconds("--bank", bank),
        absence=_milliseconds("--absence", absence),
        allow_join=allow_join,
        options=game_options(chosen, option or []),
    )
    _, plan = checked(plan, len(names))  # here too: to a server no time at all means its own
    if dry_run:
        show_dry_run(plan, names, json)
        return
    if start and not server:
        raise Failure("--start needs --server; or use 'referee tournament start' afterwards", WRONG_USE)
    if server:
        value = create_on_server(name, plan, names, seed, repeatable, start, server, admin_token, ca)
    else:
        value = create_on_file(name, plan, names, seed, repeatable, db)
    if json:
        print_json(value)
        return
    paper().print(
        f"{name} is created: {value['matches']} matches of {game} with {plan.players} players each.\n"
        f"Commitment to the deals: {value['commitment']}",
        markup=False,
        soft_wrap=True,
    )
    if repeatable:
        paper().print("Its deals are repeatable: whoever guesses the seed knows them all.", markup=False)
    if not start:
        where = f" --server {server}" if server else f" --db {shlex.quote(shown(db))}" if db else ""
        paper().print(f"Start it: referee tournament start {name}{where}", markup=False, soft_wrap=True)


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
    return _play("START", name, db, server, admin_token, ca, concurrency)


@app.command()
def pause(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Let the running matches end and start no more."""
    one_of(db, server)
    if server:
        _control(name, "PAUSE", server, admin_token, ca)
        return
    from referee.store import TournamentState

    with open_store(db, owner="tournament", create=False) as store:
        store.tournaments.set_state(store.tournaments.get(name).id, TournamentState.PAUSED)
    paper().print(f"{name} is paused", markup=False)


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
    return _play("RESUME", name, db, server, admin_token, ca, concurrency)


@app.command()
def cancel(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """End a tournament for good; its results so far stay."""
    one_of(db, server)
    if server:
        _control(name, "CANCEL", server, admin_token, ca)
        return
    from referee.tournament.plan import cancel as cancel_plan

    with open_store(db, owner="tournament", create=False) as store:
        cancel_plan(store, name)
    paper().print(f"{name} is cancelled", markup=False)


@app.command()
def join(
    name: Name,
    bot: Annotated[str, typer.Argument(help="The bot that joins.")],
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Let a further bot into a tournament that allows it: the schedule is extended, never rewritten."""
    one_of(db, server)
    if server:
        from arena.v1 import admin_pb2 as pb

        request = pb.JoinTournamentRequest(name=name, bot=bot)
        added = call(server, admin_token, ca, "AdminService", "JoinTournament", request).matches_added
    else:
        from referee.tournament.plan import join as join_plan

        with open_store(db, owner="join", create=False) as store:
            tournament = store.tournaments.get(name)
            added = join_plan(store, name, people_of(store).entrants([bot], tournament.game))
    paper().print(f"{bot} joins {name}: {added} matches more", markup=False)


@app.command("list")
def list_(db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """List all tournaments."""
    rows = rows_of(db, server, ca)
    if json:
        print_json(rows)
        return
    from rich.table import Table
    from rich.text import Text

    if not rows:
        paper().print("no tournaments yet; 'referee tournament create' makes one", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("tournament", "game", "state", "matches", "bots"):
        table.add_column(heading)
    for row in rows:
        aside = f", {row['matches_set_aside']} set aside" if row["matches_set_aside"] else ""
        done = f"{row['matches_done']}/{row['matches_total']}{aside}"
        table.add_row(Text(row["name"]), row["game"], row["state"], done, Text(", ".join(row["bots"])))
    paper().print(table)


@app.command()
def status(name: Name, db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """One line (or JSON): state and progress."""
    row = row_of(name, db, server, ca)
    if json:
        print_json(row)
    else:
        aside = f", {row['matches_set_aside']} of them set aside without a result" if row["matches_set_aside"] else ""
        paper().print(
            f"{name} is {row['state']}: {row['matches_done']} of {row['matches_total']} matches{aside}",
            markup=False,
            soft_wrap=True,
        )


@app.command()
def show(name: Name, db: Db = None, server: Server = None, ca: Ca = None, json: AsJson = False) -> None:
    """All settings, the bots, and the commitment to the deals (with root, seed text and salt, once it is over)."""
    row = row_of(name, db, server, ca)
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
    """Write a tournament as files that anybody can check: settings, schedule, results and all records.

    Example: referee tournament export league --to league; referee verify league
    """
    from referee.tournament.audit.export import export as export_dossier

    with open_store(db, create=False) as store:
        records = export_dossier(store, name, to)
    paper().print(f"wrote {name} with {records} records to {to}", markup=False, soft_wrap=True)


def _milliseconds(option: str, text: str) -> float:
    """A duration in seconds; clocks know nothing shorter than a millisecond."""
    given = seconds(text)
    if given != 0 and given < 0.001:
        raise Failure(f"{option} {text} is too short: a millisecond (1ms) is the least", WRONG_USE)
    return given


def _play(
    action: str,
    name: str,
    db: str | None,
    server: str | None,
    token: str | None,
    ca: str | None,
    concurrency: int | None,
) -> int:
    one_of(db, server)
    if not server:
        return play_here(name, db, concurrency)
    if concurrency is not None:
        raise Failure("--concurrency is the server's affair: 'referee serve --concurrency N'", WRONG_USE)
    _control(name, action, server, token, ca)
    return 0


def _control(name: str, action: str, server: str, token: str | None, ca: str | None) -> None:
    from arena.v1 import admin_pb2 as pb

    request = pb.ControlTournamentRequest(name=name, action=getattr(pb, f"TOURNAMENT_ACTION_{action}"))
    state = call(server, token, ca, "AdminService", "ControlTournament", request).state
    paper().print(f"{name} is {state}", markup=False)
