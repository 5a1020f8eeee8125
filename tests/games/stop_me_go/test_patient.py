"""The house bot `patient`: legal, the same every time, and better than chance."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import arena
import pytest
from referee.games.stop_me_go import GAME

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import Move
    from referee.rules.game import State

    from tests.games.stop_me_go.conftest import NewMatch

FOLDER = Path(__file__).parents[3] / "bots" / "patient"
Bot = Callable[[arena.Decision], str]


@pytest.fixture(scope="module")
def patient() -> Bot:
    spec = importlib.util.spec_from_file_location("bots_patient", FOLDER / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    bot: Bot = module.decide
    return bot


def ask(bot: Bot, state: State[Move], seat: int) -> Move:
    """The bot's answer, read as a referee would; an illegal one fails the test."""
    info = arena.Match("m", "stop_me_go", seat, ("a",) * state.players)
    move = state.parse(bot(arena.Decision(info, 0, list(state.legal(seat).moves), state.view(seat))))
    assert state.check(seat, move) is None
    return move


def test_it_waits_for_a_big_gangster(patient: Bot, new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[[5, 7, 6, 9]])
    for cards in ("gg", "gg", "gg"):
        assert ask(patient, match.state, 0) == "go"
        match.put(cards)
    assert match.state.table[-1] == 9
    assert ask(patient, match.state, 0) == "stop"


def test_it_is_content_with_less_when_the_line_is_full(patient: Bot, new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[[6, 2, 3, 7]])
    assert ask(patient, match.state, 0) == "go"
    match.put("gg", "gg", "gg")
    assert ask(patient, match.state, 0) == "stop"


def test_it_wants_the_one_only_beside_the_ten(patient: Bot, new_match: NewMatch) -> None:
    match = new_match(2, gangsters=[[1, 10, 2, 3]])
    assert ask(patient, match.state, 0) == "go"
    match = new_match(2, gangsters=[[10, 1, 2, 3]])
    match.put("gg")
    assert ask(patient, match.state, 0) == "stop"


def test_a_table_of_its_twins_does_not_clash_for_ever(patient: Bot) -> None:
    for seed in range(5):
        state = GAME.start(4, seed=b"%d" % seed)
        decisions = 0
        while asked := state.pending():
            state.play({seat: ask(patient, state, seat) for seat in asked})
            decisions += 1
        assert decisions < 150
        result = state.result()
        assert result is not None
        assert sum(result.scores) > 0


def test_it_beats_players_who_choose_by_chance(patient: Bot) -> None:
    dice = Random(1)
    firsts = 0
    for number in range(60):
        state = GAME.start(2, seed=b"%d" % number)
        own = number % 2
        while state.pending():
            by_chance = dice.choice(state.legal(1 - own).moves)
            state.play({own: ask(patient, state, own), 1 - own: by_chance})
        result = state.result()
        assert result is not None
        firsts += result.ranks[own] == 1
    assert firsts > 40


def test_its_description_names_its_game() -> None:
    described = tomllib.loads((FOLDER / "bot.toml").read_text(encoding="utf-8"))
    assert (described["name"], described["games"], described["main"]) == ("patient", ["stop_me_go"], "bot.py")
