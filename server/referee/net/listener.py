"""The gRPC server itself: its limits, health and reflection, and where it listens."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from referee import descriptors
from referee.net.connection_limits import Doorkeeper, room_for
from referee.net.guard import handlers
from referee.net.health_and_reflection import Health, Reflection
from referee.net.limits import Limits
from referee.net.open_calls import Calls
from referee.net.play_service import MAX_MESSAGE_BYTES

HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"]
REFLECTION = reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"]

IDENTITY_ONLY = 1
OPTIONS = [
    # A second server on the same port must fail, not share it silently.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_metadata_size", 8 << 10),
    ("grpc.absolute_max_metadata_size", 16 << 10),
    ("grpc.max_concurrent_streams", 64),
    # Calls that wait for the loop: beyond 1,000, gRPC would turn some of them away by chance, and with them bots.
    ("grpc.server.max_pending_requests", 4_000),
    ("grpc.server.max_pending_requests_hard_limit", 8_000),
    # No compression: a small message that unpacks to a huge one is refused unread.
    ("grpc.compression_enabled_algorithms_bitset", IDENTITY_ONLY),
    # Bots ping every 20 seconds; who pings much more often is sent away.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 3),
    # A bot whose machine vanished is noticed within about a minute; a single-threaded one may think as long unheard.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server_handshake_timeout_ms", 10_000),
    # A connection on which nobody calls anything any more is closed after a while; one on which nobody ever did, by
    # the doorkeeper, sooner.
    ("grpc.max_connection_idle_ms", 120_000),
]


class CannotListen(Exception):
    """The address cannot be had: says why and what to do."""


@dataclass(frozen=True, slots=True)
class Tls:
    certificate: Path
    key: Path

    def credentials(self) -> grpc.ServerCredentials:
        try:
            pair = self.key.read_bytes(), self.certificate.read_bytes()
            # gRPC says nothing about what is wrong with a certificate; Python does.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password="")
        except ssl.SSLError as error:
            raise CannotListen(
                f"{self.certificate} and {self.key} are no certificate with its key, as PEM without password "
                f"({error.reason or 'unreadable'})"
            ) from None
        except OSError as error:
            raise CannotListen(f"cannot read {error.filename}: {error.strerror}") from None
        return grpc.ssl_server_credentials([pair])


class Wire:
    """A gRPC server with our services on it."""

    def __init__(
        self,
        services: Sequence[tuple[ServiceDescriptor, object]],
        calls: Calls | None = None,
        limits: Limits | None = None,
    ) -> None:
        """`calls` is told of every call, `limits` says how many connections there may be."""
        self._calls = calls or Calls()
        self._limits = limits or Limits()
        self.room = room_for(self._limits, descriptors.limit())
        """How many connections there may be, as many files as this process may open."""
        self._server = grpc.aio.server(options=[*OPTIONS, ("grpc.max_allowed_incoming_connections", self.room)])
        self._health = Health()
        self._doorkeeper: Doorkeeper | None = None
        self._watching: asyncio.Task[None] | None = None
        names = [descriptor.full_name for descriptor, _ in services]
        self._reflection = Reflection([*names, HEALTH.full_name, REFLECTION.full_name])
        standard = [(HEALTH, self._health), (REFLECTION, self._reflection)]
        self._server.add_generic_rpc_handlers(
            [handlers(descriptor, servicer, self._calls) for descriptor, servicer in [*services, *standard]]
        )
        self._names = ["", *names]

    async def start(self, listen: str, tls: Tls | None = None) -> str:
        """Listen; returns the address with the port that was given."""
        try:
            _try_bind(listen)
            if tls is None:
                port = self._server.add_insecure_port(listen)
            else:
                port = self._server.add_secure_port(listen, tls.credentials())
        except (RuntimeError, OSError, UnicodeError) as error:
            raise CannotListen(f"cannot listen on {listen}: {_why(error)}") from None
        await self._server.start()
        self._say(health_pb2.HealthCheckResponse.SERVING)
        if listen.startswith("unix:"):
            return listen
        self._doorkeeper = Doorkeeper(port, self._calls, self._limits, self.room)
        self._watching = asyncio.get_running_loop().create_task(self._doorkeeper.watch())
        return f"{listen.rpartition(':')[0]}:{port}"

    async def drain(self) -> None:
        """Say in the health service that this server takes nothing new."""
        self._say(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def stop(self, grace: float = 1.0) -> None:
        await self._server.stop(grace)
        if self._doorkeeper is not None and self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
            self._doorkeeper.close()
            self._doorkeeper = self._watching = None

    def _say(self, status: Any) -> None:
        for name in self._names:
            self._health.say(name, status)


def is_address(listen: str) -> bool:
    """Whether it reads as something to listen on; whether that can be had is another question."""
    port = listen.rpartition(":")[2]
    return listen.startswith("unix:") or (":" in listen and port.isdecimal() and int(port) < 65536)


def is_public(listen: str) -> bool:
    """Whether others than this machine could reach the address."""
    if listen.startswith("unix:"):
        return False
    host = listen.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


def _try_bind(listen: str) -> None:
    """The operating system's own words on an address that cannot be had; gRPC keeps them to itself."""
    if listen.startswith("unix:"):
        path = Path(listen.removeprefix("unix:"))
        if path.is_dir():
            raise OSError(errno.EISDIR, "a unix socket needs a path of its own, such as unix:/tmp/referee.sock")
        if not path.parent.is_dir():
            raise OSError(errno.ENOENT, f"there is no folder {path.parent}")
        if path.exists() and not path.is_socket():
            raise OSError(errno.EEXIST, f"{path} is a file; choose another path")
        if len(os.fsencode(path)) > 100:
            raise OSError(errno.ENAMETOOLONG, "the path of a unix socket has at most 100 bytes")
        with socket.socket(socket.AF_UNIX) as probe:
            # gRPC would take the path away from a server that listens there.
            if probe.connect_ex(os.fspath(path)) == 0:
                raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        return
    if not is_address(listen):
        raise OSError(errno.EINVAL, "an address is HOST:PORT, such as 127.0.0.1:7700")
    host, _, port = listen.rpartition(":")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host.strip("[]") or None, int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[:1]:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        if error.errno == errno.EADDRINUSE:
            return "it is taken; is another server running? Choose another address with --listen"
        if isinstance(error, socket.gaierror):
            return "there is no such host"
        return error.strerror or str(error)
    if isinstance(error, UnicodeError):  # it cannot even be asked for
        return "there is no such host"
    return "the address cannot be bound"
