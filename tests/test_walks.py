"""The walks through the program in `server/README.md` lead through files and names that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "server"
PAGE = (ROOT / "README.md").read_text(encoding="utf-8")
WALKS = PAGE[PAGE.index("## Three walks") : PAGE.index("## What a stranger may send")]
STEPS = re.findall(r"`([a-z_/]+\.py)` ((?:`\w+`(?:, and )?)+)", WALKS)


def names_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)}


def test_there_are_three_walks_with_their_steps() -> None:
    assert len(STEPS) >= 29
    assert len(re.findall(r"^1\. ", WALKS, re.MULTILINE)) == 3


@pytest.mark.parametrize(("file", "named"), STEPS)
def test_every_step_names_what_is_there(file: str, named: str) -> None:
    path = ROOT / "referee" / file
    assert path.is_file()
    assert set(re.findall(r"\w+", named)) - {"and"} <= names_in(path)
