"""The seeds of a tournament: root, commitment, and the seed of each match, to be checked afterwards.

A tournament has a secret root of 32 bytes. SHA-256(root) is published before the first match, every match's seed with
its record, and the root itself when the tournament is over: then anyone can recompute every seed.

A host may give a text. Alone it would not keep the root secret: the commitment is public, and texts that people type
can be tried by the million. So a random salt is mixed in, and both are published with the root. Only a repeatable
tournament, for tests and research, follows from its text alone.

Entrants may take part in the drawing (`nonces.py`). Then every seed follows from the root and from their nonces, which
the host did not know when it published the commitment to its root. A tournament without nonces has the seeds of before.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

SALTED = b"referee salted root"
"""The label that keeps a salted root apart from every other hash."""
SALT_BYTES = 32
WITH_NONCES = b"referee seed with nonces"
"""The label of a seed into which nonces went; seeds without nonces have three parts and no label."""

DRAW = b"referee draw"
"""The label of what a format draws its rounds from."""


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
    return hashlib.sha256(framed(SALTED, text.encode(), salt)).digest()


def commitment(root: bytes) -> str:
    """What is published of a root before the first match."""
    return hashlib.sha256(root).hexdigest()


def match_seed(root: bytes, tournament: str, deal: int, attempt: int, nonces: bytes | None = None) -> bytes:
    """HMAC-SHA-256(root, tournament ‖ deal ‖ attempt), every part behind its length in four bytes.

    With the digest of the entrants' nonces: HMAC-SHA-256(root, label ‖ tournament ‖ nonces ‖ deal ‖ attempt).
    `deal` is the place of the match in the schedule; matches of a mirrored block share the one of their first.
    """
    parts = [tournament.encode(), str(deal).encode(), str(attempt).encode()]
    if nonces is not None:
        parts = [WITH_NONCES, parts[0], nonces, *parts[1:]]
    return hmac.digest(root, framed(*parts), "sha256")


def draw_seed(root: bytes, tournament: str, number: int) -> bytes:
    """What a format draws round `number` from: HMAC-SHA-256(root, label ‖ tournament ‖ number), as for matches."""
    return hmac.digest(root, framed(DRAW, tournament.encode(), str(number).encode()), "sha256")


def framed(*parts: bytes) -> bytes:
    """The parts one after the other, each behind its length, so that no two lists of parts give the same bytes."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in parts])
