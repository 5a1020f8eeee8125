"""Places of a picture that can be clicked: in the picture, for legal moves only, whatever its size."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules import registry
from referee.rules.boards.spots import Spot, usable
from referee.rules.boards.svg import Canvas
from referee.rules.laws.boards import spots_flaw

from ...positions import after, named


def test_lengths_are_shares_of_the_picture() -> None:
    canvas = Canvas(200)
    canvas.spot(50, 20, 100, 10, "hit", "hit:\x1b a card")
    canvas.document("game", 40, "A game")
    assert canvas.spots() == [Spot(0.25, 0.5, 0.5, 0.25, "hit", "hit: a card")]


def test_only_what_helps_to_make_a_legal_move_can_be_clicked() -> None:
    spots = [Spot(0, 0, 1, 1, word, word) for word in ("hit", "target 1", "target 2", "H3", "H4")]
    assert [spot.word for spot in usable(spots, ["target 1", "pink 2 H3 H5"])] == ["target 1", "H3"]
    assert usable(spots, []) == []


@pytest.mark.parametrize("game", ["encore", "flip7", "stop", "stop_me_go"])
def test_every_position_has_sound_places_and_some_have_any(game: str) -> None:
    found = registry.find(game)
    some = 0
    for decisions in range(0, 30, 5):
        state = after(found, 3, decisions, seed=b"spots")
        for seat in state.pending()[:1]:
            legal = [state.format(move) for move in state.legal(seat).moves]
            assert spots_flaw(found, state.view(seat), legal, named(3)) is None
            some += bool(found.spots(state.view(seat), legal))
            assert found.spots(state.view(None), []) == []
    assert some


def test_on_a_sheet_the_boxes_and_dice_of_a_legal_move_can_all_be_clicked() -> None:
    encore = registry.find("encore")
    for decisions in (0, 10, 25):
        state = after(encore, 2, decisions)
        [seat, *_] = state.pending()
        legal = [state.format(move) for move in state.legal(seat).moves]
        words = {spot.word for spot in encore.spots(state.view(seat), legal)}
        for move in legal:
            assert move == "pass" or set(move.split()) <= words, move


def test_a_place_beside_the_picture_or_without_a_name_is_found() -> None:
    flip7: Any = registry.find("flip7")
    state = after(flip7, 3, 4)
    view = state.view(0)
    for spot, said in (
        (Spot(0.9, 0, 0.2, 1, "hit", "hit"), "not in the picture"),
        (Spot(0, 0, 0, 1, "hit", "hit"), "not in the picture"),
        (Spot(0, 0, 1, 1, "hit", " "), "no label"),
    ):

        class Odd(type(flip7)):  # type: ignore[misc]
            board = flip7.board._replace(spots=lambda view, names, spot=spot: [spot])

        assert said in (spots_flaw(Odd(), view, ["hit"]) or "")
