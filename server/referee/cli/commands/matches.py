"""`referee matches`: find matches by what happened in them, of tournaments and of practice alike."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from referee.cli.arguments import AsJson, Ca, Db, Server
from referee.cli.backend import Row, backend_of
from referee.cli.errors import wrong_use
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.rules.spelling import nearest

USUAL_LIMIT = 20
MOST = 1_000_000
OVER = ("finished", "absent", "void")
STATES = ("scheduled", "playing", *OVER)
FAULTS = ("illegal", "timeout", "disconnect", "crash", "flood", "resigned")
"""How a seat may end other than by finishing."""


def matches(
    tournament: Annotated[
        str | None,
        typer.Argument(
            help="The tournament, or 'practice' for matches outside any; without it, all of them.", show_default=False
        ),
    ] = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only matches of this bot.")] = None,
    won: Annotated[bool, typer.Option("--won", help="That --bot won: rank 1, alone or shared.")] = False,
    lost: Annotated[bool, typer.Option("--lost", help="That --bot did not win.")] = False,
    faulted: Annotated[
        bool, typer.Option("--faulted", help="In which a bot, or --bot, did not finish by itself.")
    ] = False,
    reason: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="How a seat ended (illegal, timeout, disconnect, crash, flood, resigned), why a match was set aside "
            "(absent, void), or the game's own word for how it ended.",
        ),
    ] = None,
    game: Annotated[str | None, typer.Option(help="Only matches of this game.")] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="STATE",
            help="scheduled, playing, finished, absent, void, or all.",
            show_default="all that are over",
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=MOST, help="How many at most.")] = USUAL_LIMIT,
    db: Db = None,
    server: Server = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Find matches, the latest of the schedule first; 'referee replay MATCH' shows one.

    Example: referee matches league --bot mybot --lost
    """
    from referee.rules import registry

    if (won or lost) and bot is None:
        wrong_use("who has won or lost: give --bot NAME")
    if won and lost:
        wrong_use("give --won or --lost, not both")
    if state is not None and state not in (*STATES, "all"):
        wrong_use(f"there is no state {state!r}: {', '.join(STATES)}, or all")
    if game is not None and server is None:
        registry.find(game)
    wanted: dict[str, Any] = {
        "tournament": tournament or "",
        "game": game or "",
        "bot": bot or "",
        "won": won,
        "lost": lost,
        "faulted": faulted,
        "states": OVER if state is None else STATES if state == "all" else (state,),
    }
    word = (reason or "").strip().lower()
    if word in ("absent", "void"):
        if state not in (None, "all", word):
            wrong_use(f"--reason {word} and --state {state} exclude each other")
        wanted["states"] = (word,)
    elif word in FAULTS:
        wanted["fault"] = word
    elif word:
        wanted["reason"] = word
    rows, total = backend_of(db, server, None, ca).find_matches(wanted, limit)
    if json:
        print_json({"total": total, "matches": rows})
        return
    if not rows:
        meant = nearest(word, (*FAULTS, "absent", "void")) if word and "reason" in wanted else None
        advice = f"did you mean --reason {meant}?" if meant else "leave out an option to see more"
        stderr_console().print(f"no match fits: {advice}", markup=False)
        return
    _print(rows, everywhere=not tournament)
    if total > len(rows):
        stderr_console().print(f"{total - len(rows)} more: --limit {total} shows all", markup=False)


def _print(rows: list[Row], everywhere: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    table.add_column("match", no_wrap=True)
    for heading in (*(["game"] if everywhere else []), "ended"):
        table.add_column(heading, no_wrap=True)
    table.add_column("how", overflow="fold")
    drawn = any(row["why"] for row in rows)
    if drawn:
        table.add_column("why they meet", overflow="fold")
    for row in rows:
        ended = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["finished"])) if row["finished"] else row["state"]
        words = [
            row["match"],
            *([row["game"]] if everywhere else []),
            ended,
            _how(row),
            *([row["why"]] if drawn else []),
        ]
        table.add_row(*[Text(word) for word in words])
    console = stdout_console()
    if not console.is_terminal:
        console.width = max(console.width, 200)
    console.print(table)


def _how(row: Row) -> str:
    """`1. odds (211), 2. mybot (86, timeout)`, or why there is no result."""
    if row["state"] != "finished":
        why = f": {row['reason']}" if row["reason"] else ""
        return f"{row['state']}{why} ({', '.join(row['bots'])})"
    seats = sorted(range(len(row["bots"])), key=lambda seat: (row["ranks"][seat], seat))
    parts = []
    for seat in seats:
        fault = "" if row["terminations"][seat] == "finished" else f", {row['terminations'][seat]}"
        parts.append(f"{row['ranks'][seat]}. {row['bots'][seat]} ({row['scores'][seat]}{fault})")
    return ", ".join(parts)
