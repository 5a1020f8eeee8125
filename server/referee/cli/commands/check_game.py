"""`referee check-game`: does an installed game keep every law?"""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson, game_options
from referee.cli.errors import DID_NOT_HOLD, DONE, wrong_use
from referee.cli.output import print_json, stderr_console, stdout_console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from referee.rules.game import Game
    from referee.rules.laws import LawBroken


def check_game(
    game: Annotated[str, typer.Argument(metavar="NAME", help="The name of an installed game.", show_default=False)],
    law: Annotated[
        list[str] | None,
        typer.Option("--law", "-l", metavar="LAW", help="Only this law; may be repeated.", show_default="all laws"),
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option(
            "--players", "-p", help="Only so many players; may be repeated.", show_default="fewest, some, most"
        ),
    ] = None,
    matches: Annotated[
        int, typer.Option("--matches", "-m", min=1, help="Seeds per number of players and set of options.")
    ] = 3,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-o", metavar="KEY=VALUE", help="Only with these options.", show_default="every example"
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Try every law of the rules kernel on a game: one line per law, kept or broken with what was seen.

    A broken law is told with the match in which it was seen and the command that shows it again; the seed is the one
    of a scenario file. Exit code 0: all are kept; 1: one is broken; 2: there is no such game.

    Example: [bold]referee check-game flip7[/bold]
    """
    from referee.rules.laws import LAWS, LawBroken, check_law

    chosen = _find(game)
    laws = _chosen_laws(law, list(LAWS))
    for count in players or ():
        chosen.check_players(count)
    options = None if option is None else game_options(chosen, option)
    found: list[dict[str, Any]] = []
    for name in laws:
        broken: LawBroken | None = None
        with _progress(name, len(found), len(laws), quiet=as_json):
            try:
                check_law(chosen, name, matches=matches, players=players, options=options)
            except LawBroken as error:
                broken = error
        found.append(_value(chosen, name, broken, matches))
        if not as_json:
            _print(found[-1])
    ok = all(one["kept"] for one in found)
    if as_json:
        print_json({"game": chosen.name, "version": chosen.version, "ok": ok, "laws": found})
    else:
        _print_verdict(chosen.name, found)
    return DONE if ok else DID_NOT_HOLD


def _find(name: str) -> Game[Any]:
    from referee.rules import registry
    from referee.rules.game import WrongUse

    try:
        return registry.find(name)
    except WrongUse as error:
        if name in registry.names():
            raise
        wrong_use(
            f"{error}; only installed games can be checked: 'pip install -e DIR' installs the package in DIR, and "
            "'referee new-game NAME' makes one"
        )


def _chosen_laws(wanted: list[str] | None, laws: list[str]) -> list[str]:
    from difflib import get_close_matches

    names = [name.strip().replace(" ", "_") for name in wanted or laws]
    for name in names:
        if name not in laws:
            near = get_close_matches(name, laws, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(laws)}"
            wrong_use(f"unknown law {name!r}; {hint}")
    return names


def _value(game: Game[Any], law: str, broken: LawBroken | None, matches: int) -> dict[str, Any]:
    from referee.rules.laws import LAWS

    about = " ".join((LAWS[law].__doc__ or "").split())
    value: dict[str, Any] = {"law": law, "about": about, "kept": broken is None}
    if broken is None:
        return value
    value["seen"] = broken.seen
    again = ["referee", "check-game", game.name, "--law", law]
    if (case := broken.case) is not None:
        value |= {"players": case.players, "options": case.options, "seed": case.seed, "decision": broken.decision}
        again += ["--players", str(case.players)]
        for name, given in case.changed_options.items():
            again += ["--option", f"{name}={json.dumps(given)}"]
    if matches != 3:
        again += ["--matches", str(matches)]
    return value | {"again": shlex.join(again)}


def _print(found: dict[str, Any]) -> None:
    from rich.text import Text

    mark = ("kept    ", "green") if found["kept"] else ("BROKEN  ", "bold red")
    line = Text.assemble(mark, found["law"].replace("_", " "))
    if not found["kept"]:
        line.append(f"\n        the law:  {found['about']}\n        seen:     {found['seen']}")
        if "seed" in found:
            where = f"{found['players']} players, seed {found['seed']}, decision {found['decision']}"
            line.append(f"\n        where:    {where}")
        line.append(f"\n        again:    {found['again']}")
    stdout_console().print(line, soft_wrap=True)


def _print_verdict(game: str, found: list[dict[str, Any]]) -> None:
    from rich.text import Text

    broken = sum(not one["kept"] for one in found)
    laws = f"{len(found)} law{'s' * (len(found) != 1)}"
    if broken:
        text = Text(f"\n{game} breaks {broken} of {laws}", "bold red")
    else:
        text = Text(f"\n{game} keeps {'all ' * (len(found) > 1)}{laws}", "bold green")
    stdout_console().print(text)


@contextmanager
def _progress(law: str, number: int, laws: int, *, quiet: bool) -> Iterator[None]:
    """Which law is being tried, for a person at a terminal; a law of a long game takes seconds."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    with stderr_console().status(f"{number + 1} of {laws}: {law.replace('_', ' ')}"):
        yield
