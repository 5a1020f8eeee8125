"""Nonces: this bot's part in the drawing of a tournament's deals, so that the host alone cannot choose them.

Before a tournament begins the referee asks twice: first for a commitment to a nonce, then, once the commitments of all
are fixed, for the nonce. Afterwards it tells what was fixed. See proto/README.md, "Nonces".
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field

from arena.v1 import match_pb2 as pb

NONCE_BYTES = 32


@dataclass(slots=True)
class _Draw:
    nonce: bytes = field(default_factory=lambda: secrets.token_bytes(NONCE_BYTES), repr=False)
    shown: list[tuple[str, str]] | None = None
    """The commitments that were shown when the nonce was told."""


class Nonces:
    """The nonces of one bot, by tournament and draw; they outlive a lost connection."""

    def __init__(self) -> None:
        self._draws: dict[tuple[str, int], _Draw] = {}

    def answer(self, call: pb.Nonces) -> pb.Nonce | None:
        """What to say to a call; None if there is nothing to say."""
        key = (call.tournament, call.draw)
        if call.step == pb.NONCE_STEP_COMMIT:
            draw = self._draws.setdefault(key, _Draw())
            promise = commitment(call.tournament, call.draw, draw.nonce)
            return pb.Nonce(tournament=call.tournament, draw=call.draw, commitment=promise)
        found = self._draws.get(key)
        if call.step != pb.NONCE_STEP_REVEAL or found is None:
            return None
        shown = _shown(call)
        mine = commitment(call.tournament, call.draw, found.nonce)
        # Told once: to a second list of commitments, which might have been made for this nonce, nothing is said.
        if all(mine != other for _, other in shown) or found.shown not in (None, shown):
            return None
        found.shown = shown
        return pb.Nonce(tournament=call.tournament, draw=call.draw, nonce=found.nonce.hex())

    def broken(self, call: pb.Nonces) -> bool:
        """Whether what was fixed lacks this bot's nonce, or has other commitments than those to which it was told."""
        found = self._draws.get((call.tournament, call.draw))
        if call.step != pb.NONCE_STEP_FIXED or found is None:
            return False
        return found.shown != _shown(call) or all(entrant.nonce != found.nonce.hex() for entrant in call.entrants)


def _shown(call: pb.Nonces) -> list[tuple[str, str]]:
    return [(entrant.name, entrant.commitment) for entrant in call.entrants]


def commitment(tournament: str, draw: int, nonce: bytes) -> str:
    """SHA-256 (hex) over a label, the tournament, the draw and the nonce, each behind its length in four bytes."""
    parts = (b"referee nonce", tournament.encode(), str(draw).encode(), nonce)
    return hashlib.sha256(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).hexdigest()
