"""How long a match can last."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.encore import GAME
from referee.rules.chance import Extreme


@pytest.mark.parametrize("players", [1, 2, 6])
@pytest.mark.parametrize("most", [False, True])
def test_passing_forever_ends_within_the_bound(players: int, most: bool) -> None:
    state = GAME.start(players, chance=Extreme(most))
    decisions = 0
    while state.pending():
        state.play({seat: state.fallback(seat) for seat in state.pending()})
        decisions += 1
    assert decisions == (30 if players == 1 else 197)
    assert decisions <= GAME.bound(players, GAME.resolve_options())
    result = state.result()
    assert result is not None
    assert result.reason == "roll_limit"


def test_the_bound_counts_the_bombs_of_the_sheet(harlequin: dict[str, Any]) -> None:
    assert GAME.bound(1, {"sheet": "standard"}) == 30 + 3
    assert GAME.bound(4, {"sheet": "standard"}) == 197 + 12
    assert GAME.bound(4, {"sheet": harlequin}) == 197 + 4 * 2
