"""`referee replay`: step through a match that was played, on the terminal, as text, as one HTML page, or as JSON."""

from __future__ import annotations

import asyncio
import json as jsonlib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.errors import ENVIRONMENT, Failure, wrong_use
from referee.cli.match_source import MatchName, Token, find_match
from referee.cli.output import print_json, stderr_console
from referee.rules.files import read_bounded

if TYPE_CHECKING:
    from referee.analysis.replay import Perspective, RecordedMatch, Replay

LARGEST_FILE = 16 << 20
WIDEST = 100
"""Columns of a text that is printed."""


def replay(
    match: MatchName,
    seat: Annotated[
        int | None, typer.Option("--seat", metavar="N", help="As this seat saw it, without what it could not know.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="As the public saw it.")] = False,
    revealed: Annotated[
        bool, typer.Option("--revealed", help="With everything revealed, also what no bot could see (the usual).")
    ] = False,
    at: Annotated[
        int | None, typer.Option("--at", metavar="N", help="Begin at decision N, from 0; as text: this one alone.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write one page that needs nothing else.")
    ] = None,
    svg: Annotated[
        int | None, typer.Option("--svg", metavar="N", help="Print the board at decision N as a picture (SVG).")
    ] = None,
    mistakes: Annotated[
        Path | None,
        typer.Option(
            "--mistakes",
            metavar="FILE",
            help="Mark the costly decisions that 'referee why MATCH --seat N --json' wrote into this file.",
        ),
    ] = None,
    logs: Annotated[
        bool | None,
        typer.Option(
            "--logs/--no-logs",
            help="What hosted bots wrote to stderr, as far as you may see it.",
            show_default="shown, but not in --html and --json, which may be passed on",
        ),
    ] = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    token: Token = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Step through a match: what was asked, answered, how long it took; on a terminal with the arrow keys.

    Example: referee replay league/12 --seat 0
    """
    from referee.analysis.replay import Replay

    if sum((seat is not None, public, revealed)) > 1:
        wrong_use("give one of --seat, --public and --revealed")
    if sum((html is not None, svg is not None, json)) > 1:
        wrong_use("give one of --html, --svg and --json")
    source = find_match(match, db, server, admin_token or token, ca)
    recorded = source.read()
    passed_on = html is not None or json
    shown = logs if logs is not None else not passed_on
    notes = {} if mistakes is None else _mistakes(mistakes, recorded)
    steps = Replay(recorded, source.log_lines() if shown and svg is None else (), notes)
    seen = _perspective(seat, public, recorded.players)
    for option, number in (("--at", at), ("--svg", svg)):
        if number is not None and not 0 <= number < len(steps):
            wrong_use(
                f"{option} {number}: the match has the decisions 0 to {len(steps) - 2}, and {len(steps) - 1} is its end"
            )
    if json:
        print_json(steps.to_value(seen))
    elif svg is not None:
        step = steps[svg]
        sys.stdout.write(recorded.game.picture(step.view(step.boards(seen)[0][0]), names=recorded.names) + "\n")
    elif html is not None:
        _write_page(steps, seen, html, chosen=seat is not None or public, at=at or 0)
    elif sys.stdout.isatty() and sys.stdin.isatty():
        from referee.cli.replay_screen import ScreenPosition, run

        asyncio.run(run(ScreenPosition(steps, at or 0, seen)))
    else:
        _print(steps, seen, at)


def _perspective(seat: int | None, public: bool, players: int) -> Perspective:
    from referee.analysis.replay import PUBLIC, REVEALED, of_seat

    if seat is not None:
        return of_seat(seat, players)
    return PUBLIC if public else REVEALED


def _mistakes(path: Path, match: RecordedMatch) -> dict[int, list[str]]:
    """The costly decisions that `referee why` found in this match, as remarks by decision."""
    try:
        value = jsonlib.loads(read_bounded(path, LARGEST_FILE))
        found = {int(one["decision"]): [str(one["sentence"])] for one in value["costliest"]}
        name = str(value["match"])
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", ENVIRONMENT) from None
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError):
        wrong_use(f"{path} is not what 'referee why MATCH --seat N --json' writes")
    if name != match.match or any(not 0 <= number < match.decisions for number in found):
        wrong_use(f"{path} is about {name or 'another record'}, not about {match.match or 'this one'}")
    return found


def _print(steps: Replay, seen: Perspective, at: int | None) -> None:
    """All steps as text, or one of them."""
    from referee.analysis.replay.text import heading, step_lines
    from referee.cli.terminal import wants_ascii, wants_colour

    width = min(WIDEST, shutil.get_terminal_size((80, 24)).columns)
    colour, ascii = wants_colour(), wants_ascii()
    for line in heading(steps.match, width, colour=colour, ascii=ascii):
        sys.stdout.write(line + "\n")
    for number in range(len(steps)) if at is None else [at]:
        lines = step_lines(steps, number, seen, width, colour=colour, ascii=ascii)
        sys.stdout.write("\n" + "\n".join(lines) + "\n")


def _write_page(steps: Replay, seen: Perspective, path: Path, *, chosen: bool, at: int) -> None:
    from referee.analysis.replay.page import page

    text = page(steps, seen, only=chosen, at=at)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}", ENVIRONMENT) from None
    stderr_console().print(f"wrote {path} ({len(text.encode()) // 1024 + 1} kB)", markup=False, soft_wrap=True)
