"""Floods of HTTP/2 frames that no client sends: bounded memory that comes back, and a bot beside them that plays on."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from referee.net.open_connections import Connections

from ..waiting import PATIENCE, eventually, soon
from .conftest import Process, Server
from .elsewhere import PREFACE, SETTINGS, dial, is_open
from .raw import PLAY
from .steady import steady
from .test_header_floods import CALL, CONTINUATION, END_HEADERS, HEADERS, RESET, frame, header, send, withstands

pytestmark = pytest.mark.xdist_group("floods")  # one worker: what its tests share takes long to make

DATA, PRIORITY, SETTING, PROMISE, GOAWAY, WINDOW, UNKNOWN = 0, 2, 4, 5, 7, 8, 0xFA
END_STREAM, ACK, PADDED = 1, 1, 8
STREAMS = range(1, 1001, 2)
EMPTY_VALUE = b"\x8f"
"""A header in one byte: `accept-charset` of the static table, which every decoder has."""
LISTING = CALL.replace(
    header(b":path", PLAY.encode()), header(b":path", b"/arena.v1.TournamentService/ListTournaments")
)


def open_streams(block: bytes = CALL) -> bytes:
    return b"".join(frame(HEADERS, END_HEADERS, stream, block) for stream in STREAMS)


def reset_by_us(*after: tuple[int, int, bytes]) -> bytes:
    """Streams that the server has to reset itself, each right after it was opened ("made you reset")."""
    return b"".join(
        frame(HEADERS, END_HEADERS, stream, CALL)
        + b"".join(frame(kind, flags, stream, body) for kind, flags, body in after)
        for stream in STREAMS
    )


def half_sent() -> bytes:
    """A message of a megabyte is announced on each stream, and little of it ever comes."""
    return b"".join(
        frame(HEADERS, END_HEADERS, stream, LISTING) + frame(DATA, 0, stream, b"\0\0\x0f\xff\xff" + bytes(1000))
        for stream in range(1, 129, 2)
    )


def unread() -> bytes:
    """Questions whose answers are never taken: the window for them is closed."""
    asked = b"".join(
        frame(HEADERS, END_HEADERS, stream, LISTING) + frame(DATA, END_STREAM, stream, bytes(5))
        for stream in range(1, 129, 2)
    )
    return frame(SETTING, 0, 0, struct.pack(">HI", 4, 0)) + asked


FLOODS: dict[str, Callable[[], Iterable[bytes]]] = {
    "windows": lambda: [frame(WINDOW, 0, 0, struct.pack(">I", 1)) * 50_000],
    "windows that overflow": lambda: [frame(WINDOW, 0, 0, struct.pack(">I", 0x7FFFFFFF)) * 100],
    "windows of streams that are not": lambda: [frame(WINDOW, 0, 7, struct.pack(">I", 1)) * 50_000],
    "priorities": lambda: [b"".join(frame(PRIORITY, 0, stream, bytes(4) + b"\7") for stream in STREAMS)] * 50,
    "data without data": lambda: [frame(HEADERS, END_HEADERS, 1, CALL), frame(DATA, 0, 1, b"") * 50_000],
    "padding": lambda: [frame(HEADERS, END_HEADERS, 1, CALL), frame(DATA, PADDED, 1, b"\xff" + bytes(255)) * 4_000],
    "header blocks of nothing": lambda: [frame(HEADERS, 0, 1, b""), frame(CONTINUATION, 0, 1, b"") * 50_000],
    "streams without headers": lambda: [open_streams(b"")],
    "sizes of the table": lambda: [open_streams(b"\x3f\xe1\x1f\x20" * 500 + CALL)],
    "a number without an end": lambda: [open_streams(CALL + b"\x00\x01a\xff" + b"\x80" * 2000)],
    "promises": lambda: [frame(PROMISE, END_HEADERS, 1, struct.pack(">I", 2) + CALL) * 2_000],
    "unknown frames": lambda: [frame(UNKNOWN, 0xFF, 0, b"") * 50_000, frame(UNKNOWN, 0xFF, 0, bytes(16_384)) * 50],
    "farewells": lambda: [frame(GOAWAY, 0, 0, bytes(8) + b"x" * 16_000) * 100],
    "streams left open": lambda: [open_streams()] * 2,
    "half-sent messages": lambda: [half_sent()],
    "answers that are not taken": lambda: [unread()],
    "resets: no window": lambda: [reset_by_us((WINDOW, 0, bytes(4)))],
    "resets: data after the end": lambda: [reset_by_us((DATA, END_STREAM, b""), (DATA, 0, b"abc"))],
    "resets: a window that overflows": lambda: [reset_by_us(*[(WINDOW, 0, struct.pack(">I", 0x7FFFFFFF))] * 2)],
    "resets in the midst of a message": lambda: [
        reset_by_us((DATA, 0, b"\0\0\0\0\x05\x0a"), (RESET, 0, struct.pack(">I", 8)))
    ],
    "a window that opens and shuts": lambda: [
        frame(SETTING, 0, 0, struct.pack(">HI", 4, 0) + struct.pack(">HI", 4, 0x7FFFFFFF)) * 5_000
    ],
    "confirmations": lambda: [frame(SETTING, ACK, 0, b"") * 20_000],
    "garbage after a call": lambda: [frame(HEADERS, END_HEADERS, 1, CALL), os.urandom(1 << 20)],
}


@pytest.mark.parametrize("kind", FLOODS)
async def test_a_flood_of_frames_takes_little_memory_and_disturbs_nobody(served: Process, kind: str) -> None:
    before = served.memory
    async with steady(served.address, served.token(kind.replace(":", "").replace(" ", "-"))) as bot:
        await asyncio.to_thread(send, served.address, *FLOODS[kind]())
        await bot.plays_on(20, PATIENCE)
    assert served.memory < before + 40


def flood_of_headers(address: str) -> None:
    """16,000 headers in every frame, until the server has had enough."""
    with dial(address, first=b"") as connection:
        try:
            connection.sendall(PREFACE + SETTINGS)  # which are never confirmed: gRPC then keeps to no limit of its own
            for stream in range(1, 801, 2):
                connection.sendall(frame(HEADERS, END_HEADERS | END_STREAM, stream, CALL + EMPTY_VALUE * 16_000))
        except OSError:
            pass
        eventually(lambda: not is_open(connection), PATIENCE)


def test_headers_of_one_byte_each_are_cut_off_and_their_memory_comes_back(tmp_path: Path) -> None:
    """Without a token, on six connections at once, again and again: 16 KB on the wire are megabytes in memory."""
    withstands(flood_of_headers, tmp_path, at_once=6, times=18)


async def test_calls_of_methods_that_there_are_not_count_like_others(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        for path in ("/arena.v1.MatchService/Cheat", "/x/y", "/"):
            method: Any = channel.unary_unary(path)
            call = method(b"")
            assert await call.code() is grpc.StatusCode.UNIMPLEMENTED
            assert await call.details() == "there is no such method"
    assert sum(server.referee.play._calls.heard().values()) == 3


def read_all(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


async def test_what_an_ended_connection_has_sent_is_not_read_any_more(server: Server) -> None:
    """It is reset: the kernel throws away what came in on it and was not read."""
    seen = Connections(int(server.address.rpartition(":")[2]))
    with dial(server.address) as connection:
        await soon(lambda: seen.look(0.0))
        assert seen.end(seen.look(0.0)[0])
        with pytest.raises(ConnectionResetError):
            read_all(connection)
    seen.close()
