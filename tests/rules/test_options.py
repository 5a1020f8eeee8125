"""Options are complete, checked, and refused with a sentence that helps."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules.game import Game, WrongUse
from referee.rules.options import choice, resolve, whole
from tall_tales.game import TallTales

OPTIONS = {
    "rules": choice("printed", "faq", about="which rules"),
    "target": whole(200, 1, 500, about="points to reach"),
}


def test_what_is_not_given_is_the_default() -> None:
    assert resolve(OPTIONS, {"target": 7}, None) == {"rules": "printed", "target": 7}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"targte": 1}, "unknown option 'targte'; did you mean 'target'"),
        ({"zzz": 1}, "known options: rules, target"),
        ({"rules": "other"}, "option 'rules': must be one of 'printed', 'faq', not 'other'"),
        ({"rules": ["faq"]}, "must be one of"),
        ({"target": 0}, "from 1 to 500, not 0"),
        ({"target": 501}, "from 1 to 500"),
        ({"target": True}, "whole number"),
        ({"target": 7.0}, "whole number"),
        ({"target": "7"}, "whole number"),
    ],
)
def test_what_will_not_do_is_refused_with_what_would(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        resolve(OPTIONS, given, None)


def test_a_game_says_which_game_refused() -> None:
    game: Game[int] = TallTales()
    with pytest.raises(WrongUse, match="tall_tales: option 'rounds'"):
        game.start(3, {"rounds": 9})
    with pytest.raises(WrongUse, match="tall_tales is for 2 to 5 players, not 6"):
        game.start(6)
