"""Calls that no service answers: to methods that there are not, and with more metadata than any client sends.

gRPC keeps to its own limit on metadata only with clients that have confirmed the settings of the connection. Who never
does sends as much as it likes, and a header costs it one byte, but some hundred bytes and a microsecond here. Unknown
methods gRPC refuses by itself, uncounted. So both are answered here, where the limiter hears of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import grpc.aio

from referee.net.open_calls import Calls

LARGEST = 16 << 10
"""Bytes of metadata, counted as HTTP/2 does: name, value and 32 more for each."""
PER_ENTRY = 32


class OversizedMetadata(grpc.GenericRpcHandler):
    """Asked before all services: a connection with such a call is ended."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any] | None:
        metadata = details.invocation_metadata or ()
        if len(metadata) * PER_ENTRY > LARGEST:
            return _handler(self._refuse)
        size = sum(len(key) + len(value) + PER_ENTRY for key, value in metadata)
        return _handler(self._refuse) if size > LARGEST else None

    async def _refuse(self, requests: Any, context: Any) -> None:
        self._calls.expel(context.peer())
        await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "too much metadata")


class UnknownMethod(grpc.GenericRpcHandler):
    """Asked after all services. Such a call counts like any other."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        return _handler(self._refuse)

    async def _refuse(self, requests: Any, context: Any) -> None:
        peer = context.peer()
        self._calls.begin(peer)
        try:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")
        finally:
            self._calls.end(peer)


def _handler(behaviour: Callable[[Any, Any], Awaitable[None]]) -> grpc.RpcMethodHandler[Any, Any]:
    return grpc.stream_stream_rpc_method_handler(behaviour)
