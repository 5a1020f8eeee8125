"""What nonces come to: commitments that bind, digests that name every part, seeds that follow from all of it."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace

from arena.nonces import commitment as sdk_commitment
from referee.store import DrawnNonce, NonceDraw
from referee.tournament.nonces import NonceDigests, commitment, digest, keeps, wrong
from referee.tournament.seeds import match_seed

ROOT = bytes(range(32))
NONCE = bytes(range(100, 132))
DRAW = NonceDraw(0, 0, (DrawnNonce("ada", commitment("cup", 0, NONCE), NONCE.hex()), DrawnNonce("bob", "bb" * 32)))


def part(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def test_a_commitment_is_a_hash_of_labelled_length_prefixed_parts_and_the_sdk_says_the_same() -> None:
    message = part(b"referee nonce") + part(b"cup") + part(b"0") + part(NONCE)
    assert commitment("cup", 0, NONCE) == hashlib.sha256(message).hexdigest() == sdk_commitment("cup", 0, NONCE)


def test_a_commitment_is_kept_by_its_nonce_only_in_its_tournament_and_draw() -> None:
    promised = commitment("cup", 0, NONCE)
    assert keeps(promised, "cup", 0, NONCE)
    assert not keeps(promised, "cup", 1, NONCE)
    assert not keeps(promised, "cap", 0, NONCE)
    assert not keeps(promised, "cup", 0, bytes(32))
    assert not keeps(commitment("cup", 0, b"short"), "cup", 0, b"short")


def test_a_digest_covers_every_part_of_a_draw() -> None:
    ada, bob = DRAW.entrants
    others = [
        replace(DRAW, draw=1),
        replace(DRAW, first=1),
        replace(DRAW, entrants=(ada,)),
        replace(DRAW, entrants=(bob, ada)),
        replace(DRAW, entrants=(replace(ada, name="Ada"), bob)),
        replace(DRAW, entrants=(replace(ada, nonce=""), bob)),
        replace(DRAW, entrants=(ada, replace(bob, commitment="bc" * 32))),
        replace(DRAW, entrants=(ada, replace(bob, nonce="00" * 32))),
    ]
    assert len({digest("cup", draw) for draw in (DRAW, *others)} | {digest("cap", DRAW)}) == len(others) + 2


def test_a_seed_with_nonces_is_an_hmac_of_labelled_length_prefixed_parts() -> None:
    nonces = digest("cup", DRAW)
    parts = (b"referee seed with nonces", b"cup", nonces, b"17", b"2")
    wanted = hmac.new(ROOT, b"".join(map(part, parts)), hashlib.sha256).digest()
    assert match_seed(ROOT, "cup", 17, 2, nonces) == wanted != match_seed(ROOT, "cup", 17, 2)


def test_a_draw_counts_from_its_first_match_on_until_the_next() -> None:
    later = replace(DRAW, draw=1, first=10)
    digests = NonceDigests.of("cup", (replace(DRAW, first=4), later))
    assert digests.at(3) is None
    assert digests.at(4) == digests.at(9) == digest("cup", replace(DRAW, first=4))
    assert digests.at(10) == digests.at(999) == digest("cup", later)


def test_who_told_another_nonce_than_promised_is_named() -> None:
    assert wrong("cup", DRAW) is None
    cheat = replace(DRAW.entrants[1], nonce="00" * 32)
    assert wrong("cup", replace(DRAW, entrants=(DRAW.entrants[0], cheat))) == cheat
