"""The schema: migrations lead from nothing to exactly what the models say."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, Connection, inspect, text

from referee.store import NewerSchema, Store, StoreError, TournamentState, UnknownSchema, migrate
from referee.store.address import parse_address
from referee.store.engines import writer_engine
from referee.store.migrate import REVISIONS, SCRIPTS, VERSION_TABLE, downgrade, upgrade
from referee.store.tables import metadata

from ..fresh_databases import repeating
from ..waiting import PATIENCE

if TYPE_CHECKING:
    from tests.store.conftest import Hall


@pytest.fixture(autouse=True)
def migrated_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests make databases in a shorter way (`tests/fresh_databases.py`)."""
    monkeypatch.setattr(migrate, "upgrade", upgrade)


def test_a_database_of_the_other_tests_is_the_migrated_one(
    hall: Hall, open_store: Callable[..., Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store()._readers.connect() as connection:
        wanted = schema(connection)
    ran: list[str] = []

    def noted(connection: Connection, revision: str = "head") -> None:
        ran.append(revision)
        upgrade(connection, revision)

    monkeypatch.setattr(migrate, "upgrade", repeating(noted))
    for _ in range(2):
        with writer_engine(parse_address(hall.address), 10).begin() as connection:
            metadata.drop_all(connection)
            connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
        with open_store()._readers.connect() as connection:
            assert schema(connection) == wanted
    assert ran == ["head"], "the second time what was said is repeated"


def schema(connection: Connection) -> dict[str, list[str]]:
    """Everything that a database tells of its tables."""
    found = inspect(connection)
    ask = (found.get_columns, found.get_foreign_keys, found.get_unique_constraints, found.get_check_constraints)
    tables = sorted(found.get_table_names())
    told = {
        table: [
            repr(found.get_pk_constraint(table)),
            *(repr(each) for one in (*ask, found.get_indexes) for each in one(table)),
        ]
        for table in tables
    }
    return {table: sorted(lines) for table, lines in told.items()} | {
        "version": [repr(connection.exec_driver_sql(f"SELECT * FROM {VERSION_TABLE}").all())]
    }


def test_the_migrated_schema_is_what_the_models_say(store: Store) -> None:
    with store._readers.connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={"version_table": VERSION_TABLE, "compare_type": True, "compare_server_default": True},
        )
        assert compare_metadata(context, metadata) == []


def test_the_migrated_checks_are_what_the_models_say(store: Store) -> None:
    """Alembic does not compare check constraints, so this does."""
    with store._readers.connect() as connection:
        for table in metadata.sorted_tables:
            wanted = {str(c.name) for c in table.constraints if isinstance(c, CheckConstraint)}
            assert {check["name"] for check in inspect(connection).get_check_constraints(table.name)} == wanted


def test_the_known_revisions_are_those_of_the_scripts() -> None:
    script = ScriptDirectory(str(SCRIPTS))
    assert tuple(each.revision for each in reversed(list(script.walk_revisions()))) == REVISIONS


def test_migrations_can_be_taken_back_and_run_again(store: Store) -> None:
    with store._writing.begin() as connection:
        downgrade(connection, "base")
        assert set(inspect(connection).get_table_names()) <= {VERSION_TABLE}
        upgrade(connection)
    assert store.bots.add("greedy").bot.name == "greedy"


def test_a_tournament_from_before_salts_keeps_its_root_and_goes_on(
    hall: Hall, open_store: Callable[..., Store]
) -> None:
    root = hashlib.sha256(b"referee root summer").digest()
    with writer_engine(parse_address(hall.address), 10).begin() as connection:
        upgrade(connection, "0001")
        assert "salt" not in {column["name"] for column in inspect(connection).get_columns("tournaments")}
        connection.execute(
            text(
                "INSERT INTO tournaments (name, game, game_version, players, settings, state, commitment, root, "
                "revealed, seed_text, created, started) VALUES ('league', 'flip7', '1', 3, '{}', 'running', "
                ":commitment, :root, :revealed, 'summer', 1, 2)"
            ),
            {"commitment": hashlib.sha256(root).hexdigest(), "root": root, "revealed": False},
        )
    store = open_store(owner="server")
    league = store.tournaments.get("league")
    assert (league.state, league.repeatable) == (TournamentState.RUNNING, True)
    assert (league.root, league.seed_text, league.salt) == (None, None, None)
    secret = store.tournaments.secret(league.id)
    assert (secret.root, secret.seed_text, secret.salt) == (root, "summer", None)
    store.tournaments.set_state(league.id, TournamentState.FINISHED, reveal=True)
    over = store.tournaments.get("league")
    assert (over.root, over.seed_text, over.salt) == (root, "summer", None)


def test_opening_again_changes_nothing(store: Store, hall: Hall, open_store: Callable[..., Store]) -> None:
    store.bots.add("greedy")
    store.close()
    before = Path(hall.address).read_bytes() if hall.kind == "sqlite" else b""
    again = open_store()
    assert [bot.name for bot in again.bots.all()] == ["greedy"]
    again.close()
    if hall.kind == "sqlite":
        assert Path(hall.address).read_bytes() == before


def test_two_programs_may_create_the_database_at_once(hall: Hall) -> None:
    faults: list[Exception] = []
    ready = threading.Barrier(4)

    def create() -> None:
        ready.wait()
        try:
            # Each waits until the others have made their tables, however slow the machine is.
            Store.open(hall.address, timeout=PATIENCE).close()
        except StoreError as error:
            faults.append(error)

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    with Store.open(hall.address) as store:
        assert store.bots.all() == []


def test_a_newer_schema_is_refused_and_left_alone(store: Store, hall: Hall, open_store: Callable[..., Store]) -> None:
    store.bots.add("greedy")
    with store._writing.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    store.close()
    before = Path(hall.address).read_bytes() if hall.kind == "sqlite" else b""
    for owner in (None, "server"):
        with pytest.raises(NewerSchema, match=r"schema 9999, newer than .*: upgrade Referee"):
            open_store(owner=owner)
    if hall.kind == "sqlite":
        assert Path(hall.address).read_bytes() == before
        assert not Path(f"{hall.address}-owner").exists()


@pytest.mark.parametrize("version", ["abc", "0000", "", "00085"])
def test_a_schema_that_no_program_made_is_called_unknown(
    store: Store, open_store: Callable[..., Store], version: str
) -> None:
    with store._writing.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {VERSION_TABLE} SET version_num = '{version}'")
    store.close()
    with pytest.raises(UnknownSchema, match=r"has a schema that no Referee made .*: restore the file from a copy"):
        open_store()


def test_snapshots_from_before_tables_were_kept_stay(
    store: Store, hall: Hall, open_store: Callable[..., Store]
) -> None:
    columns = "tournament_id, kind, through, entrants, finished, aside, rulings, settings, journal_number, journal_hash"
    row = (1, "board", 7, 3, 6, 1, 0, "constants", 9, "ab", b"\x01\x02", "cd")
    with store._writing.begin() as connection:
        downgrade(connection, "0010")
        connection.execute(
            text(
                "INSERT INTO tournaments (id, name, game, game_version, players, settings, state, commitment, root, "
                "revealed, created) VALUES (1, 'league', 'flip7', '1', 3, '{}', 'created', 'c', :root, :no, 1)"
            ),
            {"root": b"r", "no": False},
        )
        connection.execute(
            text(
                f"INSERT INTO snapshots ({columns}, body, sha256) VALUES "
                + "(:a, :b, :c, :d, :e, :f, :g, :h, :i, :j, :k, :l)"
            ),
            dict(zip("abcdefghijkl", row, strict=True)),
        )
    store.close()
    with open_store()._readers.connect() as connection:
        found = connection.execute(text(f"SELECT {columns}, body, sha256 FROM snapshots")).one()
    assert (*found[:10], bytes(found.body), found.sha256) == row
