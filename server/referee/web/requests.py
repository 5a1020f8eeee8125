"""What requests say: names, numbers and whose view, checked before anything is looked up."""

from __future__ import annotations

import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from referee.analysis.replay import PUBLIC, REVEALED, Perspective
from referee.analysis.replay.perspective import of_seat

LONGEST_NAME = 200
LARGEST = 8192


class Conflict(Exception):
    """It exists, and cannot be had now: the text says why."""


def name_in(request: Request) -> str:
    """The name in the path, or after `?name=` where a path would lose it."""
    name = str(request.path_params.get("name") or request.query_params.get("name", ""))
    if len(name) > LONGEST_NAME:
        raise HTTPException(404, "no name is so long")
    return name


def number_in(request: Request, key: str, usual: int, most: int = 10_000_000) -> int:
    """A whole number of the query."""
    text = request.query_params.get(key, "")
    if not text:
        return usual
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise HTTPException(400, f"{key} must be a whole number from 0 on")
    return min(most, int(text))


def perspective_in(request: Request, players: int) -> Perspective:
    """Whose view is asked for: `public`, `revealed`, or the number of a seat."""
    word = request.query_params.get("seat", "public")
    if word == "public":
        return PUBLIC
    if word == "revealed":
        return REVEALED
    if not word.isascii() or not word.isdecimal() or len(word) > 4:
        raise HTTPException(400, "seat must be public, revealed or the number of a seat")
    return of_seat(int(word), players)


async def object_in(request: Request) -> dict[str, Any]:
    """The object of a request; only pages of this site may send one."""
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HTTPException(403, "only this site's own pages may do that")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "send JSON, with the content type application/json")
    data = await request.body()
    if len(data) > LARGEST:
        raise HTTPException(413, f"at most {LARGEST} bytes are read")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise HTTPException(400, "that is not JSON") from None
    if not isinstance(value, dict):
        raise HTTPException(400, "send a JSON object")
    return value
