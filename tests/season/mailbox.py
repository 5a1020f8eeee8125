"""Webhooks in a season: a real receiver over HTTP, which is not always there, and the messages that it has to get.

The server of a season has no sockets, so messages wait in the outbox until the night. Then they are sent as a server
does it, by a loop of its own, to a receiver that is up, refuses, fails, or takes a message without answering; and the
one that sends may die between the answer and the note of it. In the end every message has come, and none as two.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import sqlite3
import threading
from collections import Counter, defaultdict
from contextlib import closing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from unittest.mock import patch

from referee.hall.webhook_delivery import PAUSES, WebhookDelivery
from referee.store import Store
from referee.store.webhooks import Webhooks

from .afterwards import referee
from .checks import Broken

if TYPE_CHECKING:
    from .season import Season

NAME = "mine"
HOUR = 3600.0
MANNERS = ("up", "refuses", "fails", "deaf", "killed")
"""How a night goes: the receiver is up, nobody listens, it answers 500, it hangs up without an answer; or the sender
is killed when the receiver has answered."""


class Killed(BaseException):
    """The process that sends has died."""


class Mailbox:
    """Where the host's messages go; `open` adds the webhook, `night` sends, `check` looks at all that has come."""

    def __init__(self, season: Season) -> None:
        self._season = season
        self._port = 0
        self._secret = ""
        self._expected: set[str] = set()
        """The messages that were ever in the outbox."""
        self._bodies: dict[str, set[bytes]] = defaultdict(set)
        self._wrong: list[str] = []
        self._finished_before = 0
        self.nights: Counter[str] = Counter()

    @property
    def is_open(self) -> bool:
        return bool(self._secret)

    def open(self) -> None:
        """From now on the host is told everything."""
        with _Receiver(self, 0, "up") as receiver:
            self._port = receiver.port
        url = f"http://127.0.0.1:{self._port}/hook"
        made = json.loads(referee("webhook", "add", NAME, url, "--db", self._season.path, "--json"))
        self._secret = made["secret"]
        self._finished_before = self._endings()
        referee("webhook", "test", NAME, "--db", self._season.path)

    def night(self) -> None:
        """The first is a good one and the second is not; the others as it comes."""
        number = sum(self.nights.values())
        manner = "up" if number == 0 else self._season.chance.choice(MANNERS[number == 1 :])
        self.nights[manner] += 1
        for _ in range(2):
            self._send(manner)
            self._season.now += PAUSES[2]

    def check(self) -> None:
        """The receiver is there again, and a day later it has heard everything."""
        for _ in range(len(PAUSES)):
            self._send("up")
            self._season.now += 13 * HOUR
        with Store.open(self._season.path) as store:
            open_ones = [one for one in store.webhooks.messages(NAME) if one["delivered"] is None]
        if open_ones:
            raise Broken(f"messages were not delivered: {open_ones}")
        if self._wrong:
            raise Broken(self._wrong[0])
        if lost := self._expected - self._bodies.keys():
            raise Broken(f"messages were lost: {sorted(lost)}")
        if changed := [message for message, bodies in self._bodies.items() if len(bodies) > 1]:
            raise Broken(f"messages came again with other words: {changed}")
        heard = Counter(json.loads(next(iter(bodies)))["type"] for bodies in self._bodies.values())
        ended = self._endings() - self._finished_before
        if (heard["test"], heard["tournament.finished"]) != (1, ended):
            raise Broken(f"one test was made and {ended} tournaments ended, the receiver knows {dict(heard)}")

    def receive(self, given: dict[str, str], body: bytes) -> None:
        """A request that has come, whatever is answered."""
        message, at, signed = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
        key = base64.b64decode(self._secret.removeprefix("whsec_"))
        wanted = hmac.new(key, f"{message}.{at}.".encode() + body, hashlib.sha256).digest()
        if signed != f"v1,{base64.b64encode(wanted).decode()}":
            self._wrong.append(f"message {message} is not signed as it should be: {signed}")
        if abs(int(at) - self._season.wall() / 1000) > 300:
            self._wrong.append(f"message {message} was not signed now, but at {at}")
        self._bodies[message].add(body)

    def _send(self, manner: str) -> None:
        with Store.open(self._season.path) as store:
            self._expected |= {one["message"] for one in store.webhooks.messages(NAME)}
            if manner == "refuses":
                asyncio.run(_send_all(store))
                return
            with _Receiver(self, self._port, manner):
                if manner != "killed":
                    asyncio.run(_send_all(store))
                    return
                with patch.object(Webhooks, "settle", _die), suppress(Killed):
                    asyncio.run(_send_all(store))

    def _endings(self) -> int:
        with closing(sqlite3.connect(self._season.path)) as disk:
            told = 'SELECT count(*) FROM journal WHERE entry LIKE \'%"kind":"state"%\' AND entry LIKE ?'
            return int(disk.execute(told, ('%"state":"finished"%',)).fetchone()[0])


async def _send_all(store: Store) -> None:
    delivery = WebhookDelivery(store, deadline=30.0)
    while await delivery.send_due():
        pass


def _die(self: Webhooks, *message: object) -> None:
    raise Killed


class _Receiver:
    """An HTTP server in a thread, as long as it is entered."""

    def __init__(self, mailbox: Mailbox, port: int, manner: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                mailbox.receive({name.lower(): value for name, value in self.headers.items()}, body)
                if manner != "deaf":
                    self.send_response(500 if manner == "fails" else 204)
                    self.end_headers()

            def log_message(self, *words: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def __enter__(self) -> _Receiver:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
