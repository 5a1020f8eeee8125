"""The walks through the program in `server/README.md` lead through files and names that exist, and never in circles."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from .walks import IN, OUT, SERVER, WALKS, Step, steps_in

STEPS = steps_in(WALKS)


def names_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)}


def test_there_are_three_walks_with_their_steps() -> None:
    assert len(STEPS) >= 33
    assert len(re.findall(r"^1\. ", WALKS, re.MULTILINE)) == 3


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.file)
def test_every_step_names_what_is_there(step: Step) -> None:
    path = SERVER / "referee" / step.file
    assert path.is_file()
    assert set(step.names) <= names_in(path)


@pytest.mark.parametrize("way", [IN, OUT], ids=["in", "out"])
def test_a_decision_over_the_network_comes_through_every_file_of_net_and_match_once(way: list[Step]) -> None:
    files = [step.file for step in way if step.file.startswith(("net/", "match/"))]
    assert len(files) >= 5
    assert len(files) == len(set(files))
