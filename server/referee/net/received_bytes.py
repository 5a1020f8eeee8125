"""Rate limit of received bytes per address: what a stranger may send before and between calls.

gRPC keeps the parts of a header block (HEADERS, CONTINUATION) until its end, however long that is, and no call has
begun by then that any other limit could see. The kernel counts what has come in on every connection, so connections
on which too much arrives are found whatever it is made of. A connection on which a bot plays has an allowance of its
own, far above what answers need.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.hall.places import network_of
from referee.match.allowance import Allowance
from referee.net.open_connections import Connection

AT_ONCE, PER_SECOND = 8 << 20, 256 << 10
"""Bytes from one address, on connections on which no bot plays: so many at once, and so many in the long run."""
BOT_AT_ONCE, BOT_PER_SECOND = 64 << 20, 16 << 20
"""The same on one connection on which a bot plays."""


class ReceivedBytes:
    """Tell it the open connections at every look; it says on which of them too much arrives."""

    def __init__(self) -> None:
        self._before: dict[int, int] = {}
        """Bytes on each connection at the last look, by inode."""
        self._allowances: dict[str, Allowance] = {}

    def too_many(self, open_: Iterable[Connection], bots: Iterable[str], now: float) -> list[Connection]:
        """The connections that have to end: of an address, the busiest without which it would not be too much."""
        playing = set(bots)
        received: dict[int, int] = {}
        groups: dict[str, list[tuple[int, Connection]]] = {}
        for connection in open_:
            received[connection.inode] = connection.received
            new = max(0, connection.received - self._before.get(connection.inode, 0))
            own = connection.where in playing
            groups.setdefault(connection.where if own else network_of(connection.host), []).append((new, connection))
        self._before = received
        ended: list[Connection] = []
        allowances = {key: one for key, one in self._allowances.items() if key not in playing and not one.full(now)}
        for key, group in groups.items():
            own = key in playing
            allowance = self._allowances.get(key) or Allowance(
                BOT_AT_ONCE if own else AT_ONCE, BOT_PER_SECOND if own else PER_SECOND, now
            )
            allowances[key] = allowance
            if not allowance.spend(sum(new for new, _ in group), now):
                ended += _busiest(group, -allowance.left)
                allowance.left = 0.0  # others behind the same address are not to pay for it
        self._allowances = allowances
        return ended


def _busiest(group: list[tuple[int, Connection]], surplus: float) -> list[Connection]:
    """The fewest connections that have brought so many bytes."""
    ended: list[Connection] = []
    for new, connection in sorted(group, key=lambda one: one[0], reverse=True):
        if surplus <= 0:
            break
        surplus -= new
        ended.append(connection)
    return ended
