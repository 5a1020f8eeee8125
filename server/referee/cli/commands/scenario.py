"""`referee scenario`: run rules that are written down as scenarios."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AsJson
from referee.cli.errors import DID_NOT_HOLD, DONE, WRONG_USE, wrong_use
from referee.cli.output import print_json, stderr_console, stdout_console

if TYPE_CHECKING:
    from referee.rules.scenario import ScenarioFailed, ScenarioUnreadable


def scenario(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Scenario files, or folders of them.", show_default=False)
    ],
    as_json: AsJson = False,
) -> int:
    """Run scenario files and say which do not hold: file, line, what was expected and what was seen.

    Exit code 0 when all hold, 1 when one does not, 2 when one cannot be read.

    Example: [bold]referee scenario tests/scenarios/flip7[/bold]
    """
    from referee.rules.scenario import ScenarioFailed, ScenarioUnreadable, run_file

    ran = 0
    failed: list[ScenarioFailed] = []
    unreadable: list[ScenarioUnreadable] = []
    for path in _found(files):
        ran += 1
        try:
            run_file(path)
        except ScenarioFailed as failure:
            failed.append(failure)
        except ScenarioUnreadable as error:
            unreadable.append(error)
    if as_json:
        _print_json(ran, failed, unreadable)
    else:
        _print(ran, failed, unreadable)
    return WRONG_USE if unreadable else DID_NOT_HOLD if failed else DONE


def _found(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path  # a file that is not there is told like one that cannot be read
            continue
        inside = sorted(path.rglob("*.toml"))
        if not inside:
            wrong_use(f"{path}: no scenario files (*.toml) in this folder")
        yield from inside


def _print_json(ran: int, failed: list[ScenarioFailed], unreadable: list[ScenarioUnreadable]) -> None:
    print_json(
        {
            "ran": ran,
            "held": ran - len(failed) - len(unreadable),
            "failed": [
                {"file": str(one.path), "line": one.line, "expected": one.expected, "seen": one.seen} for one in failed
            ],
            "unreadable": [{"file": str(one.path), "line": one.line, "message": one.message} for one in unreadable],
        }
    )


def _print(ran: int, failed: list[ScenarioFailed], unreadable: list[ScenarioUnreadable]) -> None:
    from rich.text import Text

    console = stdout_console()
    for one in failed:
        place = (f"{one.path}:{one.line}", "bold red")
        words = Text.assemble(place, " does not hold\n  expected: ", one.expected, "\n  seen:     ", one.seen)
        console.print(words, soft_wrap=True)
    for bad in unreadable:
        stderr_console().print(Text.assemble(("cannot be read: ", "bold red"), str(bad)))
    held = ran - len(failed) - len(unreadable)
    summary = [f"{held} of {ran} scenario{'s' * (ran != 1)} hold{'s' * (ran == 1)}"]
    if failed:
        summary.append(f"{len(failed)} failed")
    if unreadable:
        summary.append(f"{len(unreadable)} unreadable")
    console.print(Text(", ".join(summary), "green" if held == ran else "yellow"))
