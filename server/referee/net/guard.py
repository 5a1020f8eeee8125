"""Error handling of every gRPC method: nothing of the inside gets out in a status.

Every method of ours is registered here: requests that cannot be decoded become INVALID_ARGUMENT, a `Refusal` becomes
its status with its fixed text, a fault of the database becomes one sentence, and anything unexpected becomes INTERNAL
with nothing but a reference that the host finds in the log.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from typing import Any, NoReturn

import grpc
import grpc.aio
import structlog
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message

from referee.hall.database_faults import fault_of, for_strangers, passes
from referee.net.caller import CALLER
from referee.net.open_calls import Calls
from referee.rules.spelling import printable
from referee.store import DamagedRow, DiskFull, StoreError

log = structlog.get_logger()
RETRY_KEY = "retry-after-ms"
"""In the trailing metadata of a refusal: when to try again."""
FAULT_KEY = "referee-fault"
"""In the trailing metadata where not the request was wrong, but what the server stands on: `database`."""
DATABASE = "database"
FAULT_RETRY_MS = 5000
LONGEST_TEXT = 500
"""Characters of a status text: it may repeat what a client sent."""


class Refusal(Exception):
    """A request that is turned down: a status and a sentence that any client may see."""

    def __init__(self, code: grpc.StatusCode, text: str, retry_ms: int = 0) -> None:
        """`retry_ms` tells a program after how many milliseconds it is worth trying again."""
        super().__init__(text)
        self.code = code
        self.text = text
        self.retry_ms = retry_ms


Gate = Callable[[str, Any, Any], Awaitable[AbstractAsyncContextManager[object]]]
"""Authorization: called with the name of the method, the request and the context before the method. Raises a Refusal,
or returns what the method does its work in."""


class Undecodable:
    """Stands for a request whose bytes are no message."""


UNDECODABLE = Undecodable()
NOT_DECODED = Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the message cannot be decoded")


def handlers(service: ServiceDescriptor, servicer: object, calls: Calls) -> grpc.GenericRpcHandler:
    """All methods of a service, guarded. The servicer has a method for each: `async def Name(request, context)`.

    A method that takes a stream reads it with `context.read()`, where an undecodable message shows as UNDECODABLE. One
    that answers with a stream may yield messages that are serialized already, where many are told the same. If the
    servicer has a `gate`, no method is called before the gate has let the caller in.
    """
    gate: Gate = getattr(servicer, "gate", _open)
    methods = {method.name: _handler(method, getattr(servicer, method.name), calls, gate) for method in service.methods}
    return grpc.method_handlers_generic_handler(service.full_name, methods)


async def _open(method: str, request: Any, context: Any) -> AbstractAsyncContextManager[object]:
    """The gate of services that anybody may call, or that look at tokens themselves."""
    return nullcontext()


def _handler(method: MethodDescriptor, behaviour: Any, calls: Calls, gate: Gate) -> grpc.RpcMethodHandler[Any, Any]:
    write = message_factory.GetMessageClass(method.output_type).SerializeToString
    options: dict[str, Any] = {
        "request_deserializer": _reader(message_factory.GetMessageClass(method.input_type)),
        "response_serializer": write,
    }
    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(_guard_stream(behaviour, calls), **options)
    # What many are sent is serialized once for all of them.
    options["response_serializer"] = lambda answer: answer if isinstance(answer, bytes) else write(answer)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(_guard_answers(behaviour, calls, method.name, gate), **options)
    return grpc.unary_unary_rpc_method_handler(_guard(behaviour, calls, method.name, gate), **options)


def _reader(kind: type[Message]) -> Callable[[bytes], Any]:
    def read(data: bytes) -> Any:
        try:
            return kind.FromString(data)
        except DecodeError:
            return UNDECODABLE

    return read


def _guard(behaviour: Any, calls: Calls, name: str, gate: Gate) -> Any:
    async def call(request: Any, context: Any) -> Any:
        peer = context.peer()
        calls.begin(peer)
        try:
            if request is UNDECODABLE:
                raise NOT_DECODED
            async with await gate(name, request, context):
                return await behaviour(request, context)
        except Exception as error:  # noqa: BLE001 - nothing of the inside may reach the client
            await _abort(error, context)
        finally:
            calls.end(peer)

    return call


def _guard_answers(behaviour: Any, calls: Calls, name: str, gate: Gate) -> Any:
    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        peer = context.peer()
        calls.begin(peer)
        try:
            if request is UNDECODABLE:
                raise NOT_DECODED
            async with await gate(name, request, context), aclosing(behaviour(request, context)) as answers:
                async for answer in answers:
                    yield answer
        except Exception as error:  # noqa: BLE001 - nothing of the inside may reach the client
            await _abort(error, context)
        finally:
            calls.end(peer)

    return call


def _guard_stream(behaviour: Any, calls: Calls) -> Any:
    async def call(requests: Any, context: Any) -> None:
        peer = context.peer()
        calls.begin(peer)
        try:
            await behaviour(requests, context)
        except Exception as error:  # noqa: BLE001 - nothing of the inside may reach the client
            await _abort(error, context)
        finally:
            calls.end(peer)

    return call


async def _abort(error: Exception, context: Any) -> NoReturn:
    if isinstance(error, grpc.aio.AbortError | asyncio.CancelledError):
        raise error
    if isinstance(error, Refusal):
        told = ((RETRY_KEY, str(error.retry_ms)),) if error.retry_ms else ()
        await context.abort(error.code, printable(error.text, LONGEST_TEXT), told)
    if (fault := fault_of(error)) is not None:
        await _abort_for_fault(fault, context)
    reference = secrets.token_hex(4)
    log.error("unexpected error", reference=reference, exc_info=error)
    await context.abort(grpc.StatusCode.INTERNAL, f"internal error; the host finds it in the log as {reference}")
    raise AssertionError("abort returns never")


async def _abort_for_fault(fault: StoreError, context: Any) -> None:
    """What may pass is worth trying again; a full disk and what is wrong with the database are the host's to mend."""
    log.error("the database failed a call", why=str(fault))
    told = [(FAULT_KEY, DATABASE)]
    code = grpc.StatusCode.FAILED_PRECONDITION
    if passes(fault):
        code = grpc.StatusCode.UNAVAILABLE
        told.append((RETRY_KEY, str(FAULT_RETRY_MS)))
    elif isinstance(fault, DiskFull):
        code = grpc.StatusCode.RESOURCE_EXHAUSTED
    elif isinstance(fault, DamagedRow):
        code = grpc.StatusCode.DATA_LOSS
    text = for_strangers(fault) if CALLER.get(None) is None else str(fault)
    await context.abort(code, printable(text, LONGEST_TEXT), tuple(told))
