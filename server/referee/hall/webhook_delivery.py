"""Delivery of webhooks: messages of the outbox are posted over HTTP, with a deadline, and tried again with back-off.

It runs beside the matches and never holds one up: sockets of the event loop, a few messages at a time, each with one
deadline for everything from the look-up of the name to the answer. Redirects are not followed.
"""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from urllib.parse import urlsplit

import structlog

from referee import __version__
from referee.hall.webhook_forms import body_of, check_url, headers
from referee.rules.game import WrongUse
from referee.store import Message, Store, StoreError
from referee.threads import in_thread

log = structlog.get_logger()
LOOK_SECONDS = 2.0
DEADLINE = 10.0
"""Seconds for one attempt."""
AT_ONCE = 8
PAUSES = (5, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
"""Seconds before each further attempt; after the last of them a message is given up."""
GONE = 410
"""The receiver wants no more of it."""
LONGEST_LINE = 1024


class WebhookDelivery:
    """Sends what is due."""

    def __init__(self, store: Store, deadline: float = DEADLINE) -> None:
        self._webhooks = store.webhooks
        self._deadline = deadline

    async def follow(self) -> None:
        """Send what is due, as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                while await self.send_due() == AT_ONCE:
                    pass
            except StoreError as error:  # results tell it louder
                log.error("the outbox of webhooks cannot be read", why=str(error))

    async def send_due(self) -> int:
        """Try the messages that are due, a few at a time; returns how many that were."""
        due = await in_thread(self._webhooks.due, AT_ONCE)
        await asyncio.gather(*(self._send(message) for message in due))
        return len(due)

    async def _send(self, message: Message) -> None:
        error, again = "", True
        try:
            async with asyncio.timeout(self._deadline):
                status = await post(message, int(time.time()))
            if not 200 <= status < 300:
                error, again = f"answered with {status}", status != GONE
        except TimeoutError:
            error = f"no answer within {self._deadline:g} s"
        except WrongUse as refused:
            error, again = str(refused), False
        except (OSError, ValueError) as failed:
            error = _why(failed)
        pause = PAUSES[message.attempts] if again and message.attempts < len(PAUSES) else None
        if error:
            known = {"webhook": message.webhook.name, "message_kind": message.kind, "why": error}
            log.warning("a webhook could not be told", **known, again_in_seconds=pause)
        await in_thread(self._webhooks.settle, message, error, None if pause is None else pause * 1000)


async def post(message: Message, now: int) -> int:
    """Post a message once; returns the status of the answer. OSError or ValueError if there is none."""
    url = message.webhook.url
    check_url(url)
    parts = urlsplit(url)
    secure, host = parts.scheme == "https", parts.hostname or ""
    port = parts.port or (443 if secure else 80)
    body = body_of(message)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    shown = f"[{host}]" if ":" in host else host
    lines = [
        f"POST {target} HTTP/1.1",
        f"Host: {shown}:{port}" if parts.port else f"Host: {shown}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"User-Agent: referee/{__version__}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in headers(message, body, now).items()),
    ]
    context = ssl.create_default_context() if secure else None
    reader, writer = await asyncio.open_connection(host, port, ssl=context, limit=LONGEST_LINE)
    try:
        writer.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        await writer.drain()
        answer = (await reader.readline()).split(b" ", 2)
        if len(answer) < 2 or not answer[0].startswith(b"HTTP/1.") or not answer[1].isdigit():
            raise ValueError("the answer is not HTTP")
        return int(answer[1])
    finally:
        writer.transport.abort()


def _why(error: OSError | ValueError) -> str:
    """Why there was no answer, in words that a host can act on."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"it does not speak TLS as it should ({error.reason or 'no reason given'})"
    if isinstance(error, socket.gaierror):
        return "no machine of that name was found: check the address"
    if isinstance(error, OSError):
        # Of a name with several addresses asyncio tells all errors as one, without a number.
        return f"no connection ({os.strerror(error.errno).lower()})" if error.errno else "no connection"
    return str(error)
