"""The stored form of a snapshot: compressed JSON, and a digest over everything in its row."""

from __future__ import annotations

import json
import zlib
from hashlib import sha256
from typing import Any

LARGEST = 64_000_000
"""Bytes of a value: a damaged row cannot fill the memory."""
NOTED = ("through", "entrants", "finished", "aside", "rulings", "settings", "journal_number", "journal_hash")
"""What a row notes beside the tournament, the kind and the value."""


def packed(value: Any) -> bytes:
    """A plain JSON value as it is stored."""
    return zlib.compress(json.dumps(value, separators=(",", ":"), allow_nan=False).encode(), 1)


def value_in(body: bytes) -> Any:
    """What `packed` was given; ValueError or zlib.error if it is damaged."""
    return json.loads(zlib.decompressobj().decompress(body, LARGEST))


def digest_of(row: Any, body: bytes) -> str:
    """Over everything in a row, given by the names of its columns."""
    noted = [row["tournament_id"], row["kind"], *(row[name] for name in NOTED), sha256(body).hexdigest()]
    return sha256(json.dumps(noted).encode()).hexdigest()
