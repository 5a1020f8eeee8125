"""Options are complete, checked, and refused with a sentence that helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from referee.rules.files import NO_FILES, AnyFile, Files
from referee.rules.game import Game, WrongUse
from referee.rules.options import Option, choice, resolve, whole
from tall_tales.game import TallTales

OPTIONS = {
    "rules": choice("printed", "faq", about="which rules"),
    "target": whole(200, 1, 500, about="points to reach"),
}


def test_what_is_not_given_is_the_default() -> None:
    assert resolve(OPTIONS, {"target": 7}) == {"rules": "printed", "target": 7}


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
        ({"target": 10**5000}, "whole number from 1 to 500, not a number too large"),
        ({"target": "z" * 10**6}, "from 1 to 500, not 'zzz"),
        ({"z" * 10**6: 1}, "unknown option 'zzz.*known options: rules, target"),
        ([1], "the options must be a table"),
        ("rules", "the options must be a table"),
    ],
)
def test_what_will_not_do_is_refused_with_what_would(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        resolve(OPTIONS, given)
    assert len(str(refused.value)) < 250


def test_a_value_nested_without_end_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="must be one of"):
        resolve(OPTIONS, {"rules": deep})
    naive = {"rules": Option("", "", lambda value, files: repr(value))}
    with pytest.raises(ValueError, match="option 'rules': it is nested too deeply"):
        resolve(naive, {"rules": deep})


def test_an_option_is_read_without_files_unless_the_caller_gives_some() -> None:
    asked: list[Files] = []
    watching = {"map": Option("", "", lambda value, files: asked.append(files))}
    resolve(watching, {"map": "x"})
    resolve(watching, {"map": "x"}, somewhere := AnyFile(Path()))
    assert asked == [NO_FILES, somewhere]


def test_a_game_says_which_game_refused() -> None:
    game: Game[int] = TallTales()
    with pytest.raises(WrongUse, match="tall_tales: option 'rounds'"):
        game.start(3, {"rounds": 9})
    with pytest.raises(WrongUse, match="tall_tales is for 2 to 5 players, not 6"):
        game.start(6)
