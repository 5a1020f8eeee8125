"""How moves are written."""

from __future__ import annotations

import pytest

from referee.games.stop_me_go import GAME
from referee.rules.game import Unreadable


@pytest.mark.parametrize(("text", "move"), [("go", "go"), ("stop", "stop"), ("  go", "go"), ("stop   ", "stop")])
def test_a_card_is_read_with_spaces_around_it(text: str, move: str) -> None:
    state = GAME.start(2)
    assert state.parse(text) == move
    assert state.format(state.parse(text)) == move


@pytest.mark.parametrize("text", ["", " ", "GO", "Stop", "go stop", "go go", "s top", "pass", "0", "go,", "stop:"])
def test_anything_else_is_unreadable_and_the_words_are_named(text: str) -> None:
    with pytest.raises(Unreadable, match="go or stop"):
        GAME.start(2).parse(text)
