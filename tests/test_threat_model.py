"""SECURITY.md: each line of the threat model names tests that pytest collects, or says that it is not held."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .simulation.mutants import MUTANTS

pytestmark = pytest.mark.xdist_group("threat model")  # one worker: what its tests share takes long to make

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## Threat model, line by line")[1].split("\n## ")[0]
LINES = dict(line.strip("| ").split(" | ", 1) for line in TABLE.splitlines() if line.startswith("| ") and " | " in line)
LINES.pop("attack")
NAMED = re.compile(r"`([a-z_0-9/]+\.py)::(test_\w+)`")
"""A test as a line names it: the file, and the function in it."""


@pytest.fixture(scope="module")
def collected() -> set[tuple[str, str]]:
    """The tests that pytest finds in the files that are named, those for `make soak` and those skipped here too."""
    files = sorted({str(TESTS / file) for file, _ in NAMED.findall(TABLE)})
    words = ["--collect-only", "-q", "-n0", "-p", "no:cacheprovider", "-m", "", *files]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=TESTS.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"^tests/([^:\s]+)::(\w+)", done.stdout, re.MULTILINE)
    return set(found)


def test_the_threat_model_is_read() -> None:
    assert len(LINES) > 40


@pytest.mark.parametrize("attack", LINES)
def test_a_line_names_the_tests_that_prove_it_or_says_not_held(attack: str, collected: set[tuple[str, str]]) -> None:
    proof = LINES[attack]
    named = NAMED.findall(proof)
    assert named or "not held" in proof
    for file, test in named:
        assert (file, test) in collected, f"pytest finds no tests/{file}::{test}"


def test_no_line_names_a_file_or_folder_without_its_test() -> None:
    words = [word for proof in LINES.values() for word in re.findall(r"`([^`]*)`", proof)]
    assert [word for word in words if re.search(r"\.py\b|/$|::", word) and not NAMED.fullmatch(f"`{word}`")] == []


def test_the_mutants_that_are_named_are_tried() -> None:
    named = re.findall(r"mutant `(\w+)`", TABLE)
    assert len(named) >= 3
    assert set(named) <= MUTANTS.keys()
