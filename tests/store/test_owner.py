"""One server per database; everybody else may look and administer."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.store import AlreadyOwned, DiskFull, Store, Unreachable, owner

if TYPE_CHECKING:
    from tests.store.conftest import Hall
    from tests.store.postgres_server import PrivatePostgres

SERVER_WITH_WORKER = """
import os, signal, sys
from referee.store import Store
store = Store.open(sys.argv[1], owner="server")
if os.fork() == 0:
    os.write(1, b"forked\\n")
    os.read(0, 1)
    os.write(1, b"worker ends\\n")
    os._exit(0)
signal.pause()
"""


@pytest.fixture
def refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, "RELEASE_SECONDS", 0.0)


@pytest.mark.usefixtures("refused_at_once")
def test_a_second_server_is_refused_and_others_may_still_open(open_store: Callable[..., Store]) -> None:
    server = open_store(owner="server")
    with pytest.raises(AlreadyOwned, match=r"already running on .*: stop it first"):
        open_store(owner="server")
    admin = open_store()
    admin.bots.add("greedy")
    assert [bot.name for bot in server.bots.all()] == ["greedy"]


@pytest.mark.usefixtures("refused_at_once")
def test_a_refused_server_does_not_loosen_the_hold_of_the_first(open_store: Callable[..., Store]) -> None:
    server = open_store(owner="server")
    for _ in range(3):
        with pytest.raises(AlreadyOwned):
            open_store(owner="server")
    server.bots.add("greedy")
    server.close()
    assert open_store(owner="server").bots.find("greedy") is not None


def test_a_disk_without_any_room_is_told_with_the_name_of_the_database_and_may_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the note of who holds it can be written; `serve` said 'the system: No space left on device'."""
    path = tmp_path / "league.db"
    Store.open(path).close()

    def write(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as full:
        full.setattr("os.write", write)
        with pytest.raises(DiskFull, match=r"no room left to write .*league\.db: free some"):
            Store.open(path, owner="server")
    assert not path.with_name("league.db-owner").exists()
    Store.open(path, owner="server").close()


def test_a_server_that_closed_leaves_nothing_beside_the_database(hall: Hall, open_store: Callable[..., Store]) -> None:
    for _ in range(2):
        open_store(owner="server").close()
    if hall.kind == "sqlite":
        assert [path.name for path in Path(hall.address).parent.iterdir()] == ["league.db"]


def test_a_server_waits_while_postgresql_has_not_noticed_that_the_last_one_was_killed(
    postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Store.open(postgres_address, owner="server")
    looks: list[float] = []

    def another_look(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) == 3:
            first.close()

    monkeypatch.setattr("referee.store.owner.time.sleep", another_look)
    Store.open(postgres_address, owner="server").close()
    assert len(looks) == 3


def test_a_link_to_the_file_is_the_same_database(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    with Store.open(tmp_path / "league.db", owner="server"):
        link.symlink_to(tmp_path / "league.db")
        with pytest.raises(AlreadyOwned):
            Store.open(link, owner="server")


def test_a_worker_does_not_keep_the_hold_of_a_server_that_is_gone(tmp_path: Path) -> None:
    """A worker forked by a server may outlive its crash; the next server must start all the same."""
    path = tmp_path / "league.db"
    script = [sys.executable, "-c", SERVER_WITH_WORKER, str(path)]
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stdout.readline() == b"forked\n"
        server.kill()
        server.wait()
        with Store.open(path, owner="server") as store:
            assert store.bots.all() == []
        # The worker is still there: it says so, and ends with its input.
        server.stdin.close()
        assert server.stdout.readline() == b"worker ends\n"


def test_ownership_is_asked_for_again_as_long_as_postgresql_is_away(own_postgres: PrivatePostgres) -> None:
    with Store.open(own_postgres.url, owner="server") as store:
        own_postgres.stop()
        for _ in range(3):
            with pytest.raises(Unreachable):
                store.renew_ownership()
        own_postgres.start()
        store.renew_ownership()
        with pytest.raises(AlreadyOwned):
            Store.open(own_postgres.url, owner="server")
