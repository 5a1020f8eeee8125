"""Whose eyes a database is for: its owner's, whatever the umask, unless the owner has opened it to others."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.store import Store
from referee.store.migrate import downgrade

from ..command import Referee

OPENER = Path(__file__).with_name("opener.py")
CANNOT = "check that the file and its folder may be read and written"
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077, 0o277])
def test_a_new_database_and_all_beside_it_are_for_the_owner_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    with umask(mask), Store.open(tmp_path / "league.db", owner="server") as store:
        store.bots.add("greedy")
        files = {path.name: mode(path) for path in tmp_path.iterdir()}
    assert files == dict.fromkeys(("league.db", "league.db-wal", "league.db-shm", "league.db-owner"), 0o600)


def test_a_link_that_leads_nowhere_yet_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "league.db")
    Store.open(tmp_path / "link.db").close()
    assert (tmp_path / "link.db").is_symlink()
    assert mode(tmp_path / "league.db") == 0o600


@pytest.mark.parametrize(
    "words",
    [
        ("bot", "add", "ada"),
        ("tournament", "create", "cup", "--game", "flip7", "--players", "3", "--bots", "random,random,random"),
        ("run", "stop_me_go", "patient", "random", "--rounds", "1"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_every_command_that_creates_a_database_creates_it_for_its_owner(
    referee: Referee, tmp_path: Path, words: tuple[str, ...]
) -> None:
    with umask(0):
        done = referee(*words, "--db", tmp_path / "new.db")
    assert done.code == 0, done.err
    assert {path.name: mode(path) for path in tmp_path.iterdir()} == {"new.db": 0o600}
    assert "warning" not in done.err


@as_root
def test_another_user_can_neither_read_it_nor_open_it(open_folder: Path) -> None:
    path = open_folder / "league.db"
    with Store.open(path, owner="server") as store:
        store.bots.add("greedy")
        for each in (path, f"{path}-wal", f"{path}-shm"):
            peek = subprocess.run([*NOBODY, "/usr/bin/env", "cat", str(each)], capture_output=True, text=True)
            assert peek.returncode != 0
            assert (peek.stdout, "Permission denied" in peek.stderr) == ("", True)
    opened = subprocess.run([sys.executable, str(OPENER), str(path), "open"], capture_output=True, text=True, cwd="/")
    assert opened.stdout == f"Unreachable: cannot open {path}: {CANNOT}\n"


@as_root
def test_root_may_work_on_another_users_database_and_leaves_it_to_him(open_folder: Path) -> None:
    path = open_folder / "league.db"
    Store.open(path).close()
    os.chown(path, 65534, 65534)
    with Store.open(path, owner="server") as store:
        store.bots.add("greedy")
        for suffix in ("", "-wal", "-shm"):
            found = os.stat(f"{path}{suffix}")
            assert (found.st_uid, stat.S_IMODE(found.st_mode)) == (65534, 0o600)
    peek = subprocess.run([*NOBODY, "/usr/bin/env", "cat", str(path)], capture_output=True)
    assert peek.stdout.startswith(b"SQLite format 3")


def test_a_file_that_others_can_read_is_used_as_it_is_and_the_writers_say_what_to_type(
    referee: Referee, tmp_path: Path
) -> None:
    path = tmp_path / "old league.db"

    def said(*words: str) -> str:
        done = referee(*words, "--db", path)
        assert done.code == 0, done.err
        return done.err

    said("bot", "add", "ada")
    path.chmod(0o644)
    create = ("tournament", "create", "cup", "--game", "stop_me_go", "--rounds", "2", "--bots", "random,patient")
    for words in (create, ("tournament", "start", "cup")):
        (line,) = (line for line in said(*words).splitlines() if line.startswith("warning: "))
        assert line.startswith(f"warning: others can read {path}, and so the secret deals of its tournaments: chmod")
    assert mode(path) == 0o644
    readers: tuple[tuple[str, ...], ...] = (("tournament", "list"), ("leaderboard", "cup", "--once"), ("verify",))
    for reader in readers:
        assert "warning" not in said(*reader)
    subprocess.run(["sh", "-c", line.partition("tournaments: ")[2]], check=True)
    assert mode(path) == 0o600
    assert "warning" not in said("bot", "add", "bob")


BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"]
"""Root without the right to pass over permissions; others have none to lose."""
READING = """
import sys
from pathlib import Path
from referee.store import Store, StoreError
from referee.store.address import parse_address
from referee.store.backup import back_up
try:
    with Store.open(sys.argv[1], create=False) as store:
        print(*(bot.name for bot in store.bots.all()))
        if len(sys.argv) > 2:
            print(back_up(parse_address(sys.argv[1]), Path(sys.argv[2])) > 0)
        store.bots.add("late")
except StoreError as error:
    print(f"{type(error).__name__}: {error}")
"""


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written to, as on a read-only medium, with a database in it."""
    folder = tmp_path / "medium"
    folder.mkdir()
    with Store.open(folder / "league.db") as store:
        store.bots.add("greedy")
    yield folder / "league.db"
    folder.chmod(0o755)


def read(path: Path, *words: str) -> list[str]:
    path.chmod(0o444)
    path.parent.chmod(0o555)
    bound = BOUND if os.geteuid() == 0 else []
    done = subprocess.run([*bound, sys.executable, "-c", READING, str(path), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_database_on_a_read_only_medium_is_read_and_copied(read_only: Path, tmp_path: Path) -> None:
    names, copied, refused = read(read_only, str(tmp_path / "copy.db"))
    assert (names, copied) == ("greedy", "True")
    assert refused.startswith(f"ReadOnly: {read_only} is read-only: ")
    assert [each.name for each in read_only.parent.iterdir()] == ["league.db"]
    with Store.open(tmp_path / "copy.db") as copy:
        assert [bot.name for bot in copy.bots.all()] == ["greedy"]


def test_one_with_changes_beside_it_that_cannot_be_read_is_not_read_as_if_it_were_whole(read_only: Path) -> None:
    Path(f"{read_only}-wal").write_bytes(b"x" * 4096)
    [said] = read(read_only)
    assert said.startswith(("ReadOnly: ", "Unreachable: "))


def test_one_of_an_older_version_says_to_copy_it(read_only: Path) -> None:
    with Store.open(read_only) as store, store._writing.begin() as connection:
        downgrade(connection, "0008")
    [said] = read(read_only)
    assert said.startswith(f"ReadOnly: {read_only} was made by an older version and cannot be brought up to date")
