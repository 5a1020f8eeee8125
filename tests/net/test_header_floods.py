"""Floods below any call (HTTP/2): header blocks without an end, streams reset at once, frames of one byte."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from referee.net import memory_watch
from referee.net.connection_limits import ConnectionLimiter
from referee.net.limits import Limits
from referee.net.memory_watch import LOOKS, MemoryWatch, Pressure
from referee.net.open_calls import Calls
from referee.net.open_connections import Connection
from referee.net.received_bytes import AT_ONCE, BOT_AT_ONCE, PER_SECOND, ReceivedBytes

from ..waiting import PATIENCE, eventually
from .conftest import Process
from .elsewhere import PREFACE, SETTINGS, dial, is_open
from .raw import PLAY
from .steady import steady

HEADERS, RESET, CONTINUATION = 1, 3, 9
END_HEADERS = 4


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def header(name: bytes, value: bytes) -> bytes:
    """A header as HPACK writes it in full."""
    length, rest = bytes([min(127, len(value))]), len(value) - 127
    if rest >= 0:
        while rest >= 128:
            length += bytes([rest % 128 + 128])
            rest //= 128
        length += bytes([rest])
    return b"\x00" + bytes([len(name)]) + name + length + value


CALL = b"".join(
    header(name, value)
    for name, value in (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", PLAY.encode()),
        (b":authority", b"x"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
    )
)


def send(address: str, *parts: bytes) -> bool:
    """Send all of it on a connection of its own; whether the server has ended it before that."""
    with dial(address, first=b"") as connection:
        try:
            connection.sendall(PREFACE + SETTINGS)
            for part in parts:
                connection.sendall(part)
        except OSError:
            return True
        return False


def flood(address: str) -> None:
    """A header block without an end, until the server has had enough of it."""
    part = frame(CONTINUATION, 0, 1, header(b"a", b"x" * 16_000)) * 16
    with dial(address, first=b"") as connection, suppress(ConnectionError):
        connection.sendall(PREFACE + SETTINGS + frame(HEADERS, 0, 1, header(b"a", b"b")))
        while is_open(connection):
            connection.settimeout(1.0)
            with suppress(TimeoutError):  # closed by the server, it may take nothing and say nothing
                connection.sendall(part)


def withstands(attack: Callable[[str], object], folder: Path, *, at_once: int, times: int) -> None:
    """A server under this attack ends connections, gives its memory back, and lets an honest bot play."""
    process = Process(folder)
    try:
        before = process.memory
        with ThreadPoolExecutor(at_once) as crowd:
            list(crowd.map(attack, [process.address] * times))
        eventually(lambda: process.memory < before + 60, PATIENCE, lambda: f"{before} MB, now {process.memory}")
        token = process.token("alice")

        async def plays() -> None:
            async with steady(process.address, token) as bot:
                await bot.plays_on(5, PATIENCE)

        asyncio.run(plays())
    finally:
        process.stop()
    assert "connections were ended" in process.said
    assert "Traceback" not in process.said


def test_a_header_block_without_an_end_is_cut_off_and_its_memory_comes_back(tmp_path: Path) -> None:
    """Without a token, on twelve connections at once."""
    withstands(flood, tmp_path, at_once=12, times=12)


async def test_streams_that_are_reset_at_once_disturb_nobody(served: Process) -> None:
    before = served.memory
    burst = b"".join(
        frame(HEADERS, END_HEADERS, stream, CALL) + frame(RESET, 0, stream, struct.pack(">I", 8))
        for stream in range(1, 1001, 2)
    )
    async with steady(served.address, served.token("resetting")) as bot:
        await asyncio.to_thread(send, served.address, burst)
        await bot.plays_on(20, PATIENCE)
    assert served.memory < before + 60


async def test_frames_of_one_byte_disturb_nobody(served: Process) -> None:
    before = served.memory
    block = CALL + header(b"x", b"y" * 3000)
    small = [frame(CONTINUATION, 0, 1, block[at : at + 1]) for at in range(1, len(block))]
    async with steady(served.address, served.token("patient1")) as bot:
        await asyncio.to_thread(send, served.address, frame(HEADERS, 0, 1, block[:1]), *small)
        await bot.plays_on(20, PATIENCE)
    assert served.memory < before + 40


def at(host: str, number: int, received: int) -> Connection:
    return Connection(number, number, host, f"{host} {number}", 0.0, received=received)


def test_of_an_address_that_sends_too_much_the_busiest_connections_end() -> None:
    counted = ReceivedBytes()
    quiet, busy, other = at("10.0.0.1", 1, 2000), at("10.0.0.1", 2, AT_ONCE + 5000), at("10.0.0.2", 3, 4000)
    assert counted.too_many([quiet, busy, other], [], 0.0) == [busy]
    quiet.received += 1000
    assert counted.too_many([quiet, other], [], 1.0) == [], "it does not pay for the other's debt"


def test_who_comes_back_has_no_new_allowance() -> None:
    counted = ReceivedBytes()
    assert counted.too_many([at("10.0.0.1", 1, AT_ONCE - 10)], [], 0.0) == []
    assert counted.too_many([], [], 0.1) == []
    again = at("10.0.0.1", 2, PER_SECOND)
    assert counted.too_many([again], [], 0.2) == [again]
    assert counted.too_many([at("10.0.0.1", 3, AT_ONCE - 10)], [], 1000.0) == []


def test_a_connection_on_which_a_bot_plays_may_send_much_more_but_not_without_end() -> None:
    counted = ReceivedBytes()
    bot = at("10.0.0.1", 1, BOT_AT_ONCE - 10)
    assert counted.too_many([bot], [bot.where], 0.0) == []
    bot.received += BOT_AT_ONCE
    assert counted.too_many([bot], [bot.where], 0.1) == [bot]


def test_above_the_limit_of_memory_strangers_go_and_if_that_does_not_help_the_host_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    used = 90
    monkeypatch.setattr(memory_watch, "resident", lambda: used)
    watch = MemoryWatch(100)
    assert watch.look(0.0) is Pressure.NONE
    used = 120
    assert [watch.look(second) for second in range(1, LOOKS)] == [Pressure.HIGH] * (LOOKS - 1)
    assert watch.look(LOOKS) is Pressure.LASTING
    assert "takes 120 MB of memory, more than its 100 MB" in watch.told
    assert watch.look(LOOKS + 1.0) is Pressure.HIGH
    used = 90
    assert watch.look(LOOKS + 2.0) is Pressure.NONE


def test_free_memory_is_given_back_above_the_limit_before_anything_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    used = [120, 80]
    given: list[bool] = []
    monkeypatch.setattr(memory_watch, "resident", lambda: used.pop(0))
    monkeypatch.setattr(memory_watch, "give_back", lambda: given.append(True))
    assert MemoryWatch(100).look(0.0) is Pressure.NONE
    assert given == [True]


async def test_a_server_whose_memory_stays_used_up_tells_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_watch, "resident", lambda: 5000)
    monkeypatch.setattr(memory_watch, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(memory_watch, "LOOKS", 2)
    told: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    limiter = ConnectionLimiter(1, Calls(), Limits(memory=100), 100, told.set_result)
    watching = asyncio.ensure_future(limiter.watch())
    try:
        assert "5000 MB" in await asyncio.wait_for(told, PATIENCE)
    finally:
        watching.cancel()
        await asyncio.wait({watching})
        limiter.close()
