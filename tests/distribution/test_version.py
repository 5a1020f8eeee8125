"""The version has one source per distribution, and everything that tells it tells the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import arena
import referee

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = {"referee-arena": ROOT / "pyproject.toml", "referee-sdk": ROOT / "sdk" / "python" / "pyproject.toml"}


def test_both_distributions_have_the_version_of_their_package() -> None:
    hint = "the environment is older than the sources: run 'make setup'"
    assert version("referee-arena") == referee.__version__, hint
    assert version("referee-sdk") == arena.__version__, hint


def test_server_and_sdk_are_released_together() -> None:
    assert arena.__version__ == referee.__version__


def test_the_server_accepts_the_sdk_of_its_own_version() -> None:
    (wanted,) = [one for one in map(Requirement, requires("referee-arena") or ()) if one.name == "referee-sdk"]
    assert arena.__version__ in wanted.specifier


@pytest.mark.parametrize("name", PROJECTS)
def test_no_other_place_names_the_version(name: str) -> None:
    project = tomllib.loads(PROJECTS[name].read_text())["project"]
    assert project["name"] == name
    assert "version" not in project
    assert project["dynamic"] == ["version"]


def test_the_changelog_speaks_of_this_version_or_of_what_comes_next() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert headings[1:2] in ([], [referee.__version__])


def test_the_command_tells_the_version_and_loads_nothing_heavy() -> None:
    heavy = ["asyncio", "google.protobuf", "grpc", "importlib.metadata", "rich", "sqlalchemy", "sqlmodel", "typer"]
    code = (
        "import json, sys; from referee.cli.main import main; code = main(['--version']); "
        f"print(json.dumps([code, [name for name in {heavy!r} if name in sys.modules]]))"
    )
    # Without the site module nothing but the command decides what is loaded; the path is given by hand.
    path = [str(ROOT / place) for place in ("server", "leaderboard", "sdk/python")]
    path += [entry for entry in sys.path if entry.endswith("site-packages")]
    words = [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {path!r}; {code}"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    told, loaded = done.stdout.splitlines()
    assert told == f"referee {referee.__version__}"
    assert json.loads(loaded) == [0, []]
