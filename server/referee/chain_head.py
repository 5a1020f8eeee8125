"""The head of a hash chain: how many entries it has and the hash of the last, which stands for all of them.

Who has noted a head can tell later whether the chain that is published is the one of then.
"""

from __future__ import annotations

from typing import NamedTuple


class ChainHead(NamedTuple):
    """The head of the chain of a tournament at one moment."""

    entries: int
    hash: str
