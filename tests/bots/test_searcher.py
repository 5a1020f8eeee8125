"""The house bot `searcher`: short, legal in every game, the same every time, and sure where rollouts leave no doubt."""

from __future__ import annotations

from typing import Any

import pytest
from tests.analysis.why.positions_by_hand import complete_the_column, raise_to_win, win_or_be_bust

from arena.decision import Decision, Match
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import State, seed_bytes
from referee.rules.playout import playout

from . import house

GAMES = ("encore", "flip7", "stop", "stop_me_go")


@pytest.fixture
def decide(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The bot with fewer deals: enough where there is no doubt."""
    bot = house.load("searcher")
    monkeypatch.setattr(bot, "LOOKS", (6,))
    return bot.decide


SIMPLE = {"encore": "tidy", "flip7": "cautious", "stop": "frugal", "stop_me_go": "patient"}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("name", "players", "first", "matches", "share"),
    [
        ("stop_me_go", 2, 0, 40, 0.6),
        ("encore", 2, 0, 10, 0.7),
        ("flip7", 3, 9000, 30, 1 / 3),
        ("stop", 3, 9000, 8, 1 / 3),
    ],
)
def test_it_beats_the_simple_bot_of_the_game(
    name: str, players: int, first: int, matches: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On these deals; `bots/README.md` has the intervals of more, which say that it is not by chance."""
    monkeypatch.setattr(inprocess, "BUDGET", 1e6)  # so that no clock decides: the same matches on every machine
    game = registry.find(name)
    options, bots = game.resolve_options(), {bot: house.load(bot).decide for bot in ("searcher", SIMPLE[name])}
    wins = 0.0
    for number in range(first, first + matches):
        own = number % players
        seats = ["searcher" if seat == own else SIMPLE[name] for seat in range(players)]
        choosers = [
            inprocess.chooser(bots[bot], bot, game, options, "m", seat, seats) for seat, bot in enumerate(seats)
        ]
        result = playout(game, players, options, seed_bytes(f"h{number // players}"), choosers).record.result
        assert result is not None
        wins += (result.ranks[own] == 1) / result.ranks.count(1)
    assert wins / matches > share


def question(name: str, state: State[Any], seat: int) -> Decision[Any]:
    """As a bot gets it, with time enough for all deals on any machine."""
    texts = [state.format(move) for move in state.legal(seat).moves]
    info = Match("m", name, seat, ("x",) * state.players, view_type=f"arena.games.{name}.v1.View")
    return Decision(info, 0, texts, state.view_bytes(seat), complete=state.legal(seat).complete, budget=1e6)


def test_it_has_fewer_than_a_hundred_lines() -> None:
    assert len(folders.find("searcher").main.read_text(encoding="utf-8").splitlines()) < 100


@pytest.mark.parametrize("name", GAMES)
def test_its_answers_are_legal_and_the_same_every_time(name: str, decide: Any) -> None:
    state = registry.find(name).start(3, seed=seed_bytes(1))
    seat = state.pending()[0]
    text = decide(question(name, state, seat))
    assert text == decide(question(name, state, seat))
    assert state.check(seat, state.parse(text)) is None


@pytest.mark.parametrize(
    ("name", "make", "best"),
    [("flip7", win_or_be_bust, "stay"), ("encore", complete_the_column, " 1 "), ("stop", raise_to_win, "raise 0 4")],
)
def test_it_finds_the_best_move_of_a_position_made_by_hand(name: str, make: Any, best: str, decide: Any) -> None:
    assert best in decide(question(name, make(), 0))
