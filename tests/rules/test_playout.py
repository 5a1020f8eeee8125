"""Whole matches in one go: the same seed plays alike, the random player is even and has a stream of its own."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

import pytest

from referee.rules.game import Legal, seed_bytes
from referee.rules.playout import (
    fallback_chooser,
    first_chooser,
    last_chooser,
    match_seed,
    playout,
    random_chooser,
)
from tall_tales import GAME


class Offer:
    """Something that looks like a state to a chooser."""

    def __init__(self, count: int) -> None:
        self.moves = tuple(range(count))

    def legal(self, seat: int) -> Any:
        return Legal(self.moves)


def picks(seed: bytes, seat: int, count: int, times: int) -> list[int]:
    choose = random_chooser(seed, seat)
    state: Any = Offer(count)
    return [choose(state, seat) for _ in range(times)]


def test_the_random_player_picks_evenly() -> None:
    counts = Counter(picks(b"seed", 0, 5, 5000))
    assert sum((counts[n] - 1000) ** 2 / 1000 for n in range(5)) < 21  # 4 degrees of freedom


def test_each_seat_and_each_match_has_its_own_stream() -> None:
    streams = [picks(seed, seat, 100, 8) for seed in (b"a", b"b") for seat in (0, 1)]
    assert len({tuple(stream) for stream in streams}) == 4
    assert picks(b"a", 0, 100, 300) == picks(b"a", 0, 100, 300)


def test_a_word_that_would_favour_the_first_moves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 1000
    even = (1 << 32) - (1 << 32) % count
    for word in (0, 0xFF << 24, even - 1, even, (1 << 32) - 1):
        monkeypatch.setattr("referee.rules.playout._words", lambda seed, seat, word=word: iter([word, 7]))
        expected = (word if word < even else 7) % count
        assert picks(b"seed", 0, count, 1) == [expected]


def test_the_random_player_goes_on_where_a_block_of_words_ends() -> None:
    drawn = b"".join(hashlib.shake_256(b"player 2 %d seed" % block).digest(512) for block in range(3))
    words = [int.from_bytes(drawn[at : at + 4], "big") for at in range(0, len(drawn), 4)]
    assert picks(b"seed", 2, 16, len(words)) == [word % 16 for word in words]


def test_a_forced_move_uses_up_nothing_of_the_stream() -> None:
    choose = random_chooser(b"a", 0)
    forced: Any = Offer(1)
    free: Any = Offer(100)
    choose(forced, 0)
    assert [choose(free, 0) for _ in range(5)] == picks(b"a", 0, 100, 5)


def test_a_playout_counts_every_answer_and_writes_every_decision() -> None:
    match = playout(
        GAME, 4, {"rounds": 2}, seed_bytes(0), [first_chooser, last_chooser, fallback_chooser, first_chooser]
    )
    assert match.decisions == 8
    assert match.record.moves == ("0: claim 1 | 1: doubt | 2: claim 1 | 3: claim 1",) * 2
    assert match.record.result is not None


def test_the_matches_of_a_series_have_seeds_of_their_own() -> None:
    assert len({match_seed(root, number) for root in (b"a", b"b") for number in range(50)}) == 100
