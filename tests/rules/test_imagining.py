"""`Game.imagine` takes a view in any form, and says in a sentence what is no view, or that a game has none."""

from __future__ import annotations

import pytest
from google.protobuf import json_format

from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import WrongUse
from referee.rules.imagining import imagines, read_dict
from tall_tales.game import TallTales


def test_a_game_without_imagine_says_so() -> None:
    game = TallTales()
    assert not imagines(game)
    with pytest.raises(WrongUse, match="tall_tales cannot imagine a match from a view: its author provides no"):
        game.imagine(game.start(2).view(0), Seeded(b""))


@pytest.mark.parametrize("name", ["encore", "flip7", "stop", "stop_me_go"])
def test_message_bytes_and_json_mean_the_same(name: str) -> None:
    game = registry.find(name)
    view = game.start(3, seed=b"forms").view(1)
    plain = json_format.MessageToDict(view, preserving_proto_field_name=True)  # type: ignore[arg-type]
    forms = [game.imagine(form, Seeded(b"same")) for form in (view, view.SerializeToString(), plain)]  # type: ignore[union-attr]
    assert len({(state.view_bytes(0), state.view_bytes(1)) for state in forms}) == 1


@pytest.mark.parametrize("name", ["encore", "flip7", "stop", "stop_me_go"])
@pytest.mark.parametrize("given", [b"\xff\xff", {"no_such_field": 1}, "view of another game", 7])
def test_what_is_no_view_is_refused_in_a_sentence(name: str, given: object) -> None:
    if given == "view of another game":
        given = registry.find("flip7" if name != "flip7" else "stop").start(3, seed=b"x").view(0)
    with pytest.raises(WrongUse, match=f"this is no view of a match of {name}"):
        registry.find(name).imagine(given, Seeded(b""))  # type: ignore[arg-type]


def test_a_dict_is_copied_so_that_a_match_does_not_play_with_the_lists_of_a_view() -> None:
    view = {"open": [[1], [2]]}
    read_dict(view)["open"][0].append(3)
    assert view == {"open": [[1], [2]]}
