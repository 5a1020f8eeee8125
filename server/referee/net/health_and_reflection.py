"""The standard services of gRPC, health and reflection, within limits, for any client may call them.

Their streams are few at a time and end by themselves; a client that still wants one opens another.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import grpc.aio
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from referee.hall.places import Places
from referee.net.guard import NOT_DECODED, UNDECODABLE, Refusal

MOST_STREAMS = 128
MOST_STREAMS_PER_ADDRESS = 8
"""Streams of each of the two services."""
WATCH_SECONDS = 600.0
REFLECTION_SECONDS = 60.0
MOST_QUESTIONS = 1000
"""Questions in one stream of reflection."""

_RETRY_MS = 10_000
TOO_MANY = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MOST_STREAMS} such streams are open: try again in 10 seconds", _RETRY_MS
)
TOO_MANY_OF_YOURS = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    f"{MOST_STREAMS_PER_ADDRESS} such streams are open from your address: close one, or try again in 10 seconds",
    _RETRY_MS,
)
LONG_ENOUGH = Refusal(grpc.StatusCode.UNAVAILABLE, "this stream was open for long enough: open another")
ENOUGH_ASKED = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "enough was asked in this stream: open another")
NO_SERVICE = Refusal(grpc.StatusCode.NOT_FOUND, "there is no service of that name")


class Health:
    """`grpc.health.v1.Health`."""

    def __init__(self) -> None:
        self._statuses: dict[str, Any] = {}
        self._watchers: set[asyncio.Event] = set()
        self._places = Places(MOST_STREAMS, MOST_STREAMS_PER_ADDRESS, TOO_MANY, TOO_MANY_OF_YOURS)

    def say(self, name: str, status: Any) -> None:
        """This is how a service is from now on."""
        self._statuses[name] = status
        for watcher in self._watchers:
            watcher.set()

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - the method's name in the protocol
        if request.service not in self._statuses:
            raise NO_SERVICE
        return health_pb2.HealthCheckResponse(status=self._statuses[request.service])

    async def List(self, request: Any, context: Any) -> Any:  # noqa: N802
        """All services at once: part of the service in later versions of grpcio-health-checking."""
        statuses = {name: health_pb2.HealthCheckResponse(status=status) for name, status in self._statuses.items()}
        return health_pb2.HealthListResponse(statuses=statuses)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        news, last = asyncio.Event(), None
        until = asyncio.get_running_loop().time() + WATCH_SECONDS
        with self._places.one(context.peer()):
            self._watchers.add(news)
            try:
                while True:
                    news.clear()
                    status = self._statuses.get(request.service, health_pb2.HealthCheckResponse.SERVICE_UNKNOWN)
                    if status != last:
                        last = status
                        yield health_pb2.HealthCheckResponse(status=status)
                        continue
                    try:
                        async with asyncio.timeout_at(until):
                            await news.wait()
                    except TimeoutError:
                        raise LONG_ENOUGH from None
            finally:
                self._watchers.discard(news)


class Reflection:
    """`grpc.reflection.v1alpha.ServerReflection`, and `grpc.reflection.v1` with the same bytes."""

    def __init__(self, names: list[str]) -> None:
        self._answers = reflection.aio.ReflectionServicer(names)
        self._places = Places(MOST_STREAMS, MOST_STREAMS_PER_ADDRESS, TOO_MANY, TOO_MANY_OF_YOURS)

    async def ServerReflectionInfo(self, requests: Any, context: Any) -> None:  # noqa: N802
        with self._places.one(context.peer()):
            try:
                async with asyncio.timeout(REFLECTION_SECONDS):
                    await self._answer_all(context)
            except TimeoutError:
                raise LONG_ENOUGH from None

    async def _answer_all(self, context: Any) -> None:
        for _ in range(MOST_QUESTIONS):
            question = await context.read()
            if question is grpc.aio.EOF:
                return
            if question is UNDECODABLE:
                raise NOT_DECODED
            asked = reflection_pb2.ServerReflectionRequest.FromString(question.SerializeToString())
            async for answer in self._answers.ServerReflectionInfo(_only(asked), context):
                # In the words of the service that was called.
                await context.write(_response_to(question).FromString(answer.SerializeToString()))
        raise ENOUGH_ASKED


def _response_to(question: Message) -> type[Message]:
    """The class of the answer to a question: both are of one version of the service."""
    package = question.DESCRIPTOR.file.package
    described = descriptor_pool.Default().FindMessageTypeByName(f"{package}.ServerReflectionResponse")
    return message_factory.GetMessageClass(described)


async def _only(question: reflection_pb2.ServerReflectionRequest) -> AsyncIterator[Any]:
    yield question
