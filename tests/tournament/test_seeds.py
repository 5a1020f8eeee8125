"""Seeds can be recomputed by anybody who knows the root, with nothing but a standard HMAC."""

from __future__ import annotations

import hashlib
import hmac

from referee.tournament.seeds import commitment, match_seed, new_root, root_of

ROOT = bytes(range(32))


def test_a_match_seed_is_an_hmac_of_length_prefixed_parts() -> None:
    message = b"\0\0\0\6league" + b"\0\0\0\2" + b"17" + b"\0\0\0\1" + b"2"
    assert match_seed(ROOT, "league", 17, 2) == hmac.new(ROOT, message, hashlib.sha256).digest()


def test_no_two_matches_attempts_or_tournaments_share_a_seed() -> None:
    named = [("a", 11, 1), ("a", 1, 11), ("a", 1, 1), ("a1", 1, 1), ("a", 111, 1), ("a", 11, 11)]
    assert len({match_seed(ROOT, *each) for each in named}) == len(named)


def test_the_commitment_is_the_sha_256_of_the_root() -> None:
    assert commitment(ROOT) == hashlib.sha256(ROOT).hexdigest()


def test_a_repeatable_root_is_the_sha_256_of_its_text_behind_a_label() -> None:
    root = new_root("2024", repeatable=True)
    assert root == new_root("2024", repeatable=True) != new_root("2025", repeatable=True)
    assert (root.text, root.salt) == ("2024", None)
    assert root.root == hashlib.sha256(b"referee root 2024").digest()
    assert root_of("7", None).hex() == "6611d1f4d9e78a6ffdfc4ea5104642f9d052ef6d9a72510f052a3e4ddcfb85b8"


def test_a_text_is_mixed_with_a_new_salt_each_time_and_leads_to_the_root_together_with_it() -> None:
    first, second = new_root("é 1"), new_root("é 1")
    assert first.text == second.text == "é 1"
    assert first.salt is not None
    assert first.salt != second.salt
    assert first.root != second.root
    parts = (b"referee salted root", "é 1".encode(), first.salt)
    message = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    assert first.root == hashlib.sha256(message).digest() == root_of("é 1", first.salt)
    assert len(first.root) == len(first.salt) == 32


def test_without_a_text_the_root_is_drawn() -> None:
    assert new_root(None).root != new_root(None).root
    assert len(new_root(None).root) == 32


def test_no_part_of_a_root_is_in_its_repr() -> None:
    root = new_root("lucky")
    assert repr(root) == "Root()"
