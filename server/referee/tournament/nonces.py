"""Nonces: random bytes of the entrants that go into the seeds, so that the host alone cannot choose the deals.

They are collected in draws of two steps. First every entrant that takes part commits itself: it tells the SHA-256 of
its nonce. Only when all commitments are fixed are the nonces told. So no entrant, and no host that plays along under an
entrant's name, can choose a nonce after having seen the others'. The commitment to the root comes before both.

The first draw is made at the start of the tournament; when bots join while it runs, another one is made, and counts for
the matches that were added. An entrant that does not tell its nonce in time stays listed without one: all can see it.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import dataclass

from referee.store import DrawnNonce, NonceDraw
from referee.tournament.seeds import framed

NONCE_BYTES = 32
COMMITMENT = b"referee nonce"
NONCES = b"referee nonces"
HEX = re.compile(r"[0-9a-f]{64}")
"""A commitment or a nonce as it is told: 32 bytes in lower-case hex."""


@dataclass(frozen=True, slots=True)
class NonceDigests:
    """What the nonces of a tournament come to for each match."""

    digests: tuple[tuple[int, bytes], ...]
    """The first match of each draw and the draw's digest, in order."""

    @classmethod
    def of(cls, tournament: str, draws: Iterable[NonceDraw]) -> NonceDigests:
        return cls(tuple((draw.first, digest(tournament, draw)) for draw in draws))

    def at(self, deal: int) -> bytes | None:
        """The digest that goes into the seed of this deal; None without nonces."""
        return next((digest for first, digest in reversed(self.digests) if first <= deal), None)


def commitment(tournament: str, draw: int, nonce: bytes) -> str:
    """What an entrant tells of its nonce in the first step."""
    return hashlib.sha256(framed(COMMITMENT, tournament.encode(), str(draw).encode(), nonce)).hexdigest()


def keeps(promised: str, tournament: str, draw: int, nonce: bytes) -> bool:
    """Whether this is the nonce to which an entrant had committed itself."""
    return len(nonce) == NONCE_BYTES and hmac.compare_digest(commitment(tournament, draw, nonce), promised)


def digest(tournament: str, draw: NonceDraw) -> bytes:
    """SHA-256 over a draw: who took part, the commitments, and the nonces (empty where one was not told)."""
    parts = [NONCES, tournament.encode(), str(draw.draw).encode(), str(draw.first).encode()]
    for entrant in draw.entrants:
        parts += [entrant.name.encode(), bytes.fromhex(entrant.commitment), bytes.fromhex(entrant.nonce)]
    return hashlib.sha256(framed(*parts)).digest()


def wrong(tournament: str, draw: NonceDraw) -> DrawnNonce | None:
    """The first entrant whose nonce is not the one it had committed itself to."""
    for entrant in draw.entrants:
        if entrant.nonce and not keeps(entrant.commitment, tournament, draw.draw, bytes.fromhex(entrant.nonce)):
            return entrant
    return None
