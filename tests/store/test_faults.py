"""Each fault of the environment: one sentence that says what to do, and a database that is left as it was."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

import psycopg
import pytest
from psycopg import errors

from referee.store import (
    DiskFull,
    ForeignDatabase,
    Locked,
    MissingDriver,
    MissingFolder,
    NoDatabase,
    NotADatabase,
    ReadOnly,
    Store,
    StoreError,
    Unreachable,
)
from referee.store.engines import WRITE_LOCK
from referee.store.errors import fault_of

if TYPE_CHECKING:
    from tests.store.conftest import Hall

READ_ONLY = "make the file and its folder writable, or choose another one"
OPENER = Path(__file__).with_name("opener.py")


def opener(address: Path, verb: str, *limit: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, str(OPENER), str(address), verb, *limit], capture_output=True, text=True, timeout=100, cwd="/"
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def test_a_file_locked_by_another_program_is_reported(
    store: Store, hall: Hall, open_store: Callable[..., Store]
) -> None:
    waiting = open_store(timeout=0.2)
    store.bots.add("greedy")
    if hall.kind == "sqlite":
        other = sqlite3.connect(hall.address, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Locked, match="locked by another program: wait"):
            waiting.bots.add("late")
        other.execute("ROLLBACK")
        other.close()
    else:
        with psycopg.connect(hall.address) as connection:
            connection.execute(f"SELECT pg_advisory_xact_lock({WRITE_LOCK})".encode())
            with pytest.raises(Locked, match="locked by another program: wait"):
                waiting.bots.add("late")
    assert waiting.bots.add("later").bot.name == "later"
    assert [bot.name for bot in store.bots.all()] == ["greedy", "later"]


def test_a_file_locked_while_it_is_opened_is_reported(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "league.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Locked, match=r"league\.db is locked"):
        Store.open(tmp_path / "league.db", timeout=0.2)
    other.close()


def test_a_read_only_file_is_reported(open_folder: Path) -> None:
    path = open_folder / "league.db"
    Store.open(path).close()
    open_folder.chmod(0o777)
    path.chmod(0o444)
    before = path.read_bytes()
    assert opener(path, "open") == [f"ReadOnly: {path} is read-only: {READ_ONLY}"]
    assert path.read_bytes() == before


def test_a_read_only_folder_is_reported(open_folder: Path) -> None:
    path = open_folder / "league.db"
    Store.open(path).close()
    path.chmod(0o666)
    open_folder.chmod(0o555)
    before = path.read_bytes()
    assert opener(path, "open") == [f"ReadOnly: {path} is read-only: {READ_ONLY}"]
    assert opener(open_folder / "new.db", "open") == [f"ReadOnly: {open_folder / 'new.db'} is read-only: {READ_ONLY}"]
    assert path.read_bytes() == before


def test_a_role_that_may_not_write_is_reported(postgres_address: str) -> None:
    Store.open(postgres_address).close()
    with (
        pytest.raises(ReadOnly, match="read-only"),
        Store.open(postgres_address.replace("options=", "options=-cdefault_transaction_read_only%3Don%20")) as store,
    ):
        store.bots.add("greedy")


@pytest.mark.parametrize(
    "contents", [b"this is a text file, not a database\n" * 200, b"SQLite format 3\0" + b"\xff" * 5_000]
)
@pytest.mark.parametrize("owner", [None, "server"])
def test_a_file_that_is_no_database_is_reported_and_left_alone(
    tmp_path: Path, contents: bytes, owner: str | None
) -> None:
    path = tmp_path / "league.db"
    path.write_bytes(contents)
    with pytest.raises(NotADatabase, match="is not a Referee database, or is damaged: restore it"):
        Store.open(path, owner=owner)
    assert path.read_bytes() == contents
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_database_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with Store.open(path) as store:
        for number in range(40):
            store.bots.add(f"bot {number}", note="x" * 500)
    whole = bytearray(path.read_bytes())
    text = whole.index(b"bot 20")
    page = text - text % 4_096
    whole[page : page + 64] = b"\xee" * 64
    path.write_bytes(bytes(whole))
    with Store.open(path) as store, pytest.raises(NotADatabase, match="damaged: restore it from a copy"):
        store.bots.all()


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE recipes (name)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(ForeignDatabase, match=r"another program's tables \(recipes\)"):
        Store.open(path)
    assert path.read_bytes() == before


def test_another_programs_postgres_schema_is_refused(postgres_address: str) -> None:
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("CREATE TABLE recipes (name text)")
    with pytest.raises(ForeignDatabase, match="give Referee a database of its own"):
        Store.open(postgres_address)


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    path.touch()
    with Store.open(path) as store:
        assert store.bots.all() == []


def test_a_file_that_may_not_grow_is_reported_and_what_was_stored_is_safe(tmp_path: Path) -> None:
    check_full(tmp_path / "league.db", "500000")


def test_a_full_disk_is_reported_and_what_was_stored_is_safe(tmp_path: Path) -> None:
    """On a small disk of its own where mounting is allowed; elsewhere, with a limit on the size of files."""
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(tmp_path)], capture_output=True
        ).returncode
    )
    try:
        check_full(tmp_path / "league.db", *([] if mounted else ["1000000"]))
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def check_full(path: Path, *limit: str) -> None:
    *stored, last = opener(path, "report", *limit)
    assert (
        last == f"DiskFull: no room left to write {path}: free some disk space and start again; stored results are safe"
    )
    assert len(stored) > 5
    copy = path.read_bytes()
    assert copy.startswith(b"SQLite format 3\0")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        kept = {number for (number,) in connection.execute("SELECT id FROM matches")}
    assert {int(line) for line in stored} <= kept


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(MissingFolder, match=r"folder .*/nowhere does not exist: create it first"):
        Store.open(tmp_path / "nowhere" / "league.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_a_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotADatabase, match="is a folder: give the path of a file in it"):
        Store.open(tmp_path)


def test_a_missing_database_is_reported_when_it_must_exist(tmp_path: Path) -> None:
    with pytest.raises(NoDatabase, match=r"no database at .*/league\.db: check the path"):
        Store.open(tmp_path / "league.db", create=False)
    assert list(tmp_path.iterdir()) == []


def test_postgres_without_its_driver_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingDriver, match=r"pip install 'referee-arena\[postgres\]'"):
        Store.open("postgresql://localhost/league")


def test_a_python_with_an_old_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 31, 1))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.31.1")
    with pytest.raises(MissingDriver, match=r"SQLite 3\.31\.1, too old .* 3\.33 or newer"):
        Store.open(tmp_path / "league.db")
    assert not list(tmp_path.iterdir())


def test_a_postgres_server_that_is_not_there_is_reported_without_the_password(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="check the address and that it runs") as caught:
        Store.open(f"postgresql://ada:s3cret@/league?host={tmp_path}", owner="server")
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "why", ["fe_sendauth: no password supplied", 'FATAL:  password authentication failed for user "referee"']
)
def test_a_postgres_server_that_asks_for_a_password_is_not_said_to_be_away(why: str) -> None:
    error = errors.OperationalError(f'connection failed: connection to server at "127.0.0.1", port 5432 failed: {why}')
    fault = fault_of(error, "postgresql://referee@localhost/referee")
    assert type(fault) is Unreachable
    assert "does not let you in" in str(fault)
    assert "give the password in ~/.pgpass or PGPASSWORD" in str(fault)


def test_a_postgres_database_that_does_not_exist_is_reported(postgres_url: str) -> None:
    with pytest.raises(NoDatabase, match="create it"):
        Store.open(postgres_url.replace("/postgres?", "/nowhere?"))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.DiskFull(), DiskFull),
        (errors.ReadOnlySqlTransaction(), ReadOnly),
        (errors.InsufficientPrivilege(), ReadOnly),
        (errors.AdminShutdown(), Unreachable),
        (errors.InvalidPassword(), Unreachable),
        (errors.TooManyConnections(), Unreachable),
        (OSError(28, "No space left on device"), DiskFull),
        (OSError(5, "Input/output error"), Unreachable),
    ],
)
def test_every_fault_has_its_own_sentence(error: Exception, kind: type[StoreError]) -> None:
    fault = fault_of(error, "league.db")
    assert type(fault) is kind
    assert "league.db" in str(fault)
    assert "\n" not in str(fault)


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.EROFS, ReadOnly),
        (errno.EIO, Unreachable),
        (errno.ENOSPC, DiskFull),
        (errno.EDQUOT, DiskFull),
        (None, DiskFull),  # only this file may not grow
    ],
)
@pytest.mark.parametrize("name", ["SQLITE_IOERR_WRITE", "SQLITE_IOERR_FSYNC"])
def test_why_sqlite_could_not_write_is_asked_of_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int | None, kind: type[StoreError]
) -> None:
    def temporary_file(dir: str) -> IO[bytes]:
        assert dir == str(tmp_path)
        if number is not None:
            raise OSError(number, os.strerror(number))
        return real(dir=dir)

    real = tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", temporary_file)
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorname = name
    assert type(fault_of(error, str(tmp_path / "league.db"))) is kind


def test_a_mistake_in_a_statement_is_not_the_environments_fault() -> None:
    assert fault_of(errors.UniqueViolation(), "league.db") is None
    assert fault_of(ValueError("x"), "league.db") is None
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(":memory:").execute("SELECT nonsense")
    assert fault_of(caught.value, "league.db") is None
