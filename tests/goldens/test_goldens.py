"""Every game that comes with Referee has goldens and scenarios, and its recorded matches replay to the same bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from referee.games.stop_me_go.game import StopMeGo
from referee.rules import golden, registry
from referee.rules.chance import Chance, Seeded
from referee.rules.golden import Golden, fault
from referee.rules.record import Record, replayed

HERE = Path(__file__).parent
SCENARIOS = HERE.parent / "scenarios"
OURS = sorted({entry.name for entry in entry_points(group=registry.GROUP) if entry.value.startswith("referee.games.")})
GOLDENS = [(name, one) for name in OURS for one in golden.load(HERE / name)]


def test_these_are_the_games_that_need_goldens() -> None:
    assert len(OURS) >= 4


@pytest.mark.parametrize("name", OURS)
def test_every_game_has_goldens_with_the_fewest_and_the_most_players_and_no_shows(name: str) -> None:
    seats = registry.find(name).seats
    made = {one.name for one in golden.load(HERE / name)}
    wanted = {f"{seats.least}_players", f"{seats.most}_players", "only_fallbacks"}
    assert wanted <= made, f"{name} lacks goldens: python tests/goldens/make.py {name}"


@pytest.mark.parametrize("name", OURS)
def test_every_game_has_at_least_fifteen_scenarios(name: str) -> None:
    count = len(list((SCENARIOS / name).glob("*.toml")))
    assert count >= 15, f"{name} has {count} scenarios in tests/scenarios/{name}"


@pytest.mark.parametrize(("name", "one"), GOLDENS, ids=[f"{name}-{one.name}" for name, one in GOLDENS])
def test_a_golden_replays_to_the_same_record_and_the_same_views(name: str, one: Golden) -> None:
    game = registry.find(name)
    problem = fault(game, one)
    assert problem is None, problem
    assert replayed(game, Record.from_bytes(one.record)).to_bytes() == one.record


def test_goldens_belong_to_a_game() -> None:
    folders = {path.name for path in HERE.iterdir() if path.is_dir() and any(path.glob("*.record"))}
    assert folders <= set(OURS)


class Newer(StopMeGo):
    version = StopMeGo.version + 1


class Older(StopMeGo):
    version = StopMeGo.version - 1


class OtherDeck(StopMeGo):
    """The same version, other rules: the gangsters come in another order."""

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> Any:
        return super().new(players, options, Seeded(b"another"))


@pytest.fixture(scope="module")
def some() -> Golden:
    return golden.load(HERE / "stop_me_go")[0]


def test_rules_that_change_without_a_new_version_are_found(some: Golden) -> None:
    assert "the rules changed without a new version" in str(fault(OtherDeck(), some))


def test_a_new_version_wants_new_goldens(some: Golden) -> None:
    assert "make new goldens" in str(fault(Newer(), some))


def test_a_version_never_goes_back(some: Golden) -> None:
    assert "never goes back" in str(fault(Older(), some))


def test_a_view_that_changes_is_named_by_its_decision(some: Golden) -> None:
    touched = Golden(some.name, some.record, (*some.views[:5], "0" * 16, *some.views[6:]))
    assert "decision 5 shows something else" in str(fault(StopMeGo(), touched))


def test_a_result_that_changes_is_found(some: Golden) -> None:
    touched = Golden(some.name, some.record.replace(b'"reason":"', b'"reason":"not_'), some.views)
    assert "ends otherwise" in str(fault(StopMeGo(), touched))


def test_goldens_are_saved_and_loaded_alike(tmp_path: Path, some: Golden) -> None:
    golden.save(some, tmp_path / "stop_me_go")
    assert golden.load(tmp_path / "stop_me_go") == [some]


def test_making_them_again_changes_nothing() -> None:
    done = subprocess.run(
        [sys.executable, HERE / "make.py", "stop_me_go"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "are as they were" in done.stdout


def test_an_unknown_game_is_refused_by_the_script() -> None:
    done = subprocess.run([sys.executable, HERE / "make.py", "chess"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr[:20]) == (2, "error: unknown game ")
