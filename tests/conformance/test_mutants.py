"""The conformance kit can fail: SDKs with one mistake each, and the case that catches it.

The mistakes are in `mutants.toml`. A mutant is caught when the named case fails for the reason that is told there; the
same case passes with the SDK as it is (`test_python_sdk.py`).
"""

from __future__ import annotations

import shutil
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.conformance import case as cases
from referee.conformance.kit import Sdk, try_case
from referee.conformance.outcome import CaseVerdict

HERE = Path(__file__).resolve().parent
SDK = HERE.parents[1] / "sdk" / "python"
PATIENCE = (2.5, 10.0, 60.0)
"""A mutant that says nothing is waited for so long; to start, every bot has three times as long.

On a busy machine a bot may take longer over something else than its mistake: then it gets more time.
"""


class Mutant(NamedTuple):
    mistake: str
    case: str
    reason: str
    file: str
    right: str
    wrong: str


MUTANTS = [Mutant(**table) for table in tomllib.loads(HERE.joinpath("mutants.toml").read_text("utf-8"))["mutant"]]


def mutated(mutant: Mutant, folder: Path) -> Sdk:
    """The SDK with the mistake, in a folder of its own."""
    copy = folder / "sdk"
    shutil.copytree(SDK, copy, ignore=shutil.ignore_patterns("*.pyc.*"))  # all but what is being compiled just now
    file = copy / "arena" / mutant.file
    text = file.read_text("utf-8")
    assert text.count(mutant.right) == 1, "the SDK has changed: say anew where this mistake is made"
    file.write_text(text.replace(mutant.right, mutant.wrong), "utf-8")
    return Sdk("mutant", (sys.executable, str(copy / "conformbot.py")))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.mistake.replace(" ", "_"))
async def test_a_mutant_is_caught(mutant: Mutant, tmp_path: Path) -> None:
    sdk = mutated(mutant, tmp_path)
    (case,) = [case for case in cases.load() if case.name == mutant.case]
    for patience in PATIENCE:
        outcome = await try_case(sdk, case, patience=patience)
        if mutant.reason in outcome.reason:
            break
    assert outcome.verdict is CaseVerdict.FAILED
    assert mutant.reason in outcome.reason
