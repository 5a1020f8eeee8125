"""What `until` of the tests' browser says of a page that comes in pieces, as on a busy machine."""

from __future__ import annotations

import asyncio

import pytest

from ..waiting import PATIENCE
from .browser import CHROMIUM, browser, watched

pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: apt-get install chromium"),
    pytest.mark.xdist_group("browser"),
]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<!doctype html><title>x</title>\n"


async def test_a_page_whose_body_is_on_its_way_is_waited_for() -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD)
        if request.startswith(b"GET /slow "):
            await writer.drain()
            asked.set()
            await go_on.wait()
            writer.write(b"<body data-ready=true>here</body>")
        else:
            writer.write(b"<link rel=icon href=data:,><body><a href=/slow>go</a></body>")
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, browser() as opened, watched(opened, address) as seen:
        await seen.open("/")
        await seen.page.evaluate("document.querySelector('a').click()")
        waiting = asyncio.create_task(seen.until("document.body.dataset.ready === 'true'"))
        async with asyncio.timeout(PATIENCE):
            await asked.wait()
            while not await seen.holds("document.body === null"):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.02)
        done, _ = await asyncio.wait([waiting], timeout=0.2)
        assert not done
        go_on.set()
        await waiting
