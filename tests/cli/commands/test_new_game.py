"""`referee new-game` and `referee check-game`: from an empty folder to a game that is played."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.rules.laws import LAWS

pytestmark = pytest.mark.xdist_group("new game")  # one worker: what its tests share takes long to make

MAIN = "import sys; from referee.cli.main import main; sys.exit(main())"


def installed(project: Path, site: Path) -> Path:
    """The package as an installer would leave it, made from its own pyproject.toml without a network."""
    described = tomllib.loads((project / "pyproject.toml").read_text())
    name = described["project"]["name"]
    for package in described["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]:
        shutil.copytree(project / package, site / package)
    metadata = site / f"{name.replace('-', '_')}-{described['project']['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    entries = described["project"]["entry-points"]["referee.games"]
    lines = "".join(f"{game} = {value}\n" for game, value in entries.items())
    (metadata / "entry_points.txt").write_text(f"[referee.games]\n{lines}")
    return site


def run(site: Path, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(
        [sys.executable, *words], env=environment, capture_output=True, text=True, timeout=150, cwd=cwd, check=False
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("author")
    done = run(folder, "-c", MAIN, "new-game", "lucky_draw", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "pip install -e ./lucky_draw" in done.stdout
    return folder / "lucky_draw"


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(project, tmp_path_factory.mktemp("site"))


def test_the_skeleton_has_all_that_a_game_has(project: Path) -> None:
    files = {str(path.relative_to(project)) for path in project.rglob("*") if path.is_file()}
    assert {
        "pyproject.toml",
        "README.md",
        "lucky_draw/__init__.py",
        "lucky_draw/game.py",
        "lucky_draw/state.py",
        "lucky_draw/RULES.md",
        "tests/test_rules.py",
    } <= files
    assert [name for name in files if name.startswith("scenarios/")]
    assert not [path for path in project.rglob("*") if path.is_file() and re.search("@[a-zA-Z]+@", path.read_text())]


def test_it_is_listed_checked_and_played_at_once(project: Path, site: Path) -> None:
    listed = run(site, "-c", MAIN, "games", "--json", cwd=project)
    assert "lucky_draw" in [game["name"] for game in json.loads(listed.stdout)["games"]]
    checked = run(site, "-c", MAIN, "check-game", "lucky_draw", cwd=project)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.count("kept  ") == len(LAWS)
    played = run(site, "-c", MAIN, "run", "lucky_draw", "random", "random", "--rounds", "2", "--json", cwd=project)
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout)["game"] == "lucky_draw"


def test_its_tests_and_scenarios_hold(project: Path, site: Path) -> None:
    tested = run(site, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=project)
    assert tested.returncode == 0, tested.stdout
    held = run(site, "-c", MAIN, "scenario", "scenarios", cwd=project)
    assert (held.returncode, held.stdout) == (0, "2 of 2 scenarios hold\n")


def test_a_broken_law_is_told_with_what_was_seen_and_how_to_see_it_again(project: Path, tmp_path: Path) -> None:
    broken = tmp_path / "project"
    shutil.copytree(project, broken)
    state = broken / "lucky_draw" / "state.py"
    state.write_text(state.read_text().replace("self.secret if all(self.stopped) else []", "self.secret"))
    site = installed(broken, tmp_path / "site")
    done = run(site, "-c", MAIN, "check-game", "lucky_draw", cwd=tmp_path)
    assert done.returncode == 1
    law = "views_hide_what_a_seat_may_not_know"
    assert f"BROKEN  {law.replace('_', ' ')}\n" in done.stdout
    assert f"referee check-game lucky_draw --law {law} --players 2" in done.stdout
    assert "seed 0" in done.stdout
    assert done.stdout.count("kept  ") + done.stdout.count("BROKEN  ") == len(LAWS)
    again = run(site, "-c", MAIN, "check-game", "lucky_draw", "--law", law, "--players", "2", "--json", cwd=tmp_path)
    assert again.returncode == 1
    value = json.loads(again.stdout)
    assert (value["game"], value["ok"], len(value["laws"])) == ("lucky_draw", False, 1)
    [found] = value["laws"]
    assert (found["law"], found["kept"], found["players"], found["seed"]) == (law, False, 2, 0)
    assert "shows what it may not know" in found["seen"]


def test_the_worked_example_of_the_page_does_what_the_page_says(project: Path, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "server/referee/games/README.md").read_text(encoding="utf-8")
    mine = tmp_path / "lucky_draw"
    shutil.copytree(project, mine)
    [rule] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    [scenario] = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    state = mine / "lucky_draw" / "state.py"
    last = rule.splitlines()[-1].replace("bonus + ", "")
    assert state.read_text().count(last) == 1
    state.write_text(state.read_text().replace(last + "\n", rule))
    (mine / "scenarios" / "bonus.toml").write_text(scenario)
    site = installed(mine, tmp_path / "site")
    held = run(site, "-c", MAIN, "scenario", "lucky_draw/scenarios", cwd=tmp_path)
    assert held.stdout.strip() in page, held.stdout
    kept = run(site, "-c", MAIN, "check-game", "lucky_draw", cwd=tmp_path)
    assert kept.stdout.splitlines()[-1] in page
    module = site / "lucky_draw" / "state.py"
    module.write_text(module.read_text().replace("self.secret if all(self.stopped) else [],", "self.secret,"))
    law = ["--law", "views_hide_what_a_seat_may_not_know", "--players", "2"]
    broken = run(site, "-c", MAIN, "check-game", "lucky_draw", *law, cwd=tmp_path)
    assert broken.returncode == 1
    assert broken.stdout.partition("\n\n")[0] in page, broken.stdout


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Lucky-Draw", "is not a name for a game"),
        ("9lives", "is not a name for a game"),
        ("a__b", "is not a name for a game"),
        ("x" * 33, "at most 32"),
        ("flip7", "there is a game called 'flip7' already"),
        ("json", "a Python module called 'json' already"),
        ("referee", "a Python module called 'referee' already"),
        ("lambda", "a word of the language Python"),
        ("match", "a word of the language Python"),
    ],
)
def test_a_name_that_will_not_do_is_refused_with_a_sentence(
    referee: Any, tmp_path: Path, name: str, words: str
) -> None:
    done = referee("new-game", name, str(tmp_path / "made"))
    assert done.code == 2
    assert words in done.err
    assert not (tmp_path / "made").exists()


def test_nothing_is_overwritten(referee: Any, tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "mine.txt").write_text("mine")
    done = referee("new-game", "my_game", str(tmp_path / "made"))
    assert done.code == 2
    assert "is there already" in done.err
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["mine.txt"]


def test_a_game_that_is_not_installed_cannot_be_checked(referee: Any) -> None:
    done = referee("check-game", "lucky_draw_2")
    assert done.code == 2
    assert "unknown game 'lucky_draw_2'" in done.err
    assert "pip install -e DIR" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--law", "ranks_follow_score"], "did you mean 'ranks_follow_scores'?"),
        (["--players", "1"], "is for 2 to 6 players, not 1"),
        (["--option", "tokens=1"], "must be a list of ten"),
    ],
)
def test_wrong_use_of_check_game_is_told(referee: Any, words: list[str], said: str) -> None:
    done = referee("check-game", "stop_me_go", *words)
    assert done.code == 2
    assert said in done.err
