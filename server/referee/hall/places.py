"""Concurrency limits per IP address and in all: calls beyond them are refused.

An IPv4 address counts as it is; of an IPv6 address the network (/64) counts, for one machine has as many addresses in
it as it likes. Callers on a unix socket are on this machine already and have no address: only the limit in all holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import unquote

V6_NETWORK = 64


@lru_cache(4096)
def address_of(peer: str) -> str | None:
    """The address behind a peer as gRPC writes it (`ipv4:192.0.2.1:50000`); None on a unix socket."""
    family, _, rest = peer.partition(":")
    if family not in ("ipv4", "ipv6"):
        return None
    return network_of(unquote(rest).rpartition(":")[0].strip("[]"))


@lru_cache(4096)
def network_of(host: str) -> str:
    """What counts as one address: the address itself, or the /64 of an IPv6 address."""
    try:
        address: IPv4Address | IPv6Address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        rest = 128 - V6_NETWORK
        return f"{IPv6Address(int(address) >> rest << rest)}/{V6_NETWORK}"
    return str(address)


class PlacesTaken(Exception):
    """All places are taken at this moment: it may be tried again."""


class Places:
    """So many at a time, in all and from one address."""

    def __init__(self, in_all: int, per_address: int, in_all_taken: Exception, address_taken: Exception) -> None:
        """The two exceptions are what is raised when all places, or those of one address, are taken."""
        self.taken = 0
        self._in_all = in_all
        self._per_address = per_address
        self._in_all_taken = in_all_taken
        self._address_taken = address_taken
        self._by_address: Counter[str] = Counter()

    @contextmanager
    def one(self, peer: str) -> Iterator[None]:
        """A place for the one who makes a call, until it ends."""
        address = address_of(peer)
        if address is not None and self._by_address[address] >= self._per_address:
            raise self._address_taken
        if self.taken >= self._in_all:
            raise self._in_all_taken
        self.taken += 1
        if address is not None:
            self._by_address[address] += 1
        try:
            yield
        finally:
            self.taken -= 1
            if address is not None:
                self._by_address[address] -= 1
                if not self._by_address[address]:
                    del self._by_address[address]
