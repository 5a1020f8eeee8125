"""A game without a board of its own gets a tidy table of its view."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest
from google.protobuf.struct_pb2 import Struct
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from arena.games.stop.v1 import stop_pb2
from matchsticks.game import Matchsticks
from referee.games.stop import GAME as STOP
from referee.rules.boards import generic
from referee.rules.game import Game
from referee.rules.laws.boards import NAMES, drawing_flaw, picture_flaw
from tall_tales.game import TallTales

from ...positions import after


@pytest.mark.parametrize("width", [40, 80])
@pytest.mark.parametrize("decisions", [0, 2, 999])
@pytest.mark.parametrize(("game", "players"), [(Matchsticks(), 2), (TallTales(), 3)], ids=["message", "dict"])
def test_third_parties_games_are_drawn_as_tables(
    game: Game[Any], players: int, decisions: int, width: int, snapshot: SnapshotAssertion
) -> None:
    view = after(game, players, decisions).view(1)
    assert "\n".join(game.drawing(view, width, names=["ann", "漢字 bot", "cy"])) == snapshot


@pytest.mark.parametrize(("game", "players"), [(Matchsticks(), 2), (TallTales(), 3)], ids=["message", "dict"])
def test_third_parties_games_are_pictured_as_tables(game: Game[Any], players: int, snapshot: SnapshotAssertion) -> None:
    assert game.picture(after(game, players, 2).view(None), names=["ann", "<bob>"]) == snapshot


def test_events_are_told_with_what_they_say_and_without_empty_fields() -> None:
    view = stop_pb2.View(
        events=[
            stop_pb2.Event(kind=stop_pb2.EVENT_KIND_RAISED, seat=0, owner=0, cards=[3, 1]),
            stop_pb2.Event(kind=stop_pb2.EVENT_KIND_ENDED),
        ]
    )
    assert generic.told(view, ["ann"]) == ["ann: raised (owner 0, cards 3 1)", "ended"]
    assert generic.told({"events": [{"kind": "took_two", "seat": 1}, "odd"]}) == ["seat 1: took two", "odd"]


def test_equal_dicts_look_alike_whatever_their_order() -> None:
    one, other = {"b": 1, "a": [1, 2]}, {"a": (1, 2), "b": 1}
    assert generic.drawing("Game", one, 80) == generic.drawing("Game", other, 80)
    assert generic.picture("game", "Game", one) == generic.picture("game", "Game", other)


def test_a_very_large_view_is_cut_and_says_so() -> None:
    drawn = generic.drawing("Game", {"cards": list(range(100_000)), "text": "x" * 100_000}, 80)
    assert any("100000 in all" in line for line in drawn)
    assert len(drawn) < 100
    assert len(generic.picture("game", "Game", {str(number): number for number in range(10_000)})) < 100_000


def test_a_view_that_holds_itself_is_drawn() -> None:
    view: dict[str, Any] = {"scores": [1, 2]}
    view["again"] = view
    assert generic.drawing("Game", view, 80)
    ElementTree.fromstring(generic.picture("game", "Game", view))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.integers(), inner, max_size=4),
    max_leaves=12,
)
WORDS = st.sampled_from(["seat", "asked", "events", "scores", "ranks", "reason", "own", "kind"])


class Anything(TallTales):
    name = "anything"


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(WORDS | st.text(max_size=5), VALUES, max_size=6), st.integers(1, 90))
def test_nothing_that_a_third_party_shows_breaks_the_table(view: dict[str, Any], width: int) -> None:
    assert drawing_flaw(Anything(), view, width, NAMES) is None
    assert picture_flaw(Anything(), view, NAMES) is None


@pytest.mark.parametrize("view", [[1, 2], "text", None, 7, object(), Struct(), {"seat": "x", "events": "none"}])
def test_what_is_no_view_is_drawn_too(view: Any) -> None:
    assert drawing_flaw(Anything(), view, 40) is None
    assert picture_flaw(Anything(), view) is None


def test_a_built_in_view_makes_a_table_as_well() -> None:
    view = after(STOP, 3, 5).view(0)
    drawn = generic.drawing(STOP.title, view, 80)
    assert any(line.startswith("hand sizes") for line in drawn)
