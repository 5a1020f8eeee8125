"""The accepted TCP connections of this process, read from the operating system, for gRPC keeps them to itself.

A connection is found among the descriptors of the process and known by the number of its socket (inode), which no other
socket has while it lives. It is ended on a copy of its descriptor: gRPC then sees that the other side has gone, and
closes its own.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from referee.net.open_calls import endpoint

BYTES_RECEIVED_AT = 128
"""Where `tcp_info` of Linux has the number of bytes received."""
DESCRIPTORS = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"


@dataclass(slots=True)
class Connection:
    """One accepted connection."""

    descriptor: int
    inode: int
    host: str
    where: str
    """Its other end, as `calls.endpoint` spells it."""
    since: float
    heard: bool = False
    """Whether anything was ever called on it."""
    received: int = 0
    """Bytes that have come in on it so far; 0 where the system does not count them."""


class Connections:
    """All connections to one port of this process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._known: dict[int, Connection] = {}
        self._others: set[int] = set()
        """Sockets that are no connections to the port, by inode: not looked at again while they live."""
        # Copies are made onto this descriptor: where no other is left, connections can be ended all the same.
        self._copy = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        self._guard = threading.Lock()

    def look(self, now: float) -> list[Connection]:
        """Those that are open now. May be called in any thread, one at a time."""
        known: dict[int, Connection] = {}
        others: set[int] = set()
        for descriptor in _descriptors():
            if descriptor == self._copy:
                continue
            try:
                about = os.fstat(descriptor)
            except OSError:  # closed meanwhile
                continue
            if not stat.S_ISSOCK(about.st_mode):
                continue
            inode = about.st_ino
            if inode in self._others:
                others.add(inode)
            elif inode in self._known:
                known[inode] = self._known[inode]
                known[inode].descriptor = descriptor
            else:
                try:
                    found = self._read(descriptor, inode, now)
                except OSError:  # closed meanwhile
                    continue
                if found is None:
                    others.add(inode)
                else:
                    known[inode] = found
        self._known, self._others = known, others
        for connection in known.values():
            connection.received = max(connection.received, _received(connection.descriptor))
        return list(known.values())

    def end(self, connection: Connection) -> bool:
        """End a connection, if it is still the one it was."""
        try:
            with self._copied(connection.descriptor, connection.inode) as copy:
                _reset(copy)
        except OSError:  # it has ended by itself
            return False
        return True

    def close(self) -> None:
        with self._guard:
            os.close(self._copy)
            os.close(self._nothing)

    def _read(self, descriptor: int, inode: int, now: float) -> Connection | None:
        with self._copied(descriptor, inode) as copy:
            if copy.family not in (socket.AF_INET, socket.AF_INET6) or copy.getsockname()[1] != self._port:
                return None
            try:
                host, port = copy.getpeername()[:2]
            except OSError:  # it listens, or the other side has gone already
                return None
        return Connection(descriptor, inode, host, endpoint(host, port), now)

    @contextmanager
    def _copied(self, descriptor: int, inode: int) -> Iterator[socket.socket]:
        """The socket of that number, under a descriptor that nothing else closes or uses; OSError if it is gone."""
        with self._guard:
            try:
                os.dup2(descriptor, self._copy, inheritable=False)
                if os.fstat(self._copy).st_ino != inode:
                    raise OSError(errno.EBADF, os.strerror(errno.EBADF))
                copy = socket.socket(fileno=self._copy)
                try:
                    yield copy
                finally:
                    copy.detach()
            finally:
                # A copy that stayed would keep a closed connection alive.
                os.dup2(self._nothing, self._copy, inheritable=False)


def _reset(connection: socket.socket) -> None:
    """End it with all that has come in and was not read yet.

    After a `shutdown` gRPC would still read that, megabytes of each connection, and take seconds for it: of what a
    flood sends, a byte may keep it busy for as long as a hundred bytes of a bot. `connect` to no address resets.
    """
    if sys.platform == "linux":
        nowhere = bytes(16)  # a sockaddr of the family AF_UNSPEC
        if not ctypes.CDLL(None).connect(connection.fileno(), nowhere, len(nowhere)):
            return
    connection.shutdown(socket.SHUT_RDWR)


def _received(descriptor: int) -> int:
    """What the kernel has counted on a socket. It is only looked at: that it may be another by now does no harm."""
    if sys.platform != "linux":
        return 0
    try:
        looked_at = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, descriptor)
        try:
            counted = looked_at.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, BYTES_RECEIVED_AT + 8)
        finally:
            looked_at.detach()
    except OSError:  # closed meanwhile
        return 0
    return int.from_bytes(counted[BYTES_RECEIVED_AT:], sys.byteorder)


def _descriptors() -> list[int]:
    try:
        return [int(name) for name in os.listdir(DESCRIPTORS)]
    except OSError:  # none is left to read the list with
        return list(range(os.sysconf("SC_OPEN_MAX")))
