"""An entry of the journal: its one text, its hash, and what it follows on.

Apart from `journal.py`, because whoever checks an exported folder needs this and no database.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

INSTALLATION = 0
"""The chain of what belongs to no tournament."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line of a chain: its place, the text that was hashed, and the hash of it and all before it."""

    number: int
    entry: str
    hash: str


def canonical(value: Mapping[str, Any]) -> str:
    """The one text of a JSON object: keys sorted, no spaces, nothing escaped that need not be."""
    return _encode(value)


def link(before: str, entry: str) -> str:
    """The hash of an entry that follows on the hash `before`."""
    return sha256(f"{before}\n{entry}".encode()).hexdigest()


def entry(kind: str, at: int, **told: Any) -> dict[str, Any]:
    """An entry; its number is added when it is appended."""
    return {"kind": kind, "at": at, **told}


def schedule_line(match: int, round: int, table: int, names: Sequence[str]) -> str:
    """A match of a schedule as exports write it and `scheduled` entries hash it, with its line feed."""
    return canonical({"match": match, "round": round, "table": table, "seats": list(names)}) + "\n"
