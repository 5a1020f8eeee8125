"""A game by somebody else, installed beside Referee, is a game like any other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from offline_install import install


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("site"))


def python(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=120, cwd=site, check=False
    )


def referee(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return python(site, "-c", "import sys; from referee.cli.main import main; sys.exit(main())", *words)


def test_an_installed_game_is_listed(site: Path) -> None:
    done = referee(site, "games", "--json")
    listed = {game["name"]: game for game in json.loads(done.stdout)["games"]}
    assert listed["tall_tales"]["players"] == {"least": 2, "most": 5}


def test_without_the_installation_it_is_unknown() -> None:
    done = referee(Path("/"), "rules", "tall_tales")
    assert done.returncode == 2
    assert "unknown game 'tall_tales'" in done.stderr


def test_its_rules_are_shown(site: Path) -> None:
    done = referee(site, "rules", "tall_tales", "--raw")
    assert done.returncode == 0
    assert done.stdout.startswith("# Tall Tales")


def test_it_keeps_every_law(site: Path) -> None:
    code = "from referee.rules import registry, laws; laws.check_game(registry.find('tall_tales')); print('kept')"
    done = python(site, "-c", code)
    assert done.stdout == "kept\n", done.stderr


def test_it_can_be_simulated_with_its_options(site: Path) -> None:
    done = referee(site, "simulate", "tall_tales", "-p", "4", "-m", "50", "-o", "rounds=2", "--json")
    value = json.loads(done.stdout)
    assert (value["game"], value["matches"], value["decisions"]) == ("tall_tales", 50, 50 * 4 * 2)


def test_its_scenarios_run(site: Path, tmp_path: Path) -> None:
    file = tmp_path / "lie.toml"
    file.write_text(
        'game = "tall_tales"\nplayers = 2\noptions.rounds = 1\nchance.deck = [2, 5]\n'
        'script = """\n0: claim 4\n1: doubt\nover = yes\nscores = -2 1\nranks = 2 1\n"""\n'
    )
    done = referee(site, "scenario", str(file))
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_module_that_cannot_be_loaded_is_named_and_the_others_still_listed(tmp_path: Path) -> None:
    site = install(tmp_path / "site")
    (site / "tall_tales" / "__init__.py").write_text("raise RuntimeError('half written')\n")
    done = referee(site, "games", "--json")
    assert done.returncode == 3
    assert "tall_tales" in done.stderr
    assert "half written" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(json.loads(done.stdout)["games"]) >= 4
