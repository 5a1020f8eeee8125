"""The house bot `patient`: legal, the same every time, and better than chance."""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import arena
from referee.games.stop_me_go import GAME

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import NewMatch

    from referee.games.stop_me_go.moves import Move
    from referee.rules.game import State

FOLDER = Path(__file__).parents[3] / "bots" / "patient"
INFO = arena.Match("m", "stop_me_go", 0, ("a", "b"))
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
    move = state.parse(bot(arena.Decision(INFO, 0, list(state.legal(seat).moves), state.view(seat))))
    assert state.check(seat, move) is None
    return move


def boldness(bot: Bot, new_match: NewMatch, line: list[int]) -> float:
    """How often it stops the last gangster of a line, over all seats and many rounds."""
    stops = 0
    for seat in range(6):
        match = new_match(6, gangsters=[line])
        match.put(*["gggggg"] * (len(line) - 1))
        view = match.state.view(seat)
        for view.round in range(1, 41):  # another round is another throw of its die
            stops += bot(arena.Decision(INFO, 0, ["go", "stop"], view)) == "stop"
    return stops / 240


def test_the_bigger_the_gangster_the_bolder_it_is(patient: Bot, new_match: NewMatch) -> None:
    small, middle, big = (boldness(patient, new_match, [gangster]) for gangster in (2, 6, 10))
    assert small < 0.2
    assert small + 0.15 < middle < big - 0.15
    assert big < 0.75


def test_it_is_bolder_when_the_line_is_full(patient: Bot, new_match: NewMatch) -> None:
    assert boldness(patient, new_match, [2, 3, 4, 6]) > boldness(patient, new_match, [2, 3, 6]) + 0.15


def test_it_wants_the_one_only_beside_the_ten(patient: Bot, new_match: NewMatch) -> None:
    assert boldness(patient, new_match, [9, 1]) < 0.15
    assert boldness(patient, new_match, [10, 1]) > 0.55


def firsts(bot: Bot, seating: str, matches: int) -> float:
    """How often an agent marked `p` is first against agents who choose by chance."""
    dice = Random(1)
    first = played = 0
    for number in range(matches):
        state = GAME.start(len(seating), seed=b"%d" % number)
        turn = number % len(seating)
        seats = seating[turn:] + seating[:turn]
        while asked := state.pending():
            state.play(
                {
                    seat: ask(bot, state, seat) if seats[seat] == "p" else dice.choice(state.legal(seat).moves)
                    for seat in asked
                }
            )
        result = state.result()
        assert result is not None
        first += sum(rank == 1 for seat, rank in enumerate(result.ranks) if seats[seat] == "p")
        played += seats.count("p")
    return first / played


def test_it_beats_players_who_choose_by_chance(patient: Bot) -> None:
    assert firsts(patient, "p-", 100) > 0.55
    assert firsts(patient, "p---", 100) > 0.28


def test_a_second_one_at_the_table_does_not_ruin_it(patient: Bot) -> None:
    assert firsts(patient, "p-p-", 100) > 0.25


def test_its_description_names_its_game() -> None:
    described = tomllib.loads((FOLDER / "bot.toml").read_text(encoding="utf-8"))
    assert (described["name"], described["games"], described["main"]) == ("patient", ["stop_me_go"], "bot.py")
