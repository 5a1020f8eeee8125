"""Random openings: an option of every game, part of the record, and nothing at all without it."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.rules.openings import is_pure, openings_of
from referee.rules.playout import match_seed, playout, random_chooser
from referee.rules.record import replay, replayed

GAMES = registry.all_games()


def opened(game: Game[Any], moves: int, seed: bytes = b"seed") -> tuple[bytes, ...]:
    """What all seats see when the bots take over."""
    state = game.start(game.seats.least + 1, {"openings": moves}, seed)
    return tuple(state.view_bytes(seat) for seat in range(state.players))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_without_openings_options_and_records_are_those_of_before(game: Game[Any]) -> None:
    assert game.resolve_options({"openings": 0}) == game.resolve_options() == game.resolve_options({})
    assert "openings" not in game.resolve_options()
    assert opened(game, 0) == tuple(
        game.start(game.seats.least + 1, seed=b"seed").view_bytes(seat) for seat in range(game.seats.least + 1)
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_an_opening_follows_from_the_seed_and_is_replayed_with_the_record(game: Game[Any]) -> None:
    assert opened(game, 3) == opened(game, 3)
    assert len({opened(game, moves) for moves in (0, 1, 2, 3)}) == 4  # every move was made
    options = game.resolve_options({"openings": 3})
    players = game.seats.least + 1
    choosers = [random_chooser(b"choosers", seat) for seat in range(players)]
    record = playout(game, players, options, match_seed(b"root", 1), choosers).record
    assert record.options["openings"] == 3
    assert replay(game, record).result() == record.result
    assert replayed(game, record).to_bytes() == record.to_bytes()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_an_opening_never_ends_a_match(game: Game[Any]) -> None:
    assert game.start(game.seats.least, {"openings": 100}, b"long").pending()


@pytest.mark.parametrize("wrong", [-1, 101, True, "3", 2.5, None])
def test_a_number_of_moves_that_is_none_is_refused(wrong: object) -> None:
    with pytest.raises(WrongUse, match="option 'openings': must be a whole number from 0 to 100"):
        registry.find("flip7").resolve_options({"openings": wrong})


def test_our_games_draw_more_than_openings() -> None:
    assert not any(is_pure(game) for game in GAMES)
    assert openings_of(GAMES[0], {"openings": 4}) == 4
