"""Seeds can be recomputed by anybody who knows the root, with nothing but a standard HMAC."""

from __future__ import annotations

import hashlib
import hmac

from referee.tournament.seeds import commitment, match_seed, root_for

ROOT = bytes(range(32))


def test_a_match_seed_is_an_hmac_of_length_prefixed_parts() -> None:
    message = b"\0\0\0\6league" + b"\0\0\0\2" + b"17" + b"\0\0\0\1" + b"2"
    assert match_seed(ROOT, "league", 17, 2) == hmac.new(ROOT, message, hashlib.sha256).digest()


def test_no_two_matches_attempts_or_tournaments_share_a_seed() -> None:
    named = [("a", 11, 1), ("a", 1, 11), ("a", 1, 1), ("a1", 1, 1), ("a", 111, 1), ("a", 11, 11)]
    assert len({match_seed(ROOT, *each) for each in named}) == len(named)


def test_the_commitment_is_the_sha_256_of_the_root() -> None:
    assert commitment(ROOT) == hashlib.sha256(ROOT).hexdigest()


def test_a_typed_seed_always_means_the_same_root_and_no_seed_a_new_one() -> None:
    assert root_for("2024") == root_for("2024") != root_for("2025")
    assert root_for(None) != root_for(None)
    assert len(root_for(None)) == len(root_for("x")) == 32
