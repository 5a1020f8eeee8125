"""Clients from other addresses of this machine: all of 127.0.0.0/8 is here."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes.fromhex("000000040000000000")


def dial(server: str, address: str = "127.0.0.1", first: bytes = PREFACE + SETTINGS) -> socket.socket:
    """A connection from this address on which nothing is called."""
    host, _, port = server.rpartition(":")
    connection = socket.create_connection((host, int(port)), timeout=120, source_address=(address, 0))
    with suppress(OSError):  # it may have been ended already
        connection.sendall(first)
    return connection


def is_open(connection: socket.socket) -> bool:
    """Whether the other side has not ended it."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return True
    except OSError:
        pass
    return False


@asynccontextmanager
async def door_at(server: str, address: str) -> AsyncIterator[str]:
    """An address to connect to; whoever does comes to the server from `address`."""
    host, _, port = server.rpartition(":")
    pumps: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def enter(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner, outer = await asyncio.open_connection(host, int(port), local_addr=(address, 0))
        for pair in ((reader, outer), (inner, writer)):
            task = asyncio.ensure_future(pump(*pair))
            pumps.add(task)
            task.add_done_callback(pumps.discard)

    door = await asyncio.start_server(enter, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{door.sockets[0].getsockname()[1]}"
    finally:
        door.close()
        for task in list(pumps):
            task.cancel()
