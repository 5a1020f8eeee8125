"""A game that fails at the start or in the midst of a match: nobody's fault, and the match is over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from referee.match.clock import TimeControl
from referee.match.result import Termination
from referee.rules import registry, views
from referee.rules.game import Seat

from .conftest import Room, Scripted


def room_whose_game_fails(monkeypatch: pytest.MonkeyPatch, verb: str) -> Room:
    game = registry.find("stop_me_go")
    room = Room(game, [Scripted("a"), Scripted("b")], TimeControl())

    def fail(*arguments: Any) -> Any:
        raise RuntimeError("a card is missing")

    monkeypatch.setattr(type(room.match.table.state), verb, fail)
    return room


@pytest.mark.parametrize("verb", ["parse", "check", "play", "format"])
def test_a_game_that_raises_makes_the_match_void(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    room = room_whose_game_fails(monkeypatch, verb)
    room.answer(0, "go")
    if room.match.ending is None:
        room.answer(1, "go")
    ending = room.match.ending
    assert ending is not None
    assert ending.void
    assert set(ending.terminations) == {Termination.VOID}
    assert str(room.match.failure) == "a card is missing"
    assert "card" not in ending.texts[0]
    assert room.players[0].endings == [ending]


@pytest.mark.parametrize("verb", ["fallback", "view", "legal", "pending", "result"])
def test_a_game_that_raises_while_the_referee_plays_on_makes_the_match_void(
    monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    room = room_whose_game_fails(monkeypatch, verb)
    for seat in (0, 1):
        room.match.resign(seat)
    if verb in ("view", "legal"):  # nobody is asked any more, so these are not needed
        assert room.match.ending is not None
        assert not room.match.ending.void
    else:
        assert room.match.ending is not None
        assert room.match.ending.void


def test_a_game_that_cannot_even_count_is_void_with_zeros(monkeypatch: pytest.MonkeyPatch) -> None:
    room = room_whose_game_fails(monkeypatch, "scores")
    room.match.break_off("enough")
    assert room.match.ending is not None
    assert room.match.ending.scores == (0, 0)


def test_a_failure_after_a_sealed_move_leaves_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(registry.find("stop_me_go"), [Scripted("a"), Scripted("b")], TimeControl())
    room.answer(0, "go")

    def fail(state: Any, moves: Mapping[Seat, Any]) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(room.match.table.state), "play", fail)
    room.answer(1, "go")
    assert room.asked == ()
    assert room.match.deadline is None


@pytest.mark.parametrize("verb", ["new", "view"])
def test_a_game_that_raises_at_the_start_makes_the_match_void(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("a card is missing")

    game = registry.find("stop_me_go")
    failing = type(game) if verb == "new" else type(game.start(2))
    monkeypatch.setattr(failing, verb, fail)
    monkeypatch.setattr(views, "_WIRES", {})
    room = Room(game, [Scripted("a"), Scripted("b")], TimeControl())
    ending = room.match.ending
    assert ending is not None
    assert ending.void
    assert "card" not in ending.texts[0]
    assert str(room.match.failure) == "a card is missing"
    assert [player.endings for player in room.players] == [[ending], [ending]]
    assert room.match.final_view(0) == b""
    assert room.match.moves == []
    assert json.loads(room.match.record())["reason"] == "void"
    room.say(0, "go", number=1)
    assert room.players[0].rejections[-1].code == "late"


def test_what_a_game_refuses_to_start_is_told_in_its_words() -> None:
    room = Room(registry.find("stop_me_go"), [Scripted("a")], TimeControl())
    assert room.match.ending is not None
    assert room.match.ending.texts == ("stop_me_go is for 2 to 6 players, not 1",)
