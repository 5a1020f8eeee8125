"""Writes to a gRPC stream without losing the status with which the server ended it.

`call.write` on a stream that the server has just ended replaces the server's status and its sentence by INTERNAL,
"Internal error from Core". A bot with a wrong token would then try again for ever instead of saying so.
"""

from __future__ import annotations

import asyncio
from typing import Any

try:
    from grpc._cython.cygrpc import InternalError as _WriteFailed  # type: ignore[import-not-found]
except ImportError:  # a gRPC that keeps it elsewhere: its own `write` has to do
    _WriteFailed = None


async def write(call: Any, message: Any) -> None:
    """Send a message; `asyncio.InvalidStateError` once the stream has ended: `call.code()` then tells why."""
    inner = getattr(call, "_cython_call", None)
    if _WriteFailed is None or inner is None:
        await call.write(message)
        return
    await call.wait_for_connection()
    if call.done():
        raise asyncio.InvalidStateError("the stream has ended")
    try:
        await inner.send_serialized_message(message.SerializeToString())
    except _WriteFailed:
        raise asyncio.InvalidStateError("the stream has ended") from None
