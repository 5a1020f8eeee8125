"""A table takes texts one seat at a time and refuses what a referee refuses."""

from __future__ import annotations

import pytest

from referee.rules.game import seed_bytes
from referee.rules.record import replayed
from referee.rules.table import Table
from tall_tales import GAME


@pytest.fixture
def table() -> Table:
    return Table(GAME, 3, GAME.resolve_options({"rounds": 1}), seed_bytes(0))


def code(table: Table, seat: int, text: str) -> str | None:
    rejection = table.offer(seat, text)
    return rejection.code if rejection else None


def test_a_sealed_decision_is_played_when_everybody_has_moved(table: Table) -> None:
    assert code(table, 2, "doubt") is None
    assert table.pending() == (0, 1)
    assert table.decisions == 0
    assert code(table, 0, "claim 2") is None
    assert code(table, 1, " claim   3 ") is None
    assert table.decisions == 1
    assert table.record().moves == ("0: claim 2 | 1: claim 3 | 2: doubt",)


def test_a_seat_that_has_moved_has_no_legal_moves_and_no_second_move(table: Table) -> None:
    table.offer(0, "doubt")
    assert table.legal(0).moves == ()
    assert len(table.legal(1).moves) == 7
    assert code(table, 0, "doubt") == "already_moved"


def test_unreadable_and_out_of_turn_moves_change_nothing(table: Table) -> None:
    assert code(table, 0, "claim 7") == "unreadable"
    assert code(table, 9, "doubt") == "not_asked"
    assert table.pending() == (0, 1, 2)


def test_nothing_is_accepted_once_the_match_is_over(table: Table) -> None:
    for seat in range(3):
        table.offer(seat, "doubt")
    assert table.result() is not None
    assert table.pending() == ()
    assert code(table, 0, "doubt") == "over"


def test_the_record_of_a_table_replays(table: Table) -> None:
    for seat in range(3):
        table.put(seat, table.state.fallback(seat))
    assert replayed(GAME, table.record()).to_bytes() == table.record().to_bytes()
