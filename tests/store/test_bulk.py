"""Many rows in one statement: the same as one after another, on every database."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from referee.store import Store
from referee.store import tables as t
from referee.store.bulk import MOST_ROWS, BulkInsert, BulkUpdate

from ..waiting import PATIENCE

META = BulkInsert(t.meta, ["key", "value"])
CHANGE = BulkUpdate(t.meta, ["key"], ["value"])


@pytest.mark.parametrize("rows", [0, 1, 2, 3, MOST_ROWS - 1, MOST_ROWS, MOST_ROWS + 1, 5 * MOST_ROWS + 37])
def test_any_number_of_rows(store: Store, rows: int) -> None:
    def work(connection: Connection) -> dict[str, str]:
        before = {row.key: row.value for row in connection.execute(select(t.meta))}
        META.run(connection, [(f"key {number}", "old") for number in range(rows)])
        CHANGE.run(connection, [(f"key {number}", f"new {number}") for number in range(1, rows)])
        after = {row.key: row.value for row in connection.execute(select(t.meta))}
        assert before.items() <= after.items(), "rows that were not named have changed"
        return {key: value for key, value in after.items() if key not in before}

    expected = {f"key {number}": f"new {number}" if number else "old" for number in range(rows)}
    assert store.writer.submit(work).result(timeout=PATIENCE) == expected


def test_rows_that_are_not_there_are_passed_over(store: Store) -> None:
    def work(connection: Connection) -> list[str]:
        META.run(connection, [("here", "old")])
        CHANGE.run(connection, [("nowhere", "new"), ("here", "new")])
        return [row.value for row in connection.execute(select(t.meta).where(t.meta.c.key.in_(["here", "nowhere"])))]

    assert store.writer.submit(work).result(timeout=PATIENCE) == ["new"]


def test_seats_are_found_by_their_key(tmp_path: Path) -> None:
    """An update of a few rows must not read the whole table, however long it is."""
    settle = BulkUpdate(t.seats, ["match_id", "seat"], ["rank"])
    sql = f"EXPLAIN QUERY PLAN {settle._head}(?, ?, ?), (?, ?, ?){settle._tail}"

    def work(connection: Connection) -> str:
        return "\n".join(row[-1] for row in connection.exec_driver_sql(sql, (1, 0, 1, 1, 1, 2)))

    with Store.open(tmp_path / "league.db") as store:
        plan = store.writer.submit(work).result(timeout=PATIENCE)
    assert "SEARCH seats" in plan
    assert "SCAN seats" not in plan
