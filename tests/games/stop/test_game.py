"""What a scenario writes, and how long a match can last."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.stop import GAME, cards


@pytest.mark.parametrize(("players", "bound"), [(3, 2802), (4, 3696), (5, 4590), (6, 5484)])
def test_the_bound_follows_from_the_limits(players: int, bound: int) -> None:
    assert GAME.bound(players, {}) == bound


@pytest.mark.parametrize(("item", "card"), [("2", cards.TWO), (3, cards.THREE), ("+1", cards.PLUS), (1, cards.PLUS)])
def test_a_scenario_writes_cards_as_texts_or_numbers(item: Any, card: int) -> None:
    assert GAME.labels["decks"].read(item) == card


@pytest.mark.parametrize("item", ["1", "5", 5, "+2", "", True, None, 2.0, ["2"]])
def test_a_scenario_cannot_write_other_cards(item: Any) -> None:
    with pytest.raises(ValueError, match="2, 3, 4"):
        GAME.labels["reshuffle"].read(item)


@pytest.mark.parametrize("item", ["1", True, None, 1.0])
def test_a_scenario_writes_seats_as_numbers(item: Any) -> None:
    with pytest.raises(ValueError, match="seat"):
        GAME.labels["arbiter"].read(item)
