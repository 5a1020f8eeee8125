"""Looking at a file without SQLAlchemy: the same answers as the store's, and none where anything is unusual."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from referee.cli.backend.file import FileBackend
from referee.cli.main import main
from referee.cli.tournament_row import tournament_row
from referee.store import DrawnNonce, NewSnapshot, NonceDraw, SnapshotKind, Store
from referee.store.nonces import add_draw
from referee.store.quick_look import TABLE_SETTINGS, kept_table, tournament
from referee.tournament.audit.database import from_database
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import verify
from referee.tournament.standings import from_store

pytestmark = pytest.mark.xdist_group("quick look")  # one worker: what its tests share takes long to make

BOTS = ["random", "patient", "random"]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database with a tournament that is over and was looked at, as bytes."""
    path = tmp_path_factory.mktemp("quick") / "league.db"
    words = ["run", "stop_me_go", *BOTS, "--rounds", "4", "--seed", "x", "--name", "league", "--db", str(path)]
    assert main([*words, "--json"]) == 0
    assert main(["leaderboard", "--once", "--json", "--db", str(path)]) == 0
    return path.read_bytes()


@pytest.fixture
def db(played: bytes, tmp_path: Path) -> str:
    path = tmp_path / "league.db"
    path.write_bytes(played)
    return str(path)


def change(db: str, *statements: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def seen_as_row(db: str) -> dict[str, object]:
    look = tournament(db, "league")
    assert look is not None
    return tournament_row(look)


def test_a_tournament_is_what_the_store_tells(db: str) -> None:
    (row,) = FileBackend(db).tournaments()
    assert seen_as_row(db) == row
    assert (row["matches_done"], row["bots"], row["root"] != "") == (4, ["random", "patient", "random-2"], True)
    change(db, "UPDATE matches SET state = 'scheduled', attempt = 2 WHERE ordinal = 1")
    (row,) = FileBackend(db).tournaments()
    assert seen_as_row(db) == row
    assert (row["matches_done"], row["matches_dealt_anew"]) == (3, 1)


def test_what_is_not_revealed_yet_is_not_seen(db: str) -> None:
    change(db, "UPDATE tournaments SET revealed = 0, salt = x'00'")
    (row,) = FileBackend(db).tournaments()
    seen = seen_as_row(db)
    assert seen == row
    assert (seen["root"], seen["seed_text"], seen["salt"]) == ("", "", "")


@pytest.mark.parametrize("format", ["swiss", "knockout"])
def test_rounds_and_nonces_are_seen_as_the_store_tells_them(tmp_path: Path, format: str) -> None:
    path = str(tmp_path / "league.db")
    words = ["stop_me_go", "a=random", "b=patient", "c=random", "d=patient", "--players", "2"]
    assert main(["run", *words, "--format", format, "--name", "league", "--db", path, "--json"]) == 0
    with Store.open(path) as store:
        names = [entrant.name for entrant in store.tournaments.entrants(1)]
        digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
        drawn = tuple(DrawnNonce(name, digests[name], digests[name] if name != "b" else "") for name in names)
        for draw in (NonceDraw(1, 0, drawn), NonceDraw(2, 3, drawn[:2])):
            store.writer.submit(partial(add_draw, tournament=1, draw=draw, now=0, told=True)).result()
    (row,) = FileBackend(path).tournaments()
    assert row["stage"]
    assert [len(draw["entrants"]) for draw in row["nonces"]] == [4, 2]
    assert seen_as_row(path) == row


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tournaments SET state = 'over'",
        "UPDATE tournaments SET settings = '[]'",
        "UPDATE tournaments SET settings = '{'",
        "UPDATE tournaments SET players = 'two'",
        "UPDATE tournaments SET root = 'text'",
        "UPDATE tournaments SET revealed = 7",
        "UPDATE tournaments SET commitment = x'00'",
        "UPDATE tournaments SET finished = 'late'",
        "UPDATE entrants SET name = x'00' WHERE position = 1",
        "UPDATE matches SET state = 'over' WHERE ordinal = 1",
    ],
)
def test_a_damaged_tournament_is_left_to_the_store(db: str, statement: str) -> None:
    change(db, "PRAGMA ignore_check_constraints = ON", statement)
    assert tournament(db, "league") is None


def test_rulings_are_counted(db: str) -> None:
    with Store.open(db) as store:
        store.rulings.annul(1, 2, "a mistake")
    look = tournament(db, "league")
    assert look is not None
    (row,) = FileBackend(db).tournaments()
    assert look.rulings == len(row["rulings"]) == 1
    assert tournament_row(look, row["rulings"]) == row


LINE_UPS = {
    "round-robin": [*BOTS, "--rounds", "6"],
    "mirrored deals": ["random", "patient", "--players", "2", "--rounds", "4", "--mirror"],
    "repeated matches": ["patient", "patient", "--players", "2", "--rounds", "20"],
    "swiss": ["a=random", "b=patient", "c=random", "d=patient", "--players", "2", "--format", "swiss"],
    "knock-out": ["a=random", "b=patient", "c=random", "d=patient", "--players", "2", "--format", "knockout"],
}


@pytest.mark.parametrize("line_up", LINE_UPS)
def test_run_keeps_the_table_as_whoever_looks_later_would_work_it_out(tmp_path: Path, line_up: str) -> None:
    path = str(tmp_path / "league.db")
    assert main(["run", "stop_me_go", *LINE_UPS[line_up], "--name", "league", "--db", path, "--json"]) == 0
    with Store.open(path) as store:
        assert kept_table(path, "league") == from_store(store, "league", keep=False).to_json_value()


def test_a_kept_table_is_what_the_store_works_out(db: str) -> None:
    standings = FileBackend(db).standings("league")
    for name in ("", "league"):
        assert kept_table(db, name) == standings.to_json_value()


def test_nothing_is_kept_before_somebody_has_looked_and_it_is_stored_once(db: str) -> None:
    change(db, "DELETE FROM snapshots WHERE kind = 'table'")
    assert kept_table(db, "league") is None
    for _ in range(2):
        standings = FileBackend(db).standings("league")
        assert kept_table(db, "league") == standings.to_json_value()
        with Store.open(db) as store:
            kept = [each for each in store.snapshots.all(1) if each.kind == SnapshotKind.TABLE]
            assert [(each.through, each.wrong) for each in kept] == [(4, "")]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE tournaments SET state = 'running'",
        "UPDATE tournaments SET state = 'paused'",
        "UPDATE snapshots SET settings = 'of another version'",
        "UPDATE snapshots SET body = x'00'",
        "UPDATE snapshots SET sha256 = 'beef'",
        "UPDATE referee_schema SET version_num = '0010'",
        "UPDATE referee_schema SET version_num = '9999'",
        "DROP TABLE referee_schema",
        "DROP TABLE journal",
        "DELETE FROM journal WHERE number = (SELECT max(number) FROM journal WHERE chain = 1)",
        "INSERT INTO journal SELECT chain, max(number) + 1, entry, 'beef' FROM journal WHERE chain = 1",
    ],
)
def test_a_table_that_may_be_another_now_is_not_shown(db: str, statement: str) -> None:
    change(db, statement)
    assert kept_table(db, "league") is None
    assert kept_table(db, "") is None


def test_what_changes_a_tournament_makes_its_table_be_worked_out_again(db: str) -> None:
    before = kept_table(db, "league")
    with Store.open(db) as store:
        store.rulings.annul(1, 2, "a mistake")
    assert kept_table(db, "league") is None
    after = FileBackend(db).standings("league").to_json_value()
    assert after != before
    assert kept_table(db, "league") == after


@pytest.mark.parametrize("name", ["another", "", "lea\0gue"])
def test_an_unknown_tournament_has_no_tournament(db: str, name: str) -> None:
    assert tournament(db, name) is None


def test_what_is_no_database_is_left_to_the_store(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, and long enough for a header of one\n" * 40)
    (tmp_path / "empty").write_bytes(b"")
    for path in ("text", "empty", "missing", "."):
        assert tournament(str(tmp_path / path), "league") is None
        assert kept_table(str(tmp_path / path), "") is None
    assert tournament("postgresql://localhost/league", "league") is None


def test_a_damaged_state_is_left_to_the_store(db: str) -> None:
    change(db, "PRAGMA ignore_check_constraints = ON", "UPDATE tournaments SET state = 'odd'")
    assert tournament(db, "league") is None


def test_a_kept_table_that_is_wrong_is_told_by_verify(db: str) -> None:
    """One that is sound in itself, and fits, and is wrong all the same."""
    with Store.open(db) as store:
        verify(from_database(store, "league"))
        found = store.snapshots.fitting(1, SnapshotKind.TABLE, TABLE_SETTINGS)
        assert found is not None
        named = {name: getattr(found, name) for name in NewSnapshot.__slots__}
        other = {**found.value, "rows": found.value["rows"][::-1]}
        store.snapshots.keep(1, NewSnapshot(**{**named, "value": other}))
        assert kept_table(db, "league") == other
        with pytest.raises(DoesNotHold, match=r"the snapshot \(table\) before match 4 is not what the results lead to"):
            verify(from_database(store, "league"))
