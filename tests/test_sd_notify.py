"""Notification of systemd: real datagrams on a real socket."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.sd_notify import notify, signs_of_life, watchdog_seconds

from .waiting import PATIENCE


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener


def test_a_message_arrives(systemd: socket.socket) -> None:
    assert notify("READY=1", "STATUS=here")
    assert systemd.recv(4096) == b"READY=1\nSTATUS=here"


def test_an_abstract_socket_is_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"referee-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0" + name)
        listener.settimeout(PATIENCE)
        monkeypatch.setenv("NOTIFY_SOCKET", "@" + name)
        assert notify("READY=1")
        assert listener.recv(4096) == b"READY=1"


@pytest.mark.parametrize("address", [None, "", "nowhere", "/nowhere/at/all"])
def test_without_systemd_nothing_happens(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    if address is None:
        monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    else:
        monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert not notify("READY=1")


def test_the_watchdog_is_that_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "30000000")
    monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()))
    assert watchdog_seconds() == 30
    monkeypatch.setenv("WATCHDOG_PID", "1")
    assert watchdog_seconds() is None
    monkeypatch.delenv("WATCHDOG_PID")
    monkeypatch.setenv("WATCHDOG_USEC", "0")
    assert watchdog_seconds() is None


async def test_signs_of_life_are_sent_again_and_again(systemd: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "2000")
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    sending = asyncio.ensure_future(signs_of_life())
    for _ in range(3):
        assert await asyncio.to_thread(systemd.recv, 4096) == b"WATCHDOG=1"
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)


def test_serve_says_when_it_is_ready_and_when_it_stops(systemd: socket.socket, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "referee", "serve", "--listen", "127.0.0.1:0", "--db", "league.db"]
    with subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.DEVNULL) as server:
        try:
            assert systemd.recv(4096).startswith(b"READY=1\nSTATUS=listens on 127.0.0.1:")
            server.send_signal(signal.SIGINT)
            assert systemd.recv(4096).startswith(b"STOPPING=1\n")
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()
