"""What is installed from the wheels is complete: games, their pages, house bots, migrations, templates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Both wheels, built and unpacked into an empty folder that comes first on the path."""
    wheels, target = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("installed")
    for project in (ROOT, ROOT / "sdk" / "python"):
        _run([UV, "build", "--quiet", "--wheel", "--no-build-isolation", "--offline", "-o", wheels, project])
    _run([UV, "pip", "install", "--quiet", "--offline", "--no-deps", "--target", target, *sorted(wheels.glob("*.whl"))])
    return os.environ | {"PYTHONPATH": str(target), "VIRTUAL_ENV": str(Path(sys.executable).parents[1])}


def test_an_installed_referee_has_the_house_bots_and_plays(installed: dict[str, str], tmp_path: Path) -> None:
    where = _run([sys.executable, "-c", "import referee; print(referee.__file__)"], installed, tmp_path)
    assert str(ROOT) not in where
    out = _run(
        [sys.executable, "-m", "referee", "simulate", "flip7", "-p", "3", "-m", "3", "--bots", "cautious,random"],
        installed,
        tmp_path,
    )
    assert "cautious" in out


def test_an_installed_referee_shows_rules_and_opens_a_database(installed: dict[str, str], tmp_path: Path) -> None:
    for game in ("flip7", "encore", "stop_me_go", "stop"):
        assert len(_run([sys.executable, "-m", "referee", "rules", game], installed, tmp_path)) > 1000
    assert "token" in _run([sys.executable, "-m", "referee", "bot", "add", "ada"], installed, tmp_path)


def _run(words: list[object], environment: dict[str, str] | None = None, folder: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in words], env=environment, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
