"""The report of the conformance kit: a table of cases and results for people, a JSON value for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from referee import __version__
from referee.conformance.case import Case
from referee.conformance.outcome import CaseOutcome, CaseVerdict

FORMAT = 1
MARKS = {
    CaseVerdict.PASSED: ("pass", "green"),
    CaseVerdict.FAILED: ("FAIL", "bold red"),
    CaseVerdict.KNOWN: ("known", "yellow"),
    CaseVerdict.MENDED: ("MENDED", "bold red"),
    CaseVerdict.LACKING: ("-", "dim"),
}

Outcomes = Mapping[str, Sequence[CaseOutcome]]
Lacks = Mapping[str, Sequence[str]]
"""The features that each SDK declares to lack."""
NOTHING: Lacks = {}


def table(cases: Sequence[Case], outcomes: Outcomes, lacks: Lacks = NOTHING) -> RenderableType:
    """Cases by SDKs, then the reason of every failure, then one line per SDK."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    grid.add_column("theme", style="dim")
    grid.add_column("case", no_wrap=True)
    for name in outcomes:
        grid.add_column(name, no_wrap=True)
    theme = ""
    for place, case in enumerate(cases):
        marks = [Text(*MARKS[results[place].verdict]) for results in outcomes.values()]
        grid.add_row("" if case.theme == theme else case.theme, case.name, *marks)
        theme = case.theme
    sums = [_sum(name, results, lacks.get(name, ())) for name, results in outcomes.items()]
    return Group(grid, *_failures(cases, outcomes), Text(), *sums)


def _failures(cases: Sequence[Case], outcomes: Outcomes) -> list[RenderableType]:
    lines: list[RenderableType] = []
    shows = {case.name: case.shows for case in cases}
    for name, results in outcomes.items():
        for outcome in results:
            if not outcome.verdict.ok:
                lines += [
                    Text(),
                    Text.assemble((outcome.case, "bold red"), f" ({name}): {shows[outcome.case]}"),
                    Text("\n".join(f"  {line}" for line in outcome.reason.splitlines())),
                ]
    return lines


def _sum(name: str, results: Sequence[CaseOutcome], lacks: Sequence[str]) -> Text:
    counts = {verdict: sum(outcome.verdict is verdict for outcome in results) for verdict in CaseVerdict}
    parts = [f"{counts[CaseVerdict.PASSED]} of {len(results)} cases passed"]
    for verdict, words in (
        (CaseVerdict.FAILED, "failed"),
        (CaseVerdict.MENDED, "listed as known failures passed"),
        (CaseVerdict.KNOWN, "known failures"),
        (CaseVerdict.LACKING, "not tried for lack of a feature"),
    ):
        if counts[verdict]:
            parts.append(f"{counts[verdict]} {words}")
    if "sentences" in lacks:
        parts.append("sentences were not compared")
    good = all(outcome.verdict.ok for outcome in results)
    return Text(f"{name}: {', '.join(parts)}", "bold green" if good else "bold red")


def listing(cases: Sequence[Case]) -> RenderableType:
    """What there is, for `--list`."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for head in ("theme", "case", "needs", "shows"):
        grid.add_column(head, no_wrap=head == "case")
    for case in cases:
        needs = [*sorted(case.needs), *(["--slow"] if case.slow else [])]
        grid.add_row(case.theme, case.name, " ".join(needs), case.shows)
    return grid


def value(cases: Sequence[Case], outcomes: Outcomes, lacks: Lacks = NOTHING, *, lines: bool) -> dict[str, Any]:
    """The result file, for a page or a badge that shows how an SDK fares."""
    return {
        "format": FORMAT,
        "kit": f"referee {__version__}",
        "transport": "lines" if lines else "grpc",
        "cases": [{"name": case.name, "theme": case.theme, "shows": case.shows} for case in cases],
        "sdks": [
            {
                "name": name,
                "lacks": list(lacks.get(name, ())),
                "ok": all(outcome.verdict.ok for outcome in results),
                "passed": sum(outcome.verdict is CaseVerdict.PASSED for outcome in results),
                "results": [
                    {
                        "case": outcome.case,
                        "verdict": outcome.verdict.value,
                        "reason": outcome.reason,
                        "seconds": round(outcome.seconds, 3),
                        "stderr": outcome.stderr,
                    }
                    for outcome in results
                ],
            }
            for name, results in outcomes.items()
        ],
    }


def show(console: Console, what: RenderableType) -> None:
    """Whole lines where the output is no terminal, so that they can be searched."""
    if not console.is_terminal:
        console.width = 400
    console.print(what, soft_wrap=True)
