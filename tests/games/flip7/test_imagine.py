"""Flip 7 imagined from a view: the order of the pile is drawn, everything else is as the view says."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.flip7.v1 import flip7_pb2 as pb
from referee.games.flip7 import GAME
from referee.rules.chance import Seeded
from referee.rules.game import WrongUse


def test_the_pile_holds_the_same_cards_in_another_order() -> None:
    state: Any = GAME.start(4, seed=b"pile")
    imagined = [GAME.imagine(state.view(0), Seeded(bytes([number]))).pile for number in range(5)]
    assert {tuple(sorted(pile)) for pile in imagined} == {tuple(sorted(state.pile))}
    assert len({tuple(pile) for pile in imagined}) == 5


def test_the_discards_are_what_lies_nowhere_else() -> None:
    state: Any = GAME.start(3, {"rules": "faq"}, b"discards")
    while state.number < 4:
        [seat] = state.pending()
        state.play({seat: state.legal(seat).moves[0]})
    assert state.discard
    assert sorted(GAME.imagine(state.view_bytes(1), Seeded(b"")).discard) == sorted(state.discard)


def test_a_view_with_a_card_too_many_is_refused() -> None:
    view = GAME.start(3, seed=b"many").view(0)
    assert isinstance(view, pb.View)
    view.discard_size += 1
    with pytest.raises(WrongUse, match="no view of a match of flip7: its cards are not those of a whole match"):
        GAME.imagine(view, Seeded(b""))


@pytest.mark.parametrize("card", [0, 22, 127, 128, 300])
def test_a_view_with_a_card_that_there_is_not_or_not_so_often_is_refused(card: int) -> None:
    view = GAME.start(3, seed=b"strange").view(0)
    assert isinstance(view, pb.View)
    view.players[1].cards.extend([card, card])
    with pytest.raises(WrongUse, match="its cards are not those of a whole match"):
        GAME.imagine(view, Seeded(b""))


@pytest.mark.parametrize("change", [{"dealer": 3}, {"round": 301}, {"scores": [0] * 34}])
def test_a_view_of_a_table_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    view = GAME.start(3, seed=b"strange").view(0)
    assert isinstance(view, pb.View)
    view.MergeFrom(pb.View(**change))
    with pytest.raises(WrongUse, match="its players or its rounds are not those of a whole match"):
        GAME.imagine(view, Seeded(b""))
