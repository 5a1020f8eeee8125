"""Where the deals of a tournament come from, so that anybody can check them afterwards.

A tournament has a secret root of 32 bytes. SHA-256(root) is published before the first match, every match's seed with
its record, and the root itself when the tournament is over: then anyone can recompute every seed.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets


def root_for(seed: str | None) -> bytes:
    """The root meant by a seed that a person typed; without one, a new secret."""
    return secrets.token_bytes(32) if seed is None else hashlib.sha256(f"referee root {seed}".encode()).digest()


def commitment(root: bytes) -> str:
    """What is published of a root before the first match."""
    return hashlib.sha256(root).hexdigest()


def match_seed(root: bytes, tournament: str, deal: int, attempt: int) -> bytes:
    """HMAC-SHA-256(root, tournament ‖ deal ‖ attempt), every part behind its length in four bytes.

    `deal` is the place of the match in the schedule; matches of a mirrored block share the one of their first.
    """
    parts = (tournament.encode(), str(deal).encode(), str(attempt).encode())
    return hmac.digest(root, b"".join(len(part).to_bytes(4, "big") + part for part in parts), "sha256")
