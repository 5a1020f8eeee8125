"""A table whose cards are known: the pile and the discards are set by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from referee.games.flip7.cards import CODES, KINDS
from referee.games.flip7.state import Flip7State
from referee.rules.chance import Extreme

Laid = Callable[..., Flip7State]


@pytest.fixture
def laid() -> Laid:
    """`laid(pile, discards, players=…, faq=…)`: a fresh match, seat 0 begins, these are all the cards."""

    def lay(
        pile: str, discards: str = "", *, players: int = 3, faq: bool = False, target_score: int = 200
    ) -> Flip7State:
        state = Flip7State(players, False, target_score, Extreme(most=True))  # the last seat deals
        state.faq = faq  # after the opening deal, so that tests say what was dealt
        state.pile = [CODES[name] for name in reversed(pile.split())]
        state.pile_counts = bytearray(state.pile.count(card) for card in range(KINDS))
        state.discard = [CODES[name] for name in discards.split()]
        return state

    return lay
