"""A PostgreSQL server to test with: the one that is given, else a private one if its programs are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

NO_SERVER = "no PostgreSQL: set REFEREE_TEST_POSTGRES to a server's URL, or install its programs initdb and postgres"
NUMBERS = count(1)


@pytest.fixture
def postgres_address(postgres_url: str) -> Iterator[str]:
    """A schema of its own on the server: as good as a database of its own, and made in no time."""
    name = f"referee_test_{os.getpid()}_{next(NUMBERS)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
        url = make_url(postgres_url).update_query_dict({"options": f"-csearch_path={name}"})
        yield url.render_as_string(hide_password=False)
        connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a server, one for all tests: to make one takes seconds. Tests are skipped where there is none."""
    given = os.environ.get("REFEREE_TEST_POSTGRES")
    found = programs()
    if given:
        yield given
    elif found is None:
        pytest.skip(NO_SERVER)
    else:
        with private_server(*found) as server:
            yield server.url


@pytest.fixture
def own_postgres() -> Iterator[PrivatePostgres]:
    """A server that no other test uses, to be stopped and started."""
    found = programs()
    if found is None:
        pytest.skip(NO_SERVER)
    with private_server(*found) as server:
        yield server


def programs() -> tuple[str, str] | None:
    places = [*os.get_exec_path(), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    initdb, postgres = (shutil.which(name, path=os.pathsep.join(places)) for name in ("initdb", "postgres"))
    return (initdb, postgres) if initdb and postgres else None


@contextmanager
def private_server(initdb: str, postgres: str, *, durable: bool = False) -> Iterator[PrivatePostgres]:
    """A fresh cluster in a folder of its own, reached by a unix socket, gone afterwards.

    It does not wait for the disk unless it is `durable`, as any server is that is not for tests.
    """
    # Not pytest's folder: that one is closed to other users, and its path is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_other: list[str] = []
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        known = {entry.pw_name: entry for entry in pwd.getpwall()}
        other = known.get("postgres") or known["nobody"]
        os.chown(folder, other.pw_uid, other.pw_gid)
        as_other = ["setpriv", f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    cluster = str(folder / "cluster")
    try:
        made = subprocess.run(
            [
                *as_other,
                initdb,
                "-D",
                cluster,
                "-U",
                "referee",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync",
            ],
            capture_output=True,
            text=True,
            cwd="/",
            timeout=120,
        )
        assert made.returncode == 0, made.stderr
        server = PrivatePostgres([*as_other, postgres], cluster, folder, durable=durable)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class PrivatePostgres:
    """A server of one's own, which can be stopped and started again."""

    def __init__(self, program: list[str], cluster: str, folder: Path, *, durable: bool = False) -> None:
        self.url = f"postgresql://referee@/postgres?host={folder}"
        self._words = [*program, "-D", cluster, "-k", str(folder), "-c", "listen_addresses="]
        self._words += [] if durable else ["-c", "fsync=off"]
        self._log = folder / "log"
        self._server: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(self._words, stdout=log, stderr=log, cwd="/")
        _wait_until_it_answers(self.url, self._server, self._log)

    def stop(self) -> None:
        """All connections are ended at once; a second time does nothing."""
        if self._server is not None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(timeout=60)
            self._server = None


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
