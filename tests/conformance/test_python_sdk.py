"""The Python SDK, and the bots that speak JSON lines, do what the conformance kit asks."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from referee.conformance import case as cases
from referee.conformance.kit import Sdk, try_case
from referee.conformance.outcome import CaseVerdict

SDKS = Path(__file__).resolve().parents[2] / "sdk"
PYTHON = Sdk("python", (sys.executable, str(SDKS / "python" / "conformbot.py")))
LINES = Sdk("lines", (sys.executable, str(SDKS / "conformance" / "lines_bot.py")))
AWK = Sdk("awk", ("awk", "-W", "interactive", "-f", str(SDKS / "conformance" / "lines_bot.awk")))
ALL = [case for case in cases.load() if not case.slow]
OVER_LINES = [case for case in ALL if case.lines]
PATIENCE = 60.0


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
async def test_python(case: cases.Case) -> None:
    outcome = await try_case(PYTHON, case, patience=PATIENCE)
    assert outcome.verdict is CaseVerdict.PASSED, f"{outcome.reason}\n{outcome.stderr}"


@pytest.mark.parametrize("case", OVER_LINES, ids=lambda case: case.name)
async def test_lines(case: cases.Case) -> None:
    outcome = await try_case(LINES, case, lines=True, patience=PATIENCE)
    assert outcome.verdict is CaseVerdict.PASSED, f"{outcome.reason}\n{outcome.stderr}"


@pytest.mark.skipif(shutil.which("mawk") is None, reason="-W interactive is mawk's own")
@pytest.mark.parametrize("case", OVER_LINES, ids=lambda case: case.name)
async def test_awk(case: cases.Case) -> None:
    outcome = await try_case(AWK, case, lines=True, patience=PATIENCE)
    assert outcome.verdict is CaseVerdict.PASSED, f"{outcome.reason}\n{outcome.stderr}"


@pytest.mark.soak
@pytest.mark.parametrize("case", [case for case in cases.load() if case.slow], ids=lambda case: case.name)
async def test_python_slowly(case: cases.Case) -> None:
    outcome = await try_case(PYTHON, case, patience=PATIENCE)
    assert outcome.verdict is CaseVerdict.PASSED, f"{outcome.reason}\n{outcome.stderr}"
