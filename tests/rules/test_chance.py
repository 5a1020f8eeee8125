"""Chance: independent streams by label, unbiased, scriptable."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.chance import Extreme, Impossible, Label, Scripted, Seeded

LABELS = {
    "first": Label("pick", "a seat", int, spent=True),
    "deck": Label("order", "cards", str),
    "reshuffle": Label("orders", "cards per shuffle", str),
    "rolls": Label("roll", "faces", lambda text: [int(face) for face in text.split()]),
}
seeds = st.binary(max_size=40)


def chi_square(counts: Sequence[int]) -> float:
    expected = sum(counts) / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts)


@given(seeds, st.lists(st.sampled_from(["a", "b"]), max_size=8))
@settings(max_examples=50)
def test_an_outcome_depends_on_seed_label_and_number_only(seed: bytes, other: list[str]) -> None:
    plain, mixed = Seeded(seed), Seeded(seed)
    expected = [plain.pick("deck", range(1000)) for _ in range(3)]
    seen = []
    for _ in range(3):
        for label in other:
            mixed.order(label, range(5))
        seen.append(mixed.pick("deck", range(1000)))
    assert seen == expected


@given(seeds)
@settings(max_examples=50)
def test_the_stream_of_a_label_is_one_of_its_own(seed: bytes) -> None:
    chance = Seeded(seed)
    assert [chance.pick("a", range(10**9)) for _ in range(4)] != [chance.pick("b", range(10**9)) for _ in range(4)]


def test_seed_and_label_do_not_run_together() -> None:
    assert Seeded(b"a").pick("bc", range(10**9)) != Seeded(b"ab").pick("c", range(10**9))
    assert Seeded(b"").pick("a1", range(10**9)) != Seeded(b"").pick("a", range(10**9))


def test_these_outcomes_are_what_they_have_always_been() -> None:
    """Changing how outcomes are computed changes every match ever recorded."""
    chance = Seeded(b"referee")
    assert chance.pick("first", range(1000)) == 729
    assert chance.order("deck", range(10)) == [8, 4, 1, 9, 3, 2, 7, 6, 0, 5]
    assert chance.roll("rolls", [6, 6, 6]) == (5, 1, 0)


def test_outcomes_are_counted_over_all_labels_and_a_copy_counts_on_from_there() -> None:
    chance = Seeded(b"counted")
    assert chance.draws() == 0
    chance.pick("a", "xyz")
    chance.roll("b", [6, 6])
    chance.order("a", "xyz")
    twin = chance.copy()
    twin.pick("a", "xyz")
    assert (chance.draws(), twin.draws()) == (3, 4)


@given(seeds, st.lists(st.integers(), max_size=60))
@settings(max_examples=60)
def test_an_order_has_the_same_items(seed: bytes, items: list[int]) -> None:
    assert Counter(Seeded(seed).order("deck", items)) == Counter(items)


@given(seeds, st.lists(st.integers(1, 50), max_size=10))
@settings(max_examples=60)
def test_every_face_is_on_its_die(seed: bytes, sides: list[int]) -> None:
    faces = Seeded(seed).roll("rolls", sides)
    assert len(faces) == len(sides)
    assert all(0 <= face < side for face, side in zip(faces, sides, strict=True))


def test_picks_are_even() -> None:
    chance = Seeded(b"even")
    counts = Counter(chance.pick("x", range(7)) for _ in range(7000))
    assert chi_square([counts[n] for n in range(7)]) < 25  # 6 degrees of freedom: p below 0.001


def test_orders_are_even() -> None:
    chance = Seeded(b"even")
    counts = Counter(tuple(chance.order("x", "abcd")) for _ in range(12000))
    assert len(counts) == 24
    assert chi_square(list(counts.values())) < 52  # 23 degrees of freedom


def test_rolls_are_even() -> None:
    chance = Seeded(b"even")
    counts = Counter(chance.roll("x", [3, 3]) for _ in range(9000))
    assert len(counts) == 9
    assert chi_square(list(counts.values())) < 28  # 8 degrees of freedom


def test_a_word_that_would_favour_some_place_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def __init__(self, words: bytes) -> None:
            self.words = words

        def digest(self, size: int) -> bytes:
            return (self.words + bytes(size))[:size]

    high = b"\xff" * 8
    monkeypatch.setattr(Seeded, "_next", lambda self, label: Stream(high + (5).to_bytes(8, "big")))
    assert Seeded(b"").pick("x", range(10)) == 5
    assert Seeded(b"").roll("x", [10]) == (5,)
    monkeypatch.setattr(Seeded, "_next", lambda self, label: Stream(b"\xff" * 4 * 12))
    assert sorted(Seeded(b"").order("x", [1, 2, 3])) == [1, 2, 3]


@pytest.mark.parametrize("count", [3, 10, 36, 1000])
def test_the_last_word_that_favours_nothing_is_taken_and_the_next_one_refused(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    even = (1 << 64) - (1 << 64) % count
    for word in (0, 0xFF << 56, even - 1, even, (1 << 64) - 1):
        drawn = word.to_bytes(8, "big") + (7).to_bytes(8, "big")
        stream = type("Stream", (), {"digest": lambda _, size, drawn=drawn: drawn[:size]})()
        monkeypatch.setattr(Seeded, "_next", lambda self, label, stream=stream: stream)
        expected = (word if word < even else 7) % count
        assert Seeded(b"").pick("x", range(count)) == expected
        assert Seeded(b"").roll("x", [count]) == (expected,)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 94, 256, 257, 300])
@pytest.mark.parametrize("highest", [0, 0xFFFFFF00, 0xFFFFFFFF], ids=["plain", "perhaps refused", "refused"])
def test_an_order_is_the_swaps_of_its_words_one_by_one(
    monkeypatch: pytest.MonkeyPatch, count: int, highest: int
) -> None:
    words = [random.Random(f"{count} {place}").randrange(1 << 32) for place in range(count + 8)]
    if highest:
        words[count // 2 : count // 2 + 3] = [highest] * 3
    drawn = b"".join(word.to_bytes(4, "big") for word in words)
    monkeypatch.setattr(
        Seeded, "_next", lambda self, label: type("Stream", (), {"digest": lambda _, size: drawn[:size]})()
    )
    expected, left = list(range(count)), iter(words)
    for place in range(count - 1, 0, -1):
        even = (1 << 32) - (1 << 32) % (place + 1)
        other = next(word for word in left if word < even) % (place + 1)
        expected[place], expected[other] = expected[other], expected[place]
    assert Seeded(b"").order("x", range(count)) == expected


@pytest.mark.parametrize(
    "chance",
    [Seeded(b"s"), Scripted({"first": [2, 0]}, LABELS, b"s"), Extreme(), Extreme(most=True)],
    ids=["seeded", "scripted", "least", "most"],
)
def test_a_copy_draws_the_same_and_does_not_disturb(chance: Any) -> None:
    chance.pick("first", range(3))
    one, two = chance.copy(), chance.copy()
    draws = [[c.pick("first", range(3)), c.order("deck", "abc"), c.roll("rolls", [6])] for c in (one, two, chance)]
    assert draws[0] == draws[1] == draws[2]


def test_scripted_outcomes_come_first_then_seeded_ones_in_their_own_place() -> None:
    seeded, scripted = Seeded(b"s"), Scripted({"first": [2]}, LABELS, b"s")
    natural = [seeded.pick("first", range(1000)) for _ in range(3)]
    assert [scripted.pick("first", range(1000)) for _ in range(3)] == [2, *natural[1:]]


def test_the_rest_of_a_scripted_order_follows_in_seeded_order() -> None:
    natural = Seeded(b"s").order("deck", "abcdef")
    scripted = Scripted({"deck": ["f", "a"]}, LABELS, b"s").order("deck", "abcdef")
    assert scripted == ["f", "a", *(card for card in natural if card not in "fa")]


def test_orders_are_scripted_one_list_per_shuffle() -> None:
    chance = Scripted({"reshuffle": [["c"], ["b", "a"]]}, LABELS)
    assert chance.order("reshuffle", "abc")[0] == "c"
    assert chance.order("reshuffle", "abc")[:2] == ["b", "a"]


@pytest.mark.parametrize(
    ("script", "draw"),
    [
        ({"first": [5]}, lambda c: c.pick("first", range(3))),
        ({"first": ["x"]}, lambda c: c.pick("first", range(3))),
        ({"deck": ["z"]}, lambda c: c.order("deck", "abc")),
        ({"deck": ["a", "a"]}, lambda c: c.order("deck", "abc")),
        ({"reshuffle": ["a"]}, lambda c: c.order("reshuffle", "abc")),
        ({"rolls": ["1 2"]}, lambda c: c.roll("rolls", [6])),
        ({"rolls": ["6"]}, lambda c: c.roll("rolls", [6])),
        ({"rolls": [7]}, lambda c: c.roll("rolls", [6])),
    ],
)
def test_an_outcome_that_cannot_be_is_impossible(script: dict[str, list[Any]], draw: Any) -> None:
    with pytest.raises(Impossible, match=next(iter(script))):
        draw(Scripted(script, LABELS))


def test_only_labels_that_must_be_spent_are_told_as_left_over() -> None:
    chance = Scripted({"first": [1, 2], "deck": ["a"]}, LABELS)
    chance.pick("first", range(3))
    assert chance.unspent() == {"first": [2]}
    chance.pick("first", range(3))
    assert chance.unspent() == {}


def test_an_unknown_label_cannot_be_scripted() -> None:
    with pytest.raises(KeyError):
        Scripted({"dice": [1]}, LABELS)


def test_the_extremes() -> None:
    least, most = Extreme(), Extreme(most=True)
    assert (least.pick("x", "abc"), most.pick("x", "abc")) == ("a", "c")
    assert (least.order("x", "abc"), most.order("x", "abc")) == (["a", "b", "c"], ["c", "b", "a"])
    assert (least.roll("x", [6, 3]), most.roll("x", [6, 3])) == ((0, 0), (5, 2))
