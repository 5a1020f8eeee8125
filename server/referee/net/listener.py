"""The gRPC server itself: its limits, health and reflection, and where it listens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import grpc.aio
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from referee import descriptors
from referee.listening import CannotListen, Tls, try_bind, why_not
from referee.net import reflection_v1
from referee.net.connection_limits import ConnectionLimiter, room_for
from referee.net.guard import handlers
from referee.net.health_and_reflection import Health, Reflection
from referee.net.limits import Limits
from referee.net.messages import MAX_MESSAGE_BYTES
from referee.net.open_calls import Calls
from referee.net.refused_calls import OversizedMetadata, UnknownMethod

HEALTH = health_pb2.DESCRIPTOR.services_by_name["Health"]
REFLECTION = (reflection_v1.service(), reflection_pb2.DESCRIPTOR.services_by_name["ServerReflection"])
"""One after the other, as clients ask for them."""

IDENTITY_ONLY = 1
OPTIONS = [
    # A second server on the same port must fail, not share it silently.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_metadata_size", 8 << 10),
    ("grpc.absolute_max_metadata_size", 16 << 10),
    ("grpc.max_concurrent_streams", 64),
    # What waits unread in the kernel is bounded: a flood is noticed before much of it has come in.
    ("grpc.tcp_receive_buffer_size", 128 << 10),
    # Calls that wait for the loop: beyond 1,000, gRPC would turn some of them away by chance, and with them bots.
    ("grpc.server.max_pending_requests", 4_000),
    ("grpc.server.max_pending_requests_hard_limit", 8_000),
    # No compression: a small message that unpacks to a huge one is refused unread.
    ("grpc.compression_enabled_algorithms_bitset", IDENTITY_ONLY),
    # Bots ping every 20 seconds; one that pings much more often is sent away.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 3),
    # A bot whose machine vanished is noticed within about a minute; a single-threaded one may think as long unheard.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.server_handshake_timeout_ms", 10_000),
    # A connection without calls is closed after a while; one that never had a call, sooner (`connection_limits.py`).
    ("grpc.max_connection_idle_ms", 120_000),
]

PATIENT = [
    # For a bot under a debugger, which stands still for as long as its author looks: it is never pinged.
    ("grpc.keepalive_time_ms", (1 << 31) - 1),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.ping_timeout_ms", (1 << 31) - 1),
    ("grpc.max_connection_idle_ms", (1 << 31) - 1),
]


class Wire:
    """A gRPC server with our services on it."""

    def __init__(
        self,
        services: Sequence[tuple[ServiceDescriptor, object]],
        calls: Calls | None = None,
        limits: Limits | None = None,
        *,
        patient: bool = False,
        on_full: Callable[[str], object] = lambda sentence: None,
    ) -> None:
        """`calls` is told of every call, `limits` says how many connections there may be.

        `on_full` is told, once, that memory has run short for good.

        `patient`: a connection is never ended because its bot is silent.
        """
        self._calls = calls or Calls()
        self._limits = limits or Limits()
        self._on_full = on_full
        self.room = room_for(self._limits, descriptors.limit())
        """How many connections there may be, as many files as this process may open."""
        options = dict([*OPTIONS, *(PATIENT if patient else [])])
        options["grpc.max_allowed_incoming_connections"] = self.room
        self._server = grpc.aio.server(options=list(options.items()))
        self._health = Health()
        self._limiter: ConnectionLimiter | None = None
        self._watching: asyncio.Task[None] | None = None
        names = [descriptor.full_name for descriptor, _ in services]
        self._reflection = Reflection([*names, HEALTH.full_name, *(service.full_name for service in REFLECTION)])
        standard = [(HEALTH, self._health), *((service, self._reflection) for service in REFLECTION)]
        self._server.add_generic_rpc_handlers(
            [
                OversizedMetadata(self._calls),
                *(handlers(descriptor, servicer, self._calls) for descriptor, servicer in [*services, *standard]),
                UnknownMethod(self._calls),
            ]
        )
        self._names = ["", *names]

    async def start(self, listen: str, tls: Tls | None = None) -> str:
        """Listen; returns the address with the port that was given."""
        try:
            try_bind(listen)
            if tls is None:
                port = self._server.add_insecure_port(listen)
            else:
                port = self._server.add_secure_port(listen, _credentials(tls))
        except (RuntimeError, OSError, UnicodeError) as error:
            raise CannotListen(f"cannot listen on {listen}: {why_not(error)}") from None
        await self._server.start()
        self._say(health_pb2.HealthCheckResponse.SERVING)
        if listen.startswith("unix:"):
            return listen
        self._limiter = ConnectionLimiter(port, self._calls, self._limits, self.room, self._on_full)
        self._watching = asyncio.get_running_loop().create_task(self._limiter.watch())
        return f"{listen.rpartition(':')[0]}:{port}"

    async def drain(self) -> None:
        """Say in the health service that this server takes nothing new."""
        self._say(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def stop(self, grace: float = 1.0) -> None:
        await self._server.stop(grace)
        if self._limiter is not None and self._watching is not None:
            self._watching.cancel()
            await asyncio.wait({self._watching})
            self._limiter.close()
            self._limiter = self._watching = None

    def _say(self, status: Any) -> None:
        for name in self._names:
            self._health.say(name, status)


def _credentials(tls: Tls) -> grpc.ServerCredentials:
    tls.check()
    try:
        return grpc.ssl_server_credentials([(tls.key.read_bytes(), tls.certificate.read_bytes())])
    except OSError as error:
        raise CannotListen(f"cannot read {error.filename}: {error.strerror}") from None
