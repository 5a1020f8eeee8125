"""Connection limits: in all, per address, for connections on which nothing is ever called, and a rate limit of calls.

gRPC knows one limit in all, beyond which it closes what it has just accepted. The limiter sees to it that strangers
never use it up. It looks at the open connections every moment and ends those that are too many from one address,
those that are too many in all, and those that have stayed silent. Of an address that calls more than can be answered
it ends the busiest, for to refuse a call takes the loop nearly as long as to answer it; likewise of an address that
sends more bytes than calls can need (`received_bytes.py`). When memory runs short, all without a bot end
(`memory_watch.py`). A connection on which a bot plays is never ended for their number and counts for no address: a
class behind one address may bring as many bots as it likes.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor

import structlog

from referee.hall.places import network_of
from referee.net.limits import Limits
from referee.net.memory_watch import MemoryWatch, Pressure
from referee.net.open_calls import Calls
from referee.net.open_connections import Connection, Connections
from referee.net.received_bytes import ReceivedBytes
from referee.threads import in_thread_of

log = structlog.get_logger()

SILENT_SECONDS = 20.0
"""How long a connection may stay open before the first call on it."""
CALM_SECONDS = 0.25
BUSY_SECONDS = 0.1
"""Pauses between two looks: usually, and while there is something to end."""
COST = 20
"""A look is followed by a pause of at least so many times what it took."""
CALLS_AT_ONCE = 2000.0
CALLS_PER_SECOND = 100.0
"""Calls from one address, on connections on which no bot plays: so many at once, and so many in the long run."""
RESERVE = 128
"""Descriptors that no connection gets: for the database, logs, programs and files that are read now and then."""
SAY_SECONDS = 10.0
"""The log tells of ended connections no oftener than this."""


def room_for(limits: Limits, descriptors: int) -> int:
    """How many connections there may be with so many descriptors."""
    return max(1, min(limits.connections, descriptors - min(RESERVE, descriptors // 2)))


class ConnectionLimiter:
    """Looks after the connections to one port."""

    def __init__(
        self, port: int, calls: Calls, limits: Limits, room: int, on_full: Callable[[str], object] = log.error
    ) -> None:
        """`on_full` is told, once, that the memory stays used up whatever connections are ended."""
        self._connections = Connections(port)
        self._calls = calls
        self._strangers = max(1, room - room // 4)
        """Of all connections, a quarter is kept for bots."""
        self._per_address = max(1, min(limits.connections_per_address, room // 4))
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="connection limiter")
        self._allowances: dict[str, float] = {}
        """What is left to addresses that have called of late."""
        self._counted = time.monotonic()
        self._bytes = ReceivedBytes()
        self._memory = MemoryWatch(limits.memory)
        self._on_full = on_full
        self._ended = 0
        self._said = float("-inf")
        calls.on_flood = self._end_soon

    async def watch(self) -> None:
        """Runs as long as the server listens."""
        while True:
            began = time.monotonic()
            open_, cost = await in_thread_of(self._thread, self._look, began)
            surplus = self.surplus(open_, began)
            pressure = await in_thread_of(self._thread, self._memory.look, began)
            if pressure is Pressure.HIGH:
                surplus = [one for one in open_ if one.where not in self._calls.bots]
                log.warning("memory runs short: all connections without a bot are ended", megabytes=self._memory.used)
            elif pressure is Pressure.LASTING:
                self._on_full(self._memory.told)
            if surplus:
                await in_thread_of(self._thread, self._end, surplus)
                self._memory.freed(began)
                self._say()
            busy = surplus or len(open_) > self._strangers // 2
            await asyncio.sleep(max(BUSY_SECONDS if busy else CALM_SECONDS, COST * cost))

    def close(self) -> None:
        self._calls.on_flood = lambda where: None
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._connections.close()

    def surplus(self, open_: Collection[Connection], now: float) -> list[Connection]:
        """Which connections have to end."""
        heard, bots, busy = self._calls.heard(), self._calls.bots, self._calls.open
        flooding = self._flooding(heard, now)
        ended: list[Connection] = []
        strangers: dict[str, list[Connection]] = {}
        for connection in open_:
            connection.heard = connection.heard or connection.where in heard
            if connection.where in bots:
                continue
            silent = not connection.heard and now - connection.since > SILENT_SECONDS
            if silent or connection.where in flooding:
                ended.append(connection)
            else:
                strangers.setdefault(network_of(connection.host), []).append(connection)
        for group in strangers.values():
            # Those without an open call end first, the oldest of them first of all: a bot that has just come stays.
            group.sort(key=lambda one: (one.where not in busy, -one.since))
        ended += self._bytes.too_many(open_, bots, now)
        return ended + _beyond(strangers, self._per_address, self._strangers)

    def _flooding(self, heard: Counter[str], now: float) -> set[str]:
        """The busiest connections of addresses that have called too often; without them it would not be too often."""
        seconds, self._counted = now - self._counted, now
        by_address: dict[str, list[tuple[int, str]]] = {}
        for where, calls in heard.items():
            if where not in self._calls.bots:
                by_address.setdefault(network_of(where.rpartition(" ")[0]), []).append((calls, where))
        left: dict[str, float] = {}
        flooding: set[str] = set()
        for address in self._allowances.keys() | by_address.keys():
            made = by_address.get(address, [])
            refilled = self._allowances.get(address, CALLS_AT_ONCE) + seconds * CALLS_PER_SECOND
            rest = min(CALLS_AT_ONCE, refilled) - sum(calls for calls, _ in made)
            if rest < CALLS_AT_ONCE:
                left[address] = max(0.0, rest)
            for calls, where in sorted(made, reverse=True):
                if rest >= 0:
                    break
                rest += calls
                flooding.add(where)
        self._allowances = left
        return flooding

    def _look(self, now: float) -> tuple[list[Connection], float]:
        """The open connections, and what it took to find them; waiting does not count, for then looks matter most."""
        began = time.thread_time()
        return self._connections.look(now), time.thread_time() - began

    def _end(self, surplus: Iterable[Connection]) -> None:
        for connection in surplus:
            self._ended += self._connections.end(connection)

    def _end_soon(self, where: str) -> None:
        """End a connection from the thread: the loop may be busy with what has come on it."""
        self._thread.submit(self._end_at, where)

    def _end_at(self, where: str) -> None:
        now = time.monotonic()
        self._end([one for one in self._connections.look(now) if one.where == where])
        self._memory.freed(now)

    def _say(self) -> None:
        now = time.monotonic()
        if self._ended and now - self._said > SAY_SECONDS:
            log.warning("connections were ended: silent, too many, or too busy", ended=self._ended)
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
