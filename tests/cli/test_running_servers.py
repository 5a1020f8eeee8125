"""Servers on this machine are found by what their processes have open, so that nobody registers a bot elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.cli.running_servers import RunningServer, running_servers
from referee.store import Store

if TYPE_CHECKING:
    from tests.cli.conftest import Referee

LISTENING = (
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 0100007F:1E14 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0\n"
    "   1: 0100007F:1E15 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0\n"
    "   2: 0100007F:1E14 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0\n"
)


@pytest.fixture
def processes(tmp_path: Path) -> Path:
    folder = tmp_path / "proc"
    folder.mkdir()
    (folder / "version").write_text("no process")
    return folder


def process(processes: Path, number: int, *words: str, files: tuple[str, ...] = ()) -> None:
    folder = processes / str(number)
    (folder / "fd").mkdir(parents=True)
    (folder / "net").mkdir()
    (folder / "net" / "tcp").write_text(LISTENING)
    (folder / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in words))
    for descriptor, target in enumerate(files):
        (folder / "fd" / str(descriptor)).symlink_to(target)


def test_a_server_is_known_by_the_lock_of_its_database_and_its_port(processes: Path, tmp_path: Path) -> None:
    lock = tmp_path / "league.db-owner"
    lock.write_text("server, process 12")
    process(processes, 12, "python", "-c", "…", files=(str(lock), "socket:[4711]", "socket:[4713]"))
    assert running_servers(processes) == [RunningServer(12, str(tmp_path / "league.db"), 7700)]


def test_a_server_without_a_file_is_known_by_its_command_line(processes: Path) -> None:
    process(processes, 7, "/usr/bin/python3", "/opt/bin/referee", "serve", "--db", "postgresql://…")
    assert running_servers(processes) == [RunningServer(7, None, None)]


def test_of_several_ports_none_is_named(processes: Path) -> None:
    process(processes, 7, "referee", "serve", files=("socket:[4711]", "socket:[4712]"))
    assert running_servers(processes) == [RunningServer(7, None, None)]


def test_other_programs_and_other_owners_of_a_database_are_no_servers(processes: Path, tmp_path: Path) -> None:
    lock = tmp_path / "mine.db-owner"
    lock.write_text("run, process 3")
    process(processes, 3, "referee", "run", "flip7", files=(str(lock), "socket:[4711]"))
    process(processes, 4, "vi", "serve")
    process(processes, 5, "cat", files=(str(tmp_path / "gone-owner"),))
    assert running_servers(processes) == []


def test_a_machine_without_proc_has_none_to_tell_of(tmp_path: Path) -> None:
    assert running_servers(tmp_path / "nowhere") == []


def test_a_bot_registered_beside_a_running_server_is_told_so(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served, here = tmp_path / "served.db", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with Store.open(str(served), owner="server"):  # a server as far as others can see
        first = referee("bot", "add", "ada")
        again = referee("bot", "add", "bob")
    assert first.code == again.code == 0
    assert f"a new database was made: {here / 'referee.db'}" in first.err
    assert f"a server is running on this machine on {served} (process {os.getpid()})" in first.err
    assert f"--db {served}" in first.err
    assert again.err == ""


def test_a_database_that_was_named_is_made_without_a_look_at_servers(referee: Referee, tmp_path: Path) -> None:
    done = referee("bot", "add", "ada", "--db", tmp_path / "new.db", "--json")
    assert done.code == 0
    assert done.err == f"a new database was made: {tmp_path / 'new.db'}\n"
    assert done.json["name"] == "ada"
    assert referee("bot", "add", "bob", "--db", tmp_path / "new.db").err == ""
