"""Which connections have a call open and on which of them a bot plays: what the connection limiter goes by."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import unquote

from referee.hall.admission import Admission


@lru_cache(4096)
def endpoint_of(peer: str) -> str:
    """One end of a connection, from gRPC's way to write a peer (`ipv6:%5B::1%5D:50000`)."""
    host, _, port = unquote(peer.partition(":")[2]).rpartition(":")
    return endpoint(host.strip("[]"), port)


def endpoint(host: str, port: int | str) -> str:
    """One end of a connection, in one spelling."""
    host = host.partition("%")[0]
    if ":" in host:
        address = ip_address(host)
        mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
        host = str(mapped or address)
    return f"{host} {port}"


class Calls:
    """Open calls by connection."""

    def __init__(self, admission: Admission | None = None) -> None:
        """`admission` is told when a call begins."""
        self.open: Counter[str] = Counter()
        self.bots: Counter[str] = Counter()
        self._heard: Counter[str] = Counter()
        self._admission = admission or Admission()
        self.on_flood: Callable[[str], object] = lambda where: None
        """Told of a connection that has to end at once."""

    def begin(self, peer: str) -> None:
        where = endpoint_of(peer)
        self.open[where] += 1
        self._heard[where] += 1
        self._admission.let_in(time.monotonic())

    def end(self, peer: str) -> None:
        _one_less(self.open, endpoint_of(peer))

    def expel(self, peer: str) -> None:
        """What came on this connection no client sends: end it, and do not wait for the next look."""
        self.on_flood(endpoint_of(peer))

    @contextmanager
    def bot(self, peer: str) -> Iterator[None]:
        """A bot that was let in plays over this connection."""
        where = endpoint_of(peer)
        self.bots[where] += 1
        try:
            yield
        finally:
            _one_less(self.bots, where)

    def heard(self) -> Counter[str]:
        """How many calls have begun on each connection since this was last asked."""
        heard, self._heard = self._heard, Counter()
        return heard


def _one_less(counter: Counter[str], where: str) -> None:
    counter[where] -= 1
    if not counter[where]:
        del counter[where]
