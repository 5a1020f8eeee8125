"""`referee conform`: whether an SDK, in whatever language, does what every SDK does."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.errors import DID_NOT_HOLD, DONE, ENVIRONMENT, Failure, wrong_use
from referee.cli.output import stderr_console, stdout_console

if TYPE_CHECKING:
    from referee.conformance.kit import Sdk
    from referee.conformance.outcome import CaseOutcome


def conform(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- CMD", help="The SDK's conformbot and its arguments.", show_default=False),
    ] = None,
    sdk: Annotated[
        list[str] | None,
        typer.Option("--sdk", metavar="NAME=CMD", help="Another SDK; may be repeated.", show_default=False),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            "-c",
            metavar="PATTERN",
            help="Only cases of this name or theme (* and ? fit anything); may be repeated.",
            show_default=False,
        ),
    ] = None,
    lacks: Annotated[
        list[str] | None,
        typer.Option(
            "--lacks",
            metavar="[NAME:]FEATURE",
            help="What the SDK (of that name) cannot have; may be repeated.",
            show_default=False,
        ),
    ] = None,
    known_failures: Annotated[
        list[str] | None,
        typer.Option(
            "--known-failures",
            metavar="[NAME:]FILE",
            help="Cases that are known to fail, a name per line; one that passes counts as a failure.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[bool, typer.Option("--lines", help="CMD speaks JSON lines on stdin and stdout.")] = False,
    slow: Annotated[bool, typer.Option("--slow", help="Also the cases that take half a minute.")] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", min=1, help="Cases at once.", show_default="one per core")
    ] = None,
    patience: Annotated[
        float, typer.Option("--patience", min=0.1, help="Seconds of waiting after which a bot counts as hung.")
    ] = 20.0,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the results there.", show_default=False)
    ] = None,
    list_cases: Annotated[bool, typer.Option("--list", help="Show the cases and what they are about.")] = False,
    cases_folder: Annotated[
        Path | None,
        typer.Option("--cases", metavar="DIR", help="Other cases than those of the kit.", show_default=False),
    ] = None,
) -> int:
    """Hold an SDK to the cases of the conformance kit (sdk/conformance/): a scripted server talks to its conformbot.

    Every case starts CMD anew, with a server of its own, as CMD --server HOST:PORT --token TOKEN and the flags of the
    case. A client without flags, --lacks flags, has REFEREE_SERVER and REFEREE_TOKEN instead. Exit code 0: all as
    expected; 1: something else was seen; 2: wrong use; 3: CMD cannot be started.

    CMD plays with one object per match and does what the first legal move says. 'fail': raise an error. 'think:MS':
    think so many milliseconds, answer the second move. 'count': answer how many decisions this object has been asked.
    'view': answer from the view. Anything else: answer it; after a rejection the last legal move, without legal moves
    'pass'. At the start of a match it writes 'conformbot: start MATCH seat SEAT of NAME,NAME' to stderr, at its end
    'conformbot: end MATCH rank RANK finished' (or timeout, …). After these lines it raises an error at the start of a
    match called no-start, and at the end of one called no-end. A match in which it raises an error is resigned. It ends
    with exit code 2 when it is refused, and with 3 when it gives up, after REFEREE_PATIENCE seconds and no sooner.
    sdk/README.md tells the whole: flags, behaviour, sentences, the conformbot.

    Example: [bold]referee conform --lacks flags --lacks sentences --case answers -- node mybot.js[/bold]
    """
    from referee.conformance import case as cases
    from referee.conformance import kit, report

    chosen = [one for one in cases.load(cases_folder) if one.lines or not lines]
    names = {one.name for one in chosen}
    chosen = cases.choose(chosen, case or ())
    if not case:
        chosen = [one for one in chosen if slow or not one.slow]
    if list_cases:
        report.show(stdout_console(), report.listing(chosen))
        return DONE
    sdks = _sdks(command or [], sdk or [], lacks or [], known_failures or [], names)
    if json_file is not None and not json_file.parent.is_dir():
        wrong_use(f"--json: there is no folder {json_file.parent}")
    cores = len(os.sched_getaffinity(0))
    progress = _progress(len(chosen) * len(sdks))
    what = kit.Run(chosen, sdks, lines, jobs or cores, patience, progress)
    try:
        outcomes = asyncio.run(kit.run(what))
    except kit.CannotStart as error:
        raise Failure(str(error), ENVIRONMENT) from None
    lacking = {one.name: sorted(one.lacks) for one in sdks}
    report.show(stdout_console(), report.table(chosen, outcomes, lacking))
    if json_file is not None:
        value = report.value(chosen, outcomes, lacking, lines=lines)
        json_file.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", "utf-8")
    good = all(outcome.verdict.ok for results in outcomes.values() for outcome in results)
    return DONE if good else DID_NOT_HOLD


def _sdks(
    command: list[str], named: list[str], lacks: list[str], known_failures: list[str], cases: set[str]
) -> list[Sdk]:
    """The SDKs to be tried, from `-- CMD` and `--sdk NAME=CMD`."""
    from referee.conformance.case import FEATURES
    from referee.conformance.kit import Sdk, read_known_failures

    commands: dict[str, tuple[str, ...]] = {"CMD": tuple(command)} if command else {}
    for text in named:
        name, sign, words = text.partition("=")
        if not name or not sign or not words.strip():
            wrong_use(f"--sdk: {text!r} is not NAME=CMD")
        if name in commands:
            wrong_use(f"--sdk: there are two SDKs called {name!r}")
        try:
            commands[name] = tuple(shlex.split(words))
        except ValueError as error:
            wrong_use(f"--sdk: {text!r}: {error}")
    if not commands:
        wrong_use("say which program to try: referee conform -- CMD, or --sdk NAME=CMD")
    missing: dict[str, set[str]] = {name: set() for name in commands}
    known: dict[str, frozenset[str]] = dict.fromkeys(commands, frozenset())
    for name, feature in _addressed("--lacks", lacks, commands):
        if feature not in FEATURES:
            wrong_use(f"--lacks: there is no feature {feature!r}; there are {', '.join(FEATURES)}")
        missing[name].add(feature)
    for name, file in _addressed("--known-failures", known_failures, commands):
        known[name] |= read_known_failures(Path(file), cases)
    return [Sdk(name, words, frozenset(missing[name]), known[name]) for name, words in commands.items()]


def _addressed(flag: str, texts: list[str], commands: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """`[NAME:]VALUE` as name and value; the name may be left out where there is one SDK only."""
    found = []
    for text in texts:
        name, colon, value = text.partition(":")
        if colon and name in commands:
            found.append((name, value))
        elif len(commands) == 1:
            found.append((next(iter(commands)), text))
        else:
            wrong_use(f"{flag}: {text!r} does not say which SDK it is about; write NAME:{text}")
    return found


def _progress(total: int) -> Callable[[Sdk, CaseOutcome], object]:
    """A counter on stderr while the cases run, where stderr is a terminal."""
    console = stderr_console()
    done = 0

    def told(sdk: Sdk, outcome: CaseOutcome) -> None:
        nonlocal done
        done += 1
        if console.is_terminal:
            console.print(f"\r{done} of {total} ", end="")
            if done == total:
                console.print("\r" + " " * 20 + "\r", end="")

    return told
