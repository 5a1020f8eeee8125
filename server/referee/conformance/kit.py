"""The conformance kit: runs cases with one or several SDKs, several at a time, each with servers of its own."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.conformance.bot_under_test import CannotStart
from referee.conformance.case import FEATURES, Case
from referee.conformance.lines_performance import LinesPerformance
from referee.conformance.outcome import CaseOutcome, CaseVerdict, Mismatch
from referee.conformance.performance import Performance
from referee.rules.game import WrongUse

STDERR_KEPT = 4000


@dataclass(frozen=True, slots=True)
class Sdk:
    """An SDK under test: how its conformbot is started, and what is known of it."""

    name: str
    command: tuple[str, ...]
    lacks: frozenset[str] = frozenset()
    known_failures: frozenset[str] = frozenset()


@dataclass(slots=True)
class Run:
    """What the kit is asked to do."""

    cases: Sequence[Case]
    sdks: Sequence[Sdk]
    lines: bool = False
    jobs: int = 1
    patience: float = 20.0
    """Seconds without what is expected after which a bot counts as hung."""
    told: Callable[[Sdk, CaseOutcome], object] = field(default=lambda sdk, outcome: None)
    """Hears of every outcome as it is known."""


async def run(what: Run) -> dict[str, list[CaseOutcome]]:
    """All outcomes by the names of the SDKs, in the order of the cases; CannotStart if a command does not start."""
    free = asyncio.Semaphore(what.jobs)

    async def one(sdk: Sdk, case: Case) -> CaseOutcome:
        async with free:
            outcome = await try_case(sdk, case, lines=what.lines, patience=what.patience)
        what.told(sdk, outcome)
        return outcome

    work = {(sdk.name, case.name): asyncio.ensure_future(one(sdk, case)) for case in what.cases for sdk in what.sdks}
    try:
        await asyncio.gather(*work.values())
    finally:
        for task in work.values():
            task.cancel()
        await asyncio.gather(*work.values(), return_exceptions=True)
    return {sdk.name: [work[sdk.name, case.name].result() for case in what.cases] for sdk in what.sdks}


async def try_case(sdk: Sdk, case: Case, *, lines: bool = False, patience: float = 20.0) -> CaseOutcome:
    """One case with one SDK."""
    if lacking := sorted(case.needs & sdk.lacks):
        return CaseOutcome(case.name, CaseVerdict.LACKING, FEATURES[lacking[0]])
    case = case.without(sdk.lacks)
    began = time.monotonic()
    reason = stderr = ""
    with tempfile.TemporaryDirectory(prefix="conform-") as folder:
        player = (LinesPerformance if lines else Performance)(case, sdk.command, Path(folder), patience)
        try:
            await player.play()
        except Mismatch as error:
            reason = "\n".join([str(error), *_hint(case)])
        finally:
            await player.close()
            stderr = player.bot.stderr if player.bot is not None else ""
    known = case.name in sdk.known_failures
    if reason:
        verdict = CaseVerdict.KNOWN if known else CaseVerdict.FAILED
    else:
        verdict = CaseVerdict.MENDED if known else CaseVerdict.PASSED
        reason = "it is listed as a known failure, and passes: take it off the list" if known else ""
    return CaseOutcome(case.name, verdict, reason, time.monotonic() - began, stderr[-STDERR_KEPT:] if reason else "")


def _hint(case: Case) -> list[str]:
    """What else a failure may mean: that the language cannot have what the case is about."""
    if not case.feature:
        return []
    return [f"needs: {FEATURES[case.feature]}; an SDK that cannot have this declares it with --lacks {case.feature}"]


def read_known_failures(file: Path, names: Collection[str]) -> frozenset[str]:
    """Names of cases, one per line; what follows a # is a remark."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise WrongUse(f"--known-failures: cannot read {file}: {error.strerror}") from None
    known = {name for line in lines if (name := line.partition("#")[0].strip())}
    if strangers := sorted(known - set(names)):
        raise WrongUse(f"--known-failures: {file} names {strangers[0]!r}, and there is no such case")
    return frozenset(known)


__all__ = ["CannotStart", "Run", "Sdk", "read_known_failures", "run", "try_case"]
