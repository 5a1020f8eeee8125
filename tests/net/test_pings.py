"""A bot that is silent and pings, as gRPC does to find out whether the server is there, keeps its connection.

Without the option of that name gRPC allows a ping in five minutes, and ends the connection after the fourth that comes
sooner: bots that wait for a match, and bots under a debugger, would be sent away again and again.
"""

from __future__ import annotations

import asyncio

import pytest

from referee.net import listener
from referee.net.listener import Wire

from ..waiting import PATIENCE

GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""HTTP/2's first words, and settings that change nothing."""
PING, GOAWAY, ACKNOWLEDGED = 6, 7, 1
OFTEN = "grpc.http2.min_ping_interval_without_data_ms"


async def answered(reader: asyncio.StreamReader) -> bool:
    """Whether the next ping is answered; False if the server says goodbye instead."""
    while True:
        head = await reader.readexactly(9)
        await reader.readexactly(int.from_bytes(head[:3], "big"))
        if head[3] == GOAWAY:
            return False
        if head[3] == PING and head[4] & ACKNOWLEDGED:
            return True


async def pings_answered(count: int) -> int:
    """How many of so many pings, one every tenth of a second, are answered before the connection ends."""
    wire = Wire([])
    address = await wire.start("127.0.0.1:0")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(GREETING)
            for number in range(count):
                writer.write(bytes([0, 0, 8, PING, 0, 0, 0, 0, 0]) + number.to_bytes(8, "big"))
                if not await answered(reader):
                    return number
                await asyncio.sleep(0.1)  # the pace of the pings: on a busy machine it is slower, never quicker
            return count
    except (asyncio.IncompleteReadError, ConnectionError):
        return 0
    finally:
        writer.close()
        await wire.stop(0)


async def test_pings_at_the_allowed_pace_are_answered_and_too_many_end_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert dict(listener.OPTIONS)[OFTEN] == 5_000, "the SDKs ping every 20 seconds"
    monkeypatch.setattr(listener, "OPTIONS", [*listener.OPTIONS, (OFTEN, 50)])
    assert await pings_answered(8) == 8
    monkeypatch.setattr(listener, "OPTIONS", [*listener.OPTIONS, (OFTEN, 300_000)])
    assert await pings_answered(8) < 8
