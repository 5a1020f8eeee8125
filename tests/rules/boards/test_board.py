"""A game's own board is asked for its own views only; everything else is drawn as a table."""

from __future__ import annotations

from typing import Any

from referee.rules.boards import generic
from referee.rules.boards.board import Board
from tall_tales.game import TallTales


def draw(view: Any, width: int, names: Any, *, colour: bool, ascii: bool) -> list[str]:
    return [f"{view['round']} {width} {names} {colour} {ascii}"]


def paint(view: Any, names: Any) -> str:
    return f"picture {view['round']} {names}"


def has_round(view: Any) -> bool:
    return "round" in view


class Own(TallTales):
    board = Board(dict, draw, paint, complete=has_round)


class Wordy(TallTales):
    board = Board(dict, draw, paint, told=lambda view, names: ["in other words"])


def test_a_board_draws_and_paints_the_views_of_its_game() -> None:
    game = Own()
    assert game.drawing({"round": 3}, 40, names=["ann"], colour=True) == ["3 40 ['ann'] True False"]
    assert game.picture({"round": 3}, names=["ann"]) == "picture 3 ['ann']"


def test_what_it_cannot_draw_is_a_table() -> None:
    game = Own()
    for view in ({"other": 1}, [1, 2]):
        odd: Any = view
        assert game.drawing(odd) == generic.drawing(game.title, odd, 80)
        assert game.picture(odd) == generic.picture(game.name, game.title, odd)


def test_a_board_may_tell_what_happened_in_its_own_words() -> None:
    view = {"events": [{"kind": "moved", "seat": 0}]}
    assert Own().told(view) == ["seat 0: moved"]
    assert Wordy().told(view) == ["in other words"]
