"""The web server: uvicorn in the event loop that is running already, on an address of its own, with or without TLS."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from referee.listening import CannotListen, Tls, try_bind, why_not
from referee.web.app import Site, make_app
from referee.web.connections import GuardedConnection
from referee.web.source import Source

MOST_CONNECTIONS = 4000
KEEP_ALIVE_SECONDS = 20
BACKLOG = 1024


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Where the page is, and what it allows."""

    listen: str = "127.0.0.1:7780"
    tls: Tls | None = None
    watchers: int = 2000
    watchers_per_address: int = 128
    people: int = 16
    """People who may play against house bots at a time; 0: none."""
    server: str = field(default="127.0.0.1:7700")
    """The address of the gRPC server, for the page that says how to connect a bot; empty: there is none."""


class _Quiet(uvicorn.Server):
    """A server that leaves the signals to the program it runs in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class WebServer:
    """`start`, then `stop`."""

    def __init__(self, source: Source, settings: WebSettings | None = None) -> None:
        self.settings = settings or WebSettings()
        self.site = Site(source, self.settings)
        self.address = ""
        self._server: uvicorn.Server | None = None
        self._serving: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where a browser on this machine finds the page."""
        return f"{'https' if self.settings.tls else 'http'}://{self.address}/"

    async def start(self) -> str:
        """Listen; returns the address with the port that was given. CannotListen says why not."""
        listen, tls = self.settings.listen, self.settings.tls
        context = None if tls is None else tls.context()
        try:
            try_bind(listen)
            bound = _socket(listen)
        except (OSError, UnicodeError) as error:
            raise CannotListen(f"cannot listen on {listen}: {why_not(error, '--web')}") from None
        config = uvicorn.Config(
            make_app(self.site),
            http=GuardedConnection,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_CONNECTIONS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=1,
            backlog=BACKLOG,
        )
        config.load()
        config.ssl = context
        self._server = _Quiet(config)
        self._serving = asyncio.get_running_loop().create_task(self._server.serve(sockets=[bound]))
        while not self._server.started:
            if self._serving.done():
                self._serving.result()
                raise CannotListen(f"cannot listen on {listen}: the server did not start")
            await asyncio.sleep(0.005)
        self.site.open()
        host = listen.rpartition(":")[0]
        self.address = listen if listen.startswith("unix:") else f"{host}:{bound.getsockname()[1]}"
        return self.address

    def drain(self) -> None:
        """The program waits for running matches: people's matches are broken off, for they could take hours."""
        if self.site.people is not None:
            self.site.people.close()

    async def stop(self) -> None:
        """End all streams and let go of the address."""
        await self.site.close()
        if self._server is not None and self._serving is not None:
            self._server.should_exit = True
            await asyncio.wait({self._serving}, timeout=5)
            if not self._serving.done():
                self._serving.cancel()
                await asyncio.gather(self._serving, return_exceptions=True)
            self._server = self._serving = None


def _socket(listen: str) -> socket.socket:
    if listen.startswith("unix:"):
        path = Path(listen.removeprefix("unix:"))
        path.unlink(missing_ok=True)
        bound = socket.socket(socket.AF_UNIX)
        bound.bind(str(path))
    else:
        host, _, port = listen.rpartition(":")
        found = socket.getaddrinfo(
            host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    bound.setblocking(False)
    return bound
