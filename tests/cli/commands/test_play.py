"""`referee play`: a person in a terminal, who types numbers, moves and mistakes."""

from __future__ import annotations

import io
from typing import Any

import pytest

from referee.rules import registry


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Any:
    def set_up(text: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return set_up


@pytest.mark.parametrize("game", registry.names())
def test_a_whole_match_of_every_game(referee: Any, typing: Any, game: str) -> None:
    typing("1\n" * 2000)
    done = referee("play", game, "--seed", "one", "--seat", "0")
    assert done.code == 0
    assert done.out.rstrip().rpartition("\n")[2].startswith("you ")
    assert done.err == ""


def test_the_same_seed_and_answers_give_the_same_match(referee: Any, typing: Any) -> None:
    told = []
    for _ in range(2):
        typing("1\n" * 2000)
        told.append(referee("play", "stop_me_go", "--against", "patient", "--seed", "x", "--seat", "1").out)
    assert told[0] == told[1]


def test_help_advice_and_mistakes_change_nothing(referee: Any, typing: Any) -> None:
    typing("\n?\n99\nfly\nl\nhit\nr\n")
    done = referee("play", "flip7", "--against", "cautious,random", "--seed", "x", "--seat", "0")
    assert done.code == 0
    assert "a number or a move; ? asks a house bot" in done.out
    assert "odds would play" in done.out
    assert "there are the moves 1 to 2" in done.out
    assert "cannot read 'fly'" in done.out
    assert done.out.rstrip().endswith("you resigned")


@pytest.mark.parametrize("typed", ["q\n", ""])
def test_leaving_ends_it(referee: Any, typing: Any, typed: str) -> None:
    typing(typed)
    assert referee("play", "flip7").code == 130


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("chess", "chess"),
        ("flip7 --against odds", "flip7 is for 3 to 36 players, not 2"),
        ("flip7 --against nothere", "unknown bot 'nothere'"),
        ("flip7 --against odd,odds", "did you mean 'odds'?"),
        ("flip7 --seat 3", "there is no seat 3: the match has the seats 0 to 2"),
        ("flip7 --against planner,odds", "does not play flip7"),
        ("flip7 --option x=1", "x"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(referee: Any, words: str, told: str) -> None:
    done = referee("play", *words.split())
    assert done.code == 2
    assert told in done.err
