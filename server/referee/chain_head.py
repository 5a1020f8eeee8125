"""The head of a hash chain: how many entries it has and the hash of the last, which stands for all of them.

Who has noted a head can tell later whether the chain that is published is the one of then.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

BEGINNING = "0" * 64
"""What stands in place of the hash before the first entry."""


class ChainHead(NamedTuple):
    """The head of the chain of a tournament at one moment."""

    entries: int
    hash: str

    @classmethod
    def after(cls, last: Sequence[Any] | None) -> ChainHead:
        """The head of a chain whose last entry has this number and hash; None if it has no entry."""
        return cls(0, BEGINNING) if last is None else cls(last[0] + 1, last[1])
