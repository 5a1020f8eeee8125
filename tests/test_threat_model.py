"""SECURITY.md: each line of the threat model names tests that there are, or says that it is not held."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .simulation.mutants import MUTANTS

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "SECURITY.md").read_text(encoding="utf-8")
TABLE = PAGE.split("## Threat model, line by line")[1].split("\n## ")[0]
LINES = dict(line.strip("| ").split(" | ", 1) for line in TABLE.splitlines() if line.startswith("| ") and " | " in line)
LINES.pop("attack")


def test_the_threat_model_is_read() -> None:
    assert len(LINES) > 40


@pytest.mark.parametrize("attack", LINES)
def test_a_line_names_the_tests_that_prove_it_or_says_not_held(attack: str) -> None:
    proof = LINES[attack]
    tests = re.findall(r"`([a-z_0-9/]+(?:\.py|/))`", proof)
    assert tests or "not held" in proof
    for name in tests:
        place = TESTS / name
        assert place.exists(), f"there is no tests/{name}"
        files = sorted(place.glob("test_*.py")) if place.is_dir() else [place]
        assert any("def test_" in file.read_text(encoding="utf-8") for file in files), f"tests/{name} holds no tests"


def test_the_mutants_that_are_named_are_tried() -> None:
    named = re.findall(r"mutant `(\w+)`", TABLE)
    assert len(named) >= 3
    assert set(named) <= MUTANTS.keys()
