"""`referee check`: what an author runs before submitting a bot."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson
from referee.cli.building import BuildNetwork, build_bots
from referee.cli.errors import DID_NOT_HOLD, DONE, ENVIRONMENT, Failure
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.cli.progress_line import ProgressLine
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.conformance.examination import Finding, Report


def check(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT",
            help="A bot folder, a Python file, a house bot or a command; NAME=BOT gives a name, folder:BOT brings the "
            "folder of a lone file, stdio:BOT speaks JSON lines.",
            show_default=False,
        ),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option("--game", "-g", help="Only this game; may be repeated.", show_default="every game it plays"),
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-m", min=1, help="Matches one after the other, per game.")] = 5,
    sandbox: Annotated[
        bool | None,
        typer.Option("--sandbox/--no-sandbox", help="Shut the bot in as a host does.", show_default="if possible"),
    ] = None,
    build_network: BuildNetwork = False,
    as_json: AsJson = False,
) -> int:
    """Start a bot, play every game it plays against random bots, and say whether it is fit for a tournament.

    Looks at the handshake, at matches one by one and several at once, at its answer to a refused move, at its way back
    after a lost connection, at its speed and its memory. Exit code 0: it is fit; 1: it is not.

    Example: [bold]referee check bots/cautious[/bold]
    """
    import logging

    from referee.conformance import examination
    from referee.hosting.admission.starting import Overloaded
    from referee.hosting.bot.spec import parse
    from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxFailed
    from referee.logs import log_to_stderr

    log_to_stderr(logging.CRITICAL)
    spec = parse(bot, Path.cwd())
    launcher = _launcher(sandbox)

    async def built_and_checked() -> Report:
        await build_bots([spec], shut_in=isinstance(launcher, Sandbox), network=build_network)
        async with ProgressLine() as line:

            def tell(finding: Finding) -> None:
                if not as_json:
                    line.aside(lambda: _print_finding(finding))

            return await examination.check(
                spec, launcher, game or (), matches=matches, told=tell, doing=lambda text: line.tell(f"{text} …")
            )

    try:
        report = asyncio.run(built_and_checked())
    except SandboxFailed as error:
        raise Failure(str(error), ENVIRONMENT) from None
    except Overloaded as error:
        raise Failure(f"the machine is too busy to check a bot now: {error}", ENVIRONMENT) from None
    if as_json:
        print_json(report.value())
    else:
        _print_report(report)
    return DONE if report.ok else DID_NOT_HOLD


def _launcher(sandbox: bool | None) -> Any:
    from referee.hosting.sandbox.bubblewrap import Sandbox, probe, what_holds
    from referee.hosting.sandbox.launch import NoSandbox

    if sandbox is False:
        return NoSandbox()
    missing = probe()
    if missing is None:
        stderr_console().print(f"note: {what_holds()}", style="dim", markup=False, soft_wrap=True)
        return Sandbox()
    if sandbox:
        raise Failure(missing, ENVIRONMENT)
    stderr_console().print(
        f"note: checked without the sandbox a host would use ({missing.partition(';')[0]})", style="dim"
    )
    return NoSandbox()


def _print_finding(finding: Finding) -> None:
    from rich.text import Text

    mark = ("ok  ", "green") if finding.ok else ("FAIL", "bold red")
    name = f"{finding.game} {finding.check}".strip().replace("_", " ")
    text = f"the same as {finding.same_as.replace('_', ' ')}" if finding.same_as else finding.text
    stdout_console().print(Text.assemble(mark, f"  {name:<28}", text), soft_wrap=True)


def _print_report(report: Report) -> None:
    from rich.text import Text

    console = stdout_console()
    if report.matches:
        console.print(
            f"\n{plural(report.matches, 'match', 'matches')}, {plural(report.decisions, 'decision')}; "
            f"answers within {_ms(report.p50_ms)} (half), "
            f"{_ms(report.p99_ms)} (99 of 100), {_ms(report.slowest_ms)} (all); {report.memory_mb:g} MB of memory",
            soft_wrap=True,
        )
    if not report.ok and report.last_lines:
        console.print("\nThe last lines it wrote to stderr:")
        for line in _without_repeats(report.last_lines):
            console.print(Text(f"  | {line}"), soft_wrap=True)
    verdict = Text(f"\n{report.bot} is fit to play", "bold green")
    if not report.ok:
        failed = sum(not finding.ok for finding in report.findings)
        causes = sum(not finding.ok and not finding.same_as for finding in report.findings)
        reasons = f", for {causes} reason{'s' * (causes > 1)}" if causes < failed else ""
        verdict = Text(
            f"\n{report.bot} is not fit to play yet: {failed} of {len(report.findings)} checks failed{reasons}",
            "bold red",
        )
    console.print(verdict, soft_wrap=True)


def _without_repeats(lines: list[str]) -> list[str]:
    """Each line once, in the order of its last time: the first time may be the end of an error that was cut off."""
    return list(dict.fromkeys(reversed(lines)))[::-1]


def _ms(value: int) -> str:
    return f"{value} ms" if value else "1 ms"
