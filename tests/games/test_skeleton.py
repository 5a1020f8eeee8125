"""Every built-in game is laid out alike: the same files, the same roles, the same names inside."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import referee.games
from referee.rules import registry
from referee.rules.boards import generic
from referee.rules.game import Game, State
from referee.rules.laws.boards import drawing_flaw, picture_flaw

PACKAGES = Path(referee.games.__file__).parent
BUILT_IN = sorted(
    entry.name for entry in entry_points(group=registry.GROUP) if entry.value.startswith("referee.games.")
)
FIRST_LINES = {
    "game": "{title} as a game of the engine: ",
    "state": "One match of {title} in progress: ",
    "moves": "The moves of {title} and their notation: ",
    "check": "The check of a move of {title}: ",
    "events": "The events of {title}: ",
    "view": "The view of a match of {title}: ",
    "telling": "The words of {title}: ",
    "drawing": "The drawing of a view of {title}: ",
    "picture": "The picture of a view of {title}: ",
    "imagine": "A match of {title} imagined from a view: ",
}
"""How the docstring of each file of the skeleton begins."""
CONTENTS = {
    "game": ["GAME"],
    "moves": ["Move"],
    "check": ["check", "fallback"],
    "events": ["wire"],
    "view": ["view_of"],
    "telling": ["told"],
    "drawing": ["draw"],
    "picture": ["paint"],
    "imagine": ["imagine"],
}

each_game = pytest.mark.parametrize("name", BUILT_IN)


def part(game: str, role: str) -> ModuleType:
    return import_module(f"referee.games.{game}.{role}")


def test_every_package_of_games_is_a_built_in_game() -> None:
    assert sorted(path.parent.name for path in PACKAGES.glob("*/__init__.py")) == BUILT_IN


@each_game
def test_a_game_has_every_file_of_the_skeleton_and_a_test_for_it(name: str) -> None:
    files = [*(f"{role}.py" for role in FIRST_LINES), "RULES.md"]
    assert [file for file in files if not (PACKAGES / name / file).is_file()] == []
    tests = Path(__file__).parent / name
    assert [role for role in FIRST_LINES if not (tests / f"test_{role}.py").is_file()] == []


@each_game
@pytest.mark.parametrize("role", FIRST_LINES)
def test_a_file_says_its_role_in_the_same_words_in_every_game(name: str, role: str) -> None:
    assert (part(name, role).__doc__ or "").startswith(FIRST_LINES[role].format(title=registry.find(name).title))


@each_game
@pytest.mark.parametrize("role", CONTENTS)
def test_a_role_has_the_same_names_in_every_game_where_it_is_defined(name: str, role: str) -> None:
    source = Path(part(name, role).__file__ or "").read_text(encoding="utf-8")
    defined = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Assign):
            defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    assert [wanted for wanted in CONTENTS[role] if wanted not in defined] == []


@each_game
def test_a_package_offers_its_game_and_nothing_else(name: str) -> None:
    package = import_module(f"referee.games.{name}")
    assert package.__all__ == ["GAME"]
    assert package.GAME is part(name, "game").GAME
    assert isinstance(package.GAME, Game)
    assert (package.__doc__ or "").startswith(f"{package.GAME.title}: ")


@each_game
def test_the_verbs_of_a_state_are_those_of_the_files_beside_it(name: str) -> None:
    state: Any = registry.find(name).start(3, seed=b"skeleton")
    assert isinstance(state, State)
    assert type(state).__module__ == f"referee.games.{name}.state"
    assert type(state).check is part(name, "check").check
    assert type(state).fallback is part(name, "check").fallback
    assert type(state).view is part(name, "view").view_of


@each_game
def test_a_game_has_a_board_of_its_own_and_its_own_words(name: str) -> None:
    game = registry.find(name)
    view = game.start(3, seed=b"skeleton").view(0)
    assert game.drawing(view) != generic.drawing(game.title, view, 80)
    assert game.drawing(view) == part(name, "drawing").draw(view, 80)
    assert game.picture(view) == part(name, "picture").paint(view)
    assert game.told(view) == part(name, "telling").told(view)


@each_game
def test_a_view_that_is_not_the_games_own_message_is_drawn_as_a_table(name: str) -> None:
    game = registry.find(name)
    view = {"seat": 0, "scores": [1, 2, 3], "events": [{"kind": "moved", "seat": 1}]}
    assert game.drawing(view) == generic.drawing(game.title, view, 80)
    assert game.picture(view) == generic.picture(game.name, game.title, view)
    assert game.told(view) == ["seat 1: moved"]


@each_game
def test_a_view_with_nothing_in_it_is_drawn_all_the_same(name: str) -> None:
    game = registry.find(name)
    empty = type(game.start(3, seed=b"skeleton").view(None))()
    assert drawing_flaw(game, empty, 40) is None
    assert picture_flaw(game, empty) is None


@each_game
def test_moves_are_read_and_printed_by_the_notation(name: str) -> None:
    state: Any = registry.find(name).start(3, seed=b"skeleton")
    notation = state.sheet.notation if name == "encore" else part(name, "moves")
    for move in state.legal(state.pending()[0]).moves[:20]:
        text = notation.format_move(move)
        assert state.format(move) == text
        assert notation.parse(text) == state.parse(text) == move
