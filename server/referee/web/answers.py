"""Answers to reads: made once for all who ask at the same time, in threads that rest, with an ETag (HTTP caching).

What can no longer change, such as the replay of a finished match, is kept; the longest unused goes first.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from referee.hall.places import Places, PlacesTaken
from referee.hall.resting_threads import RestingThreads
from referee.hall.single_flight import SingleFlight

T = TypeVar("T")
MOST_KEPT = 512
MOST_BYTES = 64 << 20
"""Of answers that are kept because they can no longer change."""
MOST_READS = 128
MOST_READS_PER_ADDRESS = 64
HTML = "text/html; charset=utf-8"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Body:
    """What is answered, and its ETag."""

    content: bytes
    media_type: str
    etag: str

    @classmethod
    def of(cls, content: str | bytes, media_type: str) -> Body:
        data = content.encode() if isinstance(content, str) else content
        return cls(data, media_type, f'"{hashlib.sha256(data).hexdigest()[:20]}"')

    @classmethod
    def json(cls, value: Any) -> Body:
        return cls.of(json.dumps(value, ensure_ascii=False, separators=(",", ":")), JSON)

    def response(self, request: Request, cache: str = "no-cache") -> Response:
        """304 if the caller has it already."""
        headers = {"etag": self.etag, "cache-control": cache}
        given = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
        if self.etag in given or "*" in given:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.media_type, headers=headers)


class Answers:
    """Makes and keeps answers."""

    def __init__(self) -> None:
        self._threads = RestingThreads("page")
        self._flights: OrderedDict[tuple[Any, ...], SingleFlight[Any]] = OrderedDict()
        self._kept: OrderedDict[tuple[Any, ...], Body] = OrderedDict()
        self._kept_bytes = 0
        self._places = Places(
            MOST_READS,
            MOST_READS_PER_ADDRESS,
            PlacesTaken(f"{MOST_READS} questions are waiting already: try again in a moment"),
            PlacesTaken(f"{MOST_READS_PER_ADDRESS} questions from your address are waiting already: try again"),
        )

    async def read(self, work: Callable[[], T]) -> T:
        """Something that takes its time, done beside the loop."""
        return await self._threads.run(work)

    async def shared(self, request: Request, key: tuple[Any, ...], make: Callable[[], Awaitable[Body]]) -> Body:
        """The answer to a question that many may ask at once."""
        with self._places.one(peer_of(request)):
            flight = self._flights.get(key)
            if flight is None:
                while len(self._flights) >= MOST_KEPT:
                    self._flights.popitem(last=False)
                flight = self._flights[key] = SingleFlight(make)
            self._flights.move_to_end(key)
            body: Body = await flight.now()
            return body

    async def settled(self, request: Request, key: tuple[Any, ...], make: Callable[[], Awaitable[Body]]) -> Body:
        """The answer to a question whose answer can no longer change."""
        found = self._kept.get(key)
        if found is None:
            found = await self.shared(request, key, make)
            if key not in self._kept:
                self._kept[key] = found
                self._kept_bytes += len(found.content)
            while self._kept and (len(self._kept) > MOST_KEPT or self._kept_bytes > MOST_BYTES):
                self._kept_bytes -= len(self._kept.popitem(last=False)[1].content)
        else:
            self._kept.move_to_end(key)
        return found

    def close(self) -> None:
        self._threads.close()


def peer_of(request: Request) -> str:
    """The caller as `Places` counts callers."""
    if request.client is None:
        return "unix:"
    host = request.client.host
    return f"ipv6:[{host}]:0" if ":" in host else f"ipv4:{host}:0"
