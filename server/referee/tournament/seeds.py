"""Where the deals of a tournament come from, so that anybody can check them afterwards.

A tournament has a secret root of 32 bytes. SHA-256(root) is published before the first match, every match's seed with
its record, and the root itself when the tournament is over: then anyone can recompute every seed.

A host may give a text. Alone it would not keep the root secret: the commitment is public, and texts that people type
can be tried by the million. So a random salt is mixed in, and both are published with the root. Only a repeatable
tournament, for tests and research, follows from its text alone.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

SALTED = b"referee salted root"
"""The label that keeps a salted root apart from every other hash."""
SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Root:
    """A root, and what it follows from; nothing of it may be shown before the tournament is over."""

    root: bytes = field(repr=False)
    text: str | None = field(default=None, repr=False)
    salt: bytes | None = field(default=None, repr=False)


def new_root(text: str | None, *, repeatable: bool = False) -> Root:
    """A new secret, with the host's text mixed in if there is one; repeatable: what the text alone leads to."""
    if text is None:
        return Root(secrets.token_bytes(32))
    salt = None if repeatable else secrets.token_bytes(SALT_BYTES)
    return Root(root_of(text, salt), text, salt)


def root_of(text: str, salt: bytes | None) -> bytes:
    """The root that follows from a text and its salt; without a salt, from the text alone."""
    if salt is None:
        return hashlib.sha256(f"referee root {text}".encode()).digest()
    return hashlib.sha256(_framed(SALTED, text.encode(), salt)).digest()


def commitment(root: bytes) -> str:
    """What is published of a root before the first match."""
    return hashlib.sha256(root).hexdigest()


def match_seed(root: bytes, tournament: str, deal: int, attempt: int) -> bytes:
    """HMAC-SHA-256(root, tournament ‖ deal ‖ attempt), every part behind its length in four bytes.

    `deal` is the place of the match in the schedule; matches of a mirrored block share the one of their first.
    """
    return hmac.digest(root, _framed(tournament.encode(), str(deal).encode(), str(attempt).encode()), "sha256")


def _framed(*parts: bytes) -> bytes:
    """The parts one after the other, each behind its length, so that no two lists of parts give the same bytes."""
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)
