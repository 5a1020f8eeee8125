"""The server of the page: its address, TLS, limits, slow readers, and an end that ends everything."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from referee.hall.competition import Competition
from referee.listening import CannotListen, Tls
from referee.web import connections, lines, streams
from referee.web.server import WebServer, WebSettings
from referee.web.source import of_competition

from ..waiting import PATIENCE, soon
from .conftest import Page, SlowMatch, Stream, serving

CERTIFICATES = Path(__file__).resolve().parents[2] / "sdk" / "conformance" / "certificates"


async def test_an_address_that_is_taken_is_said(competition: Competition, page: Page) -> None:
    second = WebServer(of_competition(competition), WebSettings(page.server.address))
    with pytest.raises(
        CannotListen, match="it is taken; is another server running\\? Choose another address with --web"
    ):
        await second.start()
    await second.stop()


async def test_it_speaks_tls_and_says_what_is_wrong_with_a_certificate(
    competition: Competition, tmp_path: Path
) -> None:
    pem, key = sorted(CERTIFICATES.glob("server*.pem")), sorted(CERTIFICATES.glob("server*.key"))
    tls = Tls(pem[0], key[0]) if pem and key else _self_made(tmp_path)
    async with serving(competition, tls=tls) as page:
        assert page.server.url.startswith("https://")
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port, ssl=context)
        writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        assert b'{"status":"ok"}' in await reader.read()
        writer.close()
    garbage = tmp_path / "garbage.pem"
    garbage.write_text("no certificate")
    broken = WebServer(of_competition(competition), WebSettings("127.0.0.1:0", Tls(garbage, garbage)))
    with pytest.raises(CannotListen, match="are not a certificate with its key"):
        await broken.start()
    await broken.stop()


def _self_made(folder: Path) -> Tls:
    import subprocess

    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    subprocess.run(
        [*words.split(), "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem")],
        check=True,
        capture_output=True,
    )
    return Tls(folder / "cert.pem", folder / "key.pem")


async def test_stopping_ends_all_streams(competition: Competition) -> None:
    slow = SlowMatch(competition, "league/0", "flip7")
    async with serving(competition) as page, page.stream("/live/matches/league/0") as stream:
        await stream.parts()
        await page.server.stop()
        with pytest.raises((EOFError, asyncio.IncompleteReadError, ConnectionError)):
            await _read_to_the_end(stream)
    assert slow.match.ending is None, "the match goes on"


async def _read_to_the_end(stream: Stream) -> None:
    while True:
        await stream.next()


async def test_a_watcher_that_leaves_is_forgotten(competition: Competition, page: Page) -> None:
    SlowMatch(competition, "league/0", "flip7")
    places = page.server.site.channels.places
    async with page.stream("/live/matches/league/0") as stream:
        await stream.parts()
        assert places.taken == 1
    await soon(lambda: places.taken == 0)


async def test_who_sends_hundreds_of_requests_at_once_is_sent_away(page: Page) -> None:
    """They were all kept, 120,000 of one address took 300 MB."""
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.write(b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n" * 400)
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            said = await reader.read()
            assert said.count(b" 200 OK") < 50
    writer.close()
    assert (await page.get("/health")).status == 200


async def test_too_many_watchers_are_refused_with_a_status(competition: Competition) -> None:
    SlowMatch(competition, "league/0", "flip7")
    path = "/live/matches/league/0"
    async with (
        serving(competition, watchers=2, watchers_per_address=2) as page,
        page.stream(path) as one,
        page.stream(path) as other,
    ):
        await one.parts()
        await other.parts()
        refused = await page.get(path)
        assert refused.status == 503
        assert "watch already" in refused.json["error"]
        assert refused.headers["retry-after"]


async def test_whether_there_is_something_to_watch_is_asked_without_watching(
    competition: Competition, page: Page
) -> None:
    """A page asks so (HEAD) before it connects again; it was taken for a watcher, and messages were written to it."""
    slow = SlowMatch(competition, "league/0", "flip7")
    answer = await page.ask("HEAD", "/live/matches/league/0")
    assert (answer.status, answer.body) == (200, b"")
    assert page.server.site.channels.places.taken == 0
    slow.finish()
    await soon(lambda: not competition.hall.matches)
    assert (await page.ask("HEAD", "/live/matches/other/0")).status == 404


@pytest.mark.parametrize("large_from", [0, 1])
async def test_a_slow_reader_is_dropped_and_nothing_piles_up(
    competition: Competition, monkeypatch: pytest.MonkeyPatch, large_from: int
) -> None:
    """It takes nothing of its first state, or of a later one, which is written to the connection itself."""
    monkeypatch.setattr(streams, "SLOW_READER_SECONDS", 0.3)
    monkeypatch.setattr(lines, "SLOW_READER_SECONDS", 0.3)
    monkeypatch.setattr(lines, "LOOK_EVERY", 0.05)
    monkeypatch.setattr("referee.web.live_match.PAUSE", 0.001)
    monkeypatch.setattr(
        "referee.web.live_match.ShownMatch.picture",
        lambda self: f"<svg>{self.decisions}{'x' * 30_000_000 if self.decisions >= large_from else ''}</svg>",
    )
    slow = SlowMatch(competition, "league/0", "encore")
    async with serving(competition) as page:
        places = page.server.site.channels.places
        reader, writer = await asyncio.open_connection("127.0.0.1", page.port, limit=1024)
        writer.write(b"GET /live/matches/league/0 HTTP/1.1\r\nhost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            await reader.readuntil(b"event: parts")
        slow.move()
        # It reads nothing more. What is on the way fills all buffers, and its time is up.
        await soon(lambda: places.taken == 0)
        assert slow.match.ending is None
        writer.close()


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"GET / HTTP/1.1\r\n" + b"x: " + b"y" * (connections.LARGEST_REQUEST + 10), b""),
        (b"nonsense\r\n\r\n", b"400"),
    ],
)
async def test_what_is_too_large_or_no_request_ends_the_connection(page: Page, sent: bytes, told: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.write(sent)
    async with asyncio.timeout(PATIENCE):
        try:
            answer = await reader.read()
        except ConnectionError:
            answer = b""
    assert told in answer
    writer.close()


async def test_a_request_that_does_not_come_ends_the_connection(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.05)
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n")
    async with asyncio.timeout(PATIENCE):
        assert await reader.read() == b""
    writer.close()


async def test_connections_of_one_address_are_limited(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_PER_ADDRESS", 3)
    opened = [await asyncio.open_connection("127.0.0.1", page.port) for _ in range(3)]
    counted: Callable[[], int] = lambda: connections.GuardedConnection.addresses["127.0.0.1"]  # noqa: E731
    await soon(lambda: counted() == 3)
    reader, writer = await asyncio.open_connection("127.0.0.1", page.port)
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            assert await reader.read() == b""
    for _, other in [*opened, (reader, writer)]:
        other.close()
    await soon(lambda: counted() == 0)
