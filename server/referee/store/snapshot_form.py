"""Snapshots as values, and their stored form: compressed JSON, and a digest over everything in its row."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from referee.store.values import SnapshotKind

LARGEST = 64_000_000
"""Bytes of a value: a damaged row cannot fill the memory."""
NOTED = ("through", "entrants", "finished", "aside", "rulings", "settings", "journal_number", "journal_hash")
"""What a row notes beside the tournament, the kind and the value."""


@dataclass(frozen=True, slots=True)
class NewSnapshot:
    """A value, and what it was computed from."""

    kind: SnapshotKind
    through: int
    """Matches before this place in the schedule went into it."""
    entrants: int
    """How many there were, in the order of entry."""
    finished: int
    aside: int
    """How many matches before that place were finished, and how many set aside."""
    rulings: int
    """How many rulings were known."""
    settings: str
    """A digest of everything else that the value depends on, such as constants."""
    value: Any
    """Plain JSON."""


@dataclass(frozen=True, slots=True)
class StoredSnapshot(NewSnapshot):
    """A snapshot with the place of the journal when it was stored."""

    journal_number: int
    journal_hash: str


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A row of the table, as an audit finds it."""

    kind: str
    through: Any
    snapshot: StoredSnapshot | None
    wrong: str
    """Empty if nothing is."""


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
