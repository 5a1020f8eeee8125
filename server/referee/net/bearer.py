"""Bearer tokens: the one in the metadata of a call, and what a caller is told while too many unknown ones come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc

from referee.hall.places import PlacesTaken
from referee.net.guard import Refusal

BUSY = Refusal(
    grpc.StatusCode.UNAVAILABLE, "too many unknown tokens are being looked up: try again in 1 second", retry_ms=1000
)


def bearer_token(context: Any) -> str:
    """The token in the metadata, or an empty text."""
    for key, value in context.invocation_metadata() or ():
        if key == "authorization" and isinstance(value, str) and value.startswith("Bearer "):
            return value.removeprefix("Bearer ")
    return ""


@contextmanager
def lookups() -> Iterator[None]:
    """While a token is looked up: too many unknown ones become a status."""
    try:
        yield
    except PlacesTaken:
        raise BUSY from None
