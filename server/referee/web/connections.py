"""Connections of browsers: limits per address, on the time a request takes to come, and on its size.

uvicorn itself waits for the end of a request for ever and reads headers of any size. Behind one address sit at most so
many connections, a request has to be there within seconds, and one that is too large is not read to its end.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from referee.hall.places import network_of

MOST_PER_ADDRESS = 1024
"""Connections; a browser uses up to six, and a class of sixty may sit behind one address."""
REQUEST_SECONDS = 15.0
LARGEST_REQUEST = 32 << 10
MOST_WAITING = 16
"""Requests on one connection behind the one that is answered; browsers send the next one after the answer."""
UPLOAD = "/api/v1/submissions"
"""Where bots are submitted: a larger request, which is read only after its token is known."""
UPLOAD_SECONDS = 120.0
LARGEST_UPLOAD = (64 << 20) + LARGEST_REQUEST
_UPLOAD = f"POST {UPLOAD} ".encode()
TRANSPORT = "referee.transport"
"""Under this name a request finds its connection, among the extensions of its ASGI scope."""


class TooManyWaiting(Exception):
    """Ends the reading: the connection is answered with 400 and closed."""


class GuardedConnection(HttpToolsProtocol):
    """One connection, from its first byte on."""

    addresses: ClassVar[Counter[str]] = Counter()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._address: str | None = None
        self._unread = 0
        self._room = LARGEST_REQUEST
        self._overdue: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()
        if self.client is not None:
            self._address = network_of(self.client[0])
            self.addresses[self._address] += 1
            if self.addresses[self._address] > MOST_PER_ADDRESS:
                transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._came()
        if self._address is not None:
            self.addresses[self._address] -= 1
            if not self.addresses[self._address]:
                del self.addresses[self._address]
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._unread and data.startswith(_UPLOAD):
            self._room = LARGEST_UPLOAD
            self._came()
            self._expect(UPLOAD_SECONDS)
        self._unread += len(data)
        if self._unread > self._room:
            self.transport.abort()
            return
        if self._overdue is None:
            self._expect()
        super().data_received(data)

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= MOST_WAITING:  # 32 KB hold hundreds of them, each of which takes kilobytes here
            raise TooManyWaiting
        super().on_message_begin()
        # Streams are written straight to it (`web/lines.py`).
        self.scope["extensions"] = {TRANSPORT: self.transport}  # type: ignore[dict-item]

    def on_message_complete(self) -> None:
        self._unread, self._room = 0, LARGEST_REQUEST
        self._came()
        super().on_message_complete()

    def _expect(self, seconds: float | None = None) -> None:
        """A request has to come soon, or be at its end soon."""
        self._overdue = self.loop.call_later(REQUEST_SECONDS if seconds is None else seconds, self._close)

    def _came(self) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
            self._overdue = None

    def _close(self) -> None:
        self._overdue = None
        if not self.transport.is_closing():
            self.transport.close()
