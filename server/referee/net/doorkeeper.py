"""Connection limits: in all, per address, and for connections on which nothing is ever called.

gRPC knows one limit in all, beyond which it closes what it has just accepted. The doorkeeper sees to it that strangers
never use it up: it looks at the open connections every moment and ends those that are too many from one address, those
that are too many in all, and those that have stayed silent. A connection on which a bot plays is never ended and
counts for no address: a class behind one address may bring as many bots as it likes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import structlog

from referee.net.calls import Calls
from referee.net.connections import Connection, Connections
from referee.net.limits import Limits, network_of

log = structlog.get_logger()

SILENT_SECONDS = 20.0
"""How long a connection may stay open before the first call on it."""
CALM_SECONDS = 0.25
BUSY_SECONDS = 0.1
"""Pauses between two looks: usually, and while there is something to end."""
COST = 20
"""A look is followed by a pause of at least so many times what it took."""
RESERVE = 128
"""Descriptors that no connection gets: for the database, logs, programs and files that are read now and then."""
SAY_SECONDS = 10.0
"""The log tells of ended connections no oftener than this."""


def room_for(limits: Limits, descriptors: int) -> int:
    """How many connections there may be with so many descriptors."""
    return max(1, min(limits.connections, descriptors - min(RESERVE, descriptors // 2)))


class Doorkeeper:
    """Looks after the connections to one port."""

    def __init__(self, port: int, calls: Calls, limits: Limits, room: int) -> None:
        self._connections = Connections(port)
        self._calls = calls
        self._strangers = max(1, room - room // 4)
        """Of all connections, a quarter is kept for bots."""
        self._per_address = max(1, min(limits.connections_per_address, room // 4))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="doorkeeper")
        self._ended = 0
        self._said = float("-inf")

    async def watch(self) -> None:
        """Runs as long as the server listens."""
        loop = asyncio.get_running_loop()
        while True:
            began = time.monotonic()
            open_ = await loop.run_in_executor(self._thread, self._connections.look, began)
            cost = time.monotonic() - began
            surplus = self.surplus(open_, began)
            if surplus:
                await loop.run_in_executor(self._thread, self._end, surplus)
                self._say()
            busy = surplus or len(open_) > self._strangers // 2
            await asyncio.sleep(max(BUSY_SECONDS if busy else CALM_SECONDS, COST * cost))

    def close(self) -> None:
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._connections.close()

    def surplus(self, open_: Iterable[Connection], now: float) -> list[Connection]:
        """Which connections have to end."""
        heard, bots, busy = self._calls.heard(), self._calls.bots, self._calls.open
        silent: list[Connection] = []
        strangers: dict[str, list[Connection]] = {}
        for connection in open_:
            connection.heard = connection.heard or connection.where in heard
            if connection.where in bots:
                continue
            if not connection.heard and now - connection.since > SILENT_SECONDS:
                silent.append(connection)
            else:
                strangers.setdefault(network_of(connection.host), []).append(connection)
        for group in strangers.values():
            # Who has nothing going ends first, the oldest of them first of all: a bot that has just come stays.
            group.sort(key=lambda one: (one.where not in busy, -one.since))
        return silent + _beyond(strangers, self._per_address, self._strangers)

    def _end(self, surplus: Iterable[Connection]) -> None:
        for connection in surplus:
            self._ended += self._connections.end(connection)

    def _say(self) -> None:
        now = time.monotonic()
        if self._ended and now - self._said > SAY_SECONDS:
            log.warning("connections were ended: silent, or too many", ended=self._ended)
            self._said, self._ended = now, 0


def _beyond(strangers: dict[str, list[Connection]], per_address: int, in_all: int) -> list[Connection]:
    """Those beyond both limits, from the end of each list; where it is too many in all, from the longest lists."""
    kept = sorted(min(len(group), per_address) for group in strangers.values())
    # The same cut for all addresses: the highest at which the total is within the limit.
    left, cut = in_all, per_address
    for index, size in enumerate(kept):
        fair = left // (len(kept) - index)
        if size > fair:
            cut = fair
            break
        left -= size
    return [one for group in strangers.values() for one in group[cut:]]
