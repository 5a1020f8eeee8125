"""Sockets, other protocols and bare frames of HTTP/2 at the port of a real server: sent away, nobody else disturbed."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct

import grpc
import grpc.aio
import pytest

from referee.net.connection_limits import SILENT_SECONDS

from .conftest import NAMES, Process
from .elsewhere import PREFACE, SETTINGS, dial
from .raw import PLAY, Raw
from .steady import Steady

pytestmark = pytest.mark.xdist_group("below gRPC")  # one worker: what its tests share takes long to make

SOONER = 0.9 * SILENT_SECONDS
"""Seconds within which a connection has to end for what was sent on it, not because it was silent afterwards."""


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """A frame of HTTP/2."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def is_closed_within(connection: socket.socket, seconds: float) -> bool:
    connection.settimeout(seconds)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


async def test_a_message_that_unpacks_to_something_huge_is_not_unpacked(served: Process, good: Steady) -> None:
    """Sent by hand: no library would go on after the refusal."""
    before = served.memory
    bomb = gzip.compress(bytes(64 << 20), 9)
    fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", PLAY),
        (":authority", "x"),
        ("te", "trailers"),
        ("content-type", "application/grpc"),
        ("grpc-encoding", "gzip"),
        ("authorization", f"Bearer {served.token(next(NAMES))}"),
    ]
    block = b"".join(b"\x00" + bytes([len(k)]) + k.encode() + bytes([len(v)]) + v.encode() for k, v in fields)
    message = b"\x01" + struct.pack(">I", len(bomb)) + bomb

    def explode() -> None:
        with dial(served.address, first=b"") as connection:
            connection.sendall(PREFACE + SETTINGS + frame(1, 4, 1, block))
            try:
                for start in range(0, len(message), 16384):
                    connection.sendall(frame(0, 0, 1, message[start : start + 16384]))
                is_closed_within(connection, 0.5)
            except OSError:
                pass

    await asyncio.to_thread(explode)
    await good.plays_on(20)
    assert served.memory < before + 20


async def test_a_flood_of_pings_is_sent_away(served: Process, good: Steady) -> None:
    ping = frame(6, 0, 0, b"pingpong")

    def attack() -> bool:
        with dial(served.address, first=b"") as connection:
            connection.sendall(PREFACE + SETTINGS)
            try:
                for _ in range(200):
                    connection.sendall(ping * 50)
            except OSError:
                return True
            return is_closed_within(connection, SOONER)

    assert await asyncio.to_thread(attack)


async def test_a_flood_of_settings_disturbs_nobody(served: Process, good: Steady) -> None:
    before = served.memory

    def attack() -> None:
        with dial(served.address, first=b"") as connection:
            try:
                connection.sendall(PREFACE + SETTINGS)
                for _ in range(200):
                    connection.sendall(SETTINGS * 100)
            except OSError:
                pass

    await asyncio.to_thread(attack)
    assert served.memory < before + 20


@pytest.mark.parametrize("first", [b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", bytes(4096)])
async def test_another_protocol_is_turned_away(served: Process, first: bytes) -> None:
    def knock() -> bool:
        with dial(served.address, first=b"") as connection:
            connection.sendall(first)
            return is_closed_within(connection, SOONER)

    assert await asyncio.to_thread(knock)


async def test_a_frame_that_claims_to_be_huge_is_turned_away(served: Process, good: Steady) -> None:
    def knock() -> bool:
        with dial(served.address, first=b"") as connection:
            connection.sendall(PREFACE + SETTINGS + b"\xff\xff\xff\x00\x00\x00\x00\x00\x01")
            return is_closed_within(connection, SOONER)

    assert await asyncio.to_thread(knock)


async def test_who_says_nothing_is_sent_away(served: Process, good: Steady) -> None:
    """Sockets that stay silent, and a bot that never says hello."""
    before = served.memory
    sockets = [dial(served.address, first=b"") for _ in range(100)]
    bot = Raw(served.address, served.token(next(NAMES)))
    bot.listen()
    await good.plays_on(20)
    assert served.memory < before + 40
    closed = asyncio.to_thread(lambda: all(is_closed_within(connection, SOONER) for connection in sockets))
    assert await bot.status() == (grpc.StatusCode.DEADLINE_EXCEEDED, "no Hello within 10 seconds")
    assert await closed
    await bot.close()
    for connection in sockets:
        connection.close()
