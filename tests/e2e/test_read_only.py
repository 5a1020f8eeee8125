"""A database that becomes read-only while matches are played: one sentence, exit code 3, and all goes on afterwards."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from referee.hall.roster import new_admin_token
from referee.store import Store

from ..store.postgres_server import PrivatePostgres
from ..waiting import PATIENCE, eventually
from .test_tournament_same import digest_in
from .tournament_hall import ENVIRONMENT, HARDSHIP, Hall

MATCHES = 60
PLAN = ("league", "--game", "stop_me_go", "--players", 2, "--repeatable", "--seed", "hard", "--bots", "random,patient")
RUN = ("run", "stop_me_go", "random", "patient", "--rounds", str(MATCHES), "--seed", "hard", "--json")
SENTENCE = "is read-only: make the file and its folder writable, or choose another one"


def words_of(text: str) -> str:
    """Without the lines into which a terminal breaks it."""
    return re.sub(r"\s+", " ", text)


def log_of(hall: Hall) -> str:
    return (hall.folder / "server.log").read_text()


def test_a_server_stops_with_a_sentence_and_goes_on_when_it_may_write_again(hall: Hall) -> None:
    whole = str(hall.folder / "whole.db")
    for db in (whole, hall.db):
        hall.referee("tournament", "create", *PLAN, "--rounds", MATCHES, "--db", db)
    expected = digest_in(hall.referee("tournament", "start", "league", "--db", whole))
    hall.start_under(f"read-only={MATCHES // 2}", "--concurrency", "1")
    # It may be over before the answer is out: the order to start may fail, and the server says why in its log.
    subprocess.run(
        [sys.executable, "-m", "referee", "tournament", "start", "league", "--server", hall.address],
        env=ENVIRONMENT | hall.environment,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert hall.server is not None
    assert hall.server.wait(PATIENCE) == 3, log_of(hall)
    said = words_of(log_of(hall))
    assert f"{hall.db} {SENTENCE}" in said.rpartition("error: ")[2]
    assert "the server has stopped, and nothing that was stored is lost" in said.rpartition("error: ")[2]
    assert "Traceback" not in said
    before = hall.count()
    assert before < MATCHES
    hall.start()
    hall.wait_for("league")
    assert hall.count() == MATCHES
    hall.kill()
    assert expected in hall.referee("verify", "league", "--db", hall.db, "--digest", expected)


class LoopDisk:
    """A small file system of its own that can fail: ext4 makes itself read-only then, under all files that are open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "disk"
        self.folder.mkdir()
        self._image = folder / "disk.img"
        with self._image.open("wb") as image:
            image.truncate(16 << 20)

    def make(self) -> bool:
        """False where that is not allowed, or the kernel cannot be told to let it fail."""
        if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
            return False
        made = subprocess.run(["mkfs.ext4", "-q", str(self._image)], capture_output=True, check=False)
        return not made.returncode and self.mount() and self._trigger.exists()

    def mount(self) -> bool:
        words = ["mount", "-o", "loop,errors=remount-ro", str(self._image), str(self.folder)]
        return not subprocess.run(words, capture_output=True, check=False).returncode

    def mount_anew(self) -> None:
        """Writable again: as long as anybody holds the one that failed, it is that one which is mounted."""

        def writable() -> bool:
            self.unmount()
            return self.mount() and os.access(self.folder, os.W_OK)

        eventually(writable)

    def fail(self) -> None:
        self._trigger.write_text("the disk fails")

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], capture_output=True, check=False)

    @property
    def _trigger(self) -> Path:
        number = os.stat(self.folder).st_dev
        device = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name
        return Path("/sys/fs/ext4") / device / "trigger_fs_error"


@pytest.fixture
def loop_disk(tmp_path: Path) -> Iterator[LoopDisk | None]:
    disk = LoopDisk(tmp_path)
    made = disk.make()
    yield disk if made else None
    disk.unmount()


def test_a_server_whose_file_system_turns_read_only_says_so_at_once(hall: Hall, loop_disk: LoopDisk | None) -> None:
    """A real one where file systems can be mounted; elsewhere SQLite refuses to write."""
    if loop_disk is not None:
        hall.db = str(loop_disk.folder / "hall.db")
        with Store.open(hall.db) as store:
            hall.environment["REFEREE_ADMIN_TOKEN"] = new_admin_token(store)
    hall.referee("tournament", "create", *PLAN, "--rounds", 20 * MATCHES, "--db", hall.db)
    if loop_disk is None:
        hall.start_under(f"read-only={MATCHES // 2}", "--concurrency", "1")
    else:
        hall.start("--concurrency", "1")
    hall.steer("start", "league")
    eventually(lambda: hall.count() >= 3, why=lambda: log_of(hall)[-3000:])
    if loop_disk is not None:
        loop_disk.fail()
    assert hall.server is not None
    assert hall.server.wait(PATIENCE) == 3, log_of(hall)
    said = words_of(log_of(hall))
    assert f"{hall.db} {SENTENCE}" in said.rpartition("error: ")[2]
    assert "nothing can be stored; trying again" not in said
    assert "no room left" not in said
    assert "Traceback" not in said
    if loop_disk is not None:
        loop_disk.mount_anew()
    before = hall.count()
    assert 3 <= before < 20 * MATCHES
    hall.start()
    eventually(lambda: hall.count() > before, why=lambda: log_of(hall)[-3000:])
    hall.kill()


def test_run_stops_with_a_sentence_and_goes_on_when_it_may_write_again(tmp_path: Path) -> None:
    def run(program: list[str], *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *program, *RUN, *words],
            cwd=tmp_path,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    referee = ["-m", "referee"]
    whole = json.loads(run(referee).stdout)
    cut = run([str(HARDSHIP), f"read-only={MATCHES // 2}"], "--db", "kept.db", "--concurrency", "1")
    assert cut.returncode == 3, cut.stderr
    assert SENTENCE in words_of(cut.stderr)
    assert words_of(cut.stderr).count("error: ") == 1
    assert SENTENCE in json.loads(cut.stdout)["error"]
    assert "Traceback" not in cut.stderr
    kept = run(referee, "--db", "kept.db")
    assert kept.returncode == 0, kept.stderr
    assert (json.loads(kept.stdout)["matches"], json.loads(kept.stdout)["digest"]) == (MATCHES, whole["digest"])


def test_a_server_on_postgresql_does_so_too(hall: Hall, own_postgres: PrivatePostgres) -> None:
    """PostgreSQL becomes read-only for all, as when the server behind the address is now a standby."""
    hall.db = own_postgres.url
    with Store.open(hall.db) as store:
        hall.environment["REFEREE_ADMIN_TOKEN"] = new_admin_token(store)
    hall.referee("tournament", "create", *PLAN, "--rounds", 20 * MATCHES, "--db", hall.db)
    hall.start("--concurrency", "1")
    with psycopg.connect(own_postgres.url, autocommit=True) as beside:

        def finished() -> int:
            row = beside.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
            assert row is not None
            return int(row[0])

        def writable(yes: bool) -> None:
            beside.execute("SET default_transaction_read_only = off")
            beside.execute(f"ALTER SYSTEM SET default_transaction_read_only = {'off' if yes else 'on'}".encode())
            beside.execute("SELECT pg_reload_conf()")

        hall.steer("start", "league")
        eventually(lambda: finished() >= 5, why=lambda: log_of(hall)[-3000:])
        writable(False)
        assert hall.server is not None
        assert hall.server.wait(PATIENCE) == 3, log_of(hall)
        said = words_of(log_of(hall))
        assert "is read-only: " in said.rpartition("error: ")[2]
        assert "Traceback" not in said
        before = finished()
        assert 5 <= before < 20 * MATCHES
        writable(True)
        hall.start()
        eventually(lambda: finished() > before, why=lambda: log_of(hall)[-3000:])
    hall.kill()
