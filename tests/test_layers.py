"""Import directions: every contract of import-linter can fail, and the one about gRPC names every other room."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
PACKAGES = ("server/referee", "leaderboard/referee_leaderboard", "sdk/python/arena")
PLANTED = {
    "layers of the server point one way": ("referee/tournament/plan.py", "from referee.hosting import simulation"),
    "gRPC is for net, workers and commands": ("referee/conformance/kit.py", "import grpc"),
    "a competition needs no network": ("referee/hall/hall.py", "from referee.net import limits"),
    "SQL is for the store": ("referee/conformance/case.py", "import sqlalchemy"),
    "HTTP is for the page": ("referee/net/limits.py", "import starlette"),
    "dask is for workers": ("referee/hall/places.py", "import distributed"),
    "match knows no games, tournament or network": ("referee/match/clock.py", "import rich"),
    "rules and games are pure": ("referee/rules/log.py", "import random"),
    "games import rules and views, not each other": ("referee/games/flip7/cards.py", "from referee.games import stop"),
    "the store knows only tables": ("referee/store/owner.py", "import rich"),
    "the leaderboard renders a value and nothing else": ("referee_leaderboard/standings.py", "import sqlalchemy"),
    "the SDK is thin": ("arena/spelling.py", "import typer"),
}
"""For every contract a file and an import that it forbids."""


def test_every_contract_is_broken_by_an_import_that_it_forbids(tmp_path: Path) -> None:
    assert set(PLANTED) == {contract["name"] for contract in CONTRACTS}
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / Path(package).name, ignore=_all_but_sources)
    for file, line in PLANTED.values():
        with (tmp_path / file).open("a") as source:
            source.write(f"\n\ndef planted() -> None:\n    {line}\n")
    linted = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", ROOT / "pyproject.toml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 1, linted.stdout + linted.stderr
    said = {name: re.search(rf"^{re.escape(name)} (KEPT|BROKEN)", linted.stdout, re.MULTILINE) for name in PLANTED}
    assert {name: found and found[1] for name, found in said.items()} == dict.fromkeys(PLANTED, "BROKEN")


def test_only_net_workers_and_cli_may_import_grpc() -> None:
    [contract] = [contract for contract in CONTRACTS if contract["name"].startswith("gRPC")]
    inside = [path for path in (ROOT / "server/referee").iterdir() if not path.name.startswith("__")]
    rooms = {f"referee.{path.stem}" for path in inside if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert rooms - set(contract["source_modules"]) == {"referee.net", "referee.workers", "referee.cli"}
    assert "grpc" in contract["forbidden_modules"]


def _all_but_sources(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".py") and not Path(folder, name).is_dir()]
