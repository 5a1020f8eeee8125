"""TCP relay between a bot and the scripted server: cuts connections, falls silent, sends and sees HTTP/2 pings.

gRPC gives a server no handle on its connections. So a bot under test connects to a relay, and the relay to the
server. A relay listens on a port of this machine or on a unix socket. It reads HTTP/2 only as far as the lengths and
types of frames; bytes of TLS pass through unread.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from contextlib import suppress

PREFACE = 24
HEAD = 9
PING = 6
ACK = 1
OURS = b"conform!"
"""The eight bytes of a ping that the relay sends itself; its answer does not reach the server."""


class Frames:
    """Cuts a stream of bytes into HTTP/2 frames."""

    def __init__(self, skip: int) -> None:
        self._skip = skip
        self._data = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        self._data += data
        out = []
        if self._skip:
            if len(self._data) < self._skip:
                return []
            out.append(bytes(self._data[: self._skip]))
            del self._data[: self._skip]
            self._skip = 0
        while len(self._data) >= HEAD:
            length = HEAD + int.from_bytes(self._data[:3], "big")
            if len(self._data) < length:
                break
            out.append(bytes(self._data[:length]))
            del self._data[:length]
        return out


def is_ping(frame: bytes, *, ack: bool) -> bool:
    return len(frame) == HEAD + 8 and frame[3] == PING and bool(frame[4] & ACK) is ack


class Relay:
    """One address for a bot to connect to. `await open()`, then `where` is the address."""

    def __init__(self, target: str, *, unix: str = "", host: str = "localhost", plain: bool = True) -> None:
        self._target = target
        self._unix = unix
        self._host = host
        self._plain = plain
        self._listener: asyncio.Server | None = None
        self._links: set[_Link] = set()
        self._changed = asyncio.Condition()
        self.where = ""
        self.connections = 0
        self.pings = 0
        """Pings that the bot has sent."""
        self.answers = 0
        """Answers of the bot to the relay's own pings."""

    async def open(self) -> None:
        if self._unix:
            self._listener = await asyncio.start_unix_server(self._arrived, self._unix)
            self.where = f"unix:{self._unix}"
        else:
            self._listener = await asyncio.start_server(self._arrived, "127.0.0.1", 0)
            self.where = f"{self._host}:{self._listener.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Break every connection without a word, as a lost network does."""
        for link in list(self._links):
            link.abort()

    def gone(self) -> None:
        """Listen no more, and break every connection."""
        if self._listener is not None:
            self._listener.close()
            if self._unix:
                with suppress(FileNotFoundError):
                    os.unlink(self._unix)
        self.cut()

    def ping(self) -> None:
        """Ask the bot's side of every connection for a sign of life."""
        for link in self._links:
            link.ping()

    async def until(self, check: Callable[[], bool]) -> None:
        """Wait until something that the relay sees is so."""
        async with self._changed:
            await self._changed.wait_for(check)

    async def close(self) -> None:
        self.gone()
        if self._links:
            await asyncio.wait([link.done for link in self._links])

    async def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError):
            there, to_server = await asyncio.open_unix_connection(self._target)
            link = _Link(self, reader, writer, there, to_server, plain=self._plain)
            self._links.add(link)
            try:
                await link.run()
            finally:
                self._links.discard(link)
            return
        writer.transport.abort()

    async def tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class _Link:
    """One connection of a bot, and the connection to the server that goes with it."""

    def __init__(
        self,
        relay: Relay,
        bot: asyncio.StreamReader,
        to_bot: asyncio.StreamWriter,
        server: asyncio.StreamReader,
        to_server: asyncio.StreamWriter,
        *,
        plain: bool,
    ) -> None:
        self._relay = relay
        self._bot, self._to_bot, self._server, self._to_server = bot, to_bot, server, to_server
        self._up = Frames(PREFACE) if plain else None
        self._down = Frames(0) if plain else None
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        up, down = asyncio.ensure_future(self._carry_up()), asyncio.ensure_future(self._carry_down())
        try:
            await asyncio.wait((up, down), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # What one side has ended is over for the other: a half-closed connection means nothing to gRPC.
            up.cancel()
            down.cancel()
            for writer in (self._to_bot, self._to_server):
                writer.close()
            self.done.set_result(None)

    def abort(self) -> None:
        for writer in (self._to_bot, self._to_server):
            writer.transport.abort()

    def ping(self) -> None:
        self._to_bot.write((8).to_bytes(3, "big") + bytes((PING, 0)) + bytes(4) + OURS)

    async def _carry_up(self) -> None:
        with suppress(OSError):
            while data := await self._bot.read(1 << 16):
                if self._up is not None:
                    data = b"".join([frame for frame in self._up.feed(data) if not await self._ours(frame)])
                self._to_server.write(data)
                await self._to_server.drain()

    async def _ours(self, frame: bytes) -> bool:
        """Whether a frame of the bot's is for the relay alone."""
        if is_ping(frame, ack=False):
            self._relay.pings += 1
            await self._relay.tell()
        elif is_ping(frame, ack=True) and frame.endswith(OURS):
            self._relay.answers += 1
            await self._relay.tell()
            return True
        return False

    async def _carry_down(self) -> None:
        with suppress(OSError):
            while data := await self._server.read(1 << 16):
                # Only whole frames, so that a ping never lands inside another.
                self._to_bot.write(data if self._down is None else b"".join(self._down.feed(data)))
                await self._to_bot.drain()


def closed_port() -> tuple[socket.socket, str]:
    """An address on which nothing listens for as long as the socket is kept: bound, so that no other takes it."""
    kept = socket.socket()
    kept.bind(("127.0.0.1", 0))
    return kept, f"localhost:{kept.getsockname()[1]}"
