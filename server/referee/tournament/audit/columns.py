"""Columns of a database compared with what its journal tells, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from referee.rules.spelling import brief
from referee.store import Store, Tournament
from referee.store.every_column import RawRow
from referee.store.versions import log_digest
from referee.store.webhooks import row_digest
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.story import Story

JSON_COLUMNS = {"settings", "byes", "active", "reasons", "deals", "annulled", "aside"}


def compare(table: str, row: RawRow, expected: Mapping[str, Any], where: str) -> None:
    """DoesNotHold if a column is not what the journal tells, or is unknown to it."""
    for column in row.keys() | expected.keys():
        if column not in expected or column not in row:
            raise DoesNotHold(f"{where}: the column {column} of {table} is unknown to the journal")
        found = _json(row[column]) if column in JSON_COLUMNS else _plain(row[column])
        wanted = expected[column]
        if type(found) is not type(wanted) or found != wanted:
            raise DoesNotHold(
                f"{where}: {column} in {table} should be {brief(wanted)}, as the journal says, not {brief(found)}"
            )


def check_rounds(store: Store, tournament: Tournament, story: Story) -> None:
    """The rounds that the format drew."""
    rows = store.every_column.rounds(tournament.id)
    name = tournament.name
    if len(rows) != len(story.rounds):
        raise DoesNotHold(f"{name}: {len(story.rounds)} rounds were drawn, as the journal says, not {len(rows)}")
    place = {entrant.name: position for position, entrant in enumerate(story.entrants)}
    for row, told in zip(rows, story.rounds, strict=True):
        expected = {
            **{"tournament_id": tournament.id, "number": told.number, "first_ordinal": told.first},
            **{"stage": told.stage, "created": told.at},
            "byes": [place[bot] for bot in told.byes],
            "active": [place[bot] for bot in told.active],
            **{"reasons": list(told.reasons), "deals": list(told.deals)},
        }
        compare("rounds", row, expected, f"{name}, round {told.number}")


def check_rulings(store: Store, tournament: Tournament, story: Story, entrants: list[RawRow]) -> None:
    """What the host decided."""
    rows = store.every_column.rulings(tournament.id)
    name = tournament.name
    if len(rows) != len(story.rulings):
        raise DoesNotHold(f"{name}: {len(story.rulings)} rulings were made, as the journal says, not {len(rows)}")
    numbers = {entrant["name"]: entrant["id"] for entrant in entrants}
    for number, (row, told) in enumerate(zip(rows, story.rulings, strict=True), 1):
        expected = {
            **{"tournament_id": tournament.id, "number": number, "kind": told.kind, "ordinal": told.match},
            **{"entrant_id": numbers.get(told.bot), "reason": told.reason, "created": told.at},
            **{"annulled": list(told.annulled), "aside": list(told.aside)},
        }
        compare("rulings", row, expected, f"{name}, ruling {number}")


def version_rows(store: Store) -> Iterator[RawRow]:
    """The versions of bots, with the hash of each log in its place, as the journal has it."""
    for row in store.every_column.rows("bot_versions", "id"):
        log = row["log"]
        yield {**row, "log": log_digest(log) if isinstance(log, str) else log}


def check_webhooks(store: Store, told: Mapping[str, str | None]) -> None:
    """Where the host is told what happens. `told` has the hash of each row, None of one from before there were any."""
    found = set()
    for row in store.every_column.rows("webhooks", "id"):
        name, read = row["name"], {key: _json(value) if key == "kinds" else value for key, value in row.items()}
        if name not in told:
            raise DoesNotHold(f"webhooks has a row {brief(name)} of which the journal does not tell")
        if told[name] not in (None, row_digest(read)):
            raise DoesNotHold(f"webhook {name}: its row in webhooks is not the one of which the journal tells")
        found.add(name)
    if missing := sorted(told.keys() - found):
        raise DoesNotHold(f"webhooks has no row {brief(missing[0])}, of which the journal tells")


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def _json(value: Any) -> Any:
    """Settings: SQLite keeps the text, which must be the one that a program wrote; PostgreSQL reads it."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
        return read if json.dumps(read) == value else value
    except (ValueError, RecursionError):
        return value
