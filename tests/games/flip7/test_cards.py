"""The deck and what hands are worth."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.flip7.cards import CODES, DECK, NAMES, decks, is_flip_7, points, read_card


def hand(text: str) -> list[int]:
    return [CODES[name] for name in text.split()]


def test_the_deck_has_94_cards_as_many_of_each_number_as_it_says_and_one_zero() -> None:
    copies = Counter(NAMES[card] for card in DECK)
    assert len(DECK) == 94
    assert [copies[str(number)] for number in range(13)] == [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    assert [copies[bonus] for bonus in ("+2", "+4", "+6", "+8", "+10", "x2")] == [1] * 6
    assert [copies[special] for special in ("S", "T", "SC")] == [3] * 3


def test_a_second_deck_joins_from_19_players_on() -> None:
    assert [decks(players) for players in (3, 18, 19, 36)] == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("", 0),
        ("3 11 5 7 10", 36),
        ("3 11 5 7 10 x2", 72),
        ("3 11 5 7 10 +10", 46),
        ("3 x2 11 5 +10 7 10", 82),
        ("3 11 5 7 10 4 9", 64),
        ("3 11 5 7 10 4 9 x2", 113),
        ("x2 +6 S", 6),
        ("x2 5 x2 +2", 22),
        ("0 SC", 0),
    ],
)
def test_a_hand_is_worth_its_doubled_numbers_its_bonuses_and_fifteen_for_a_flip_7(cards: str, worth: int) -> None:
    assert points(hand(cards)) == worth


@given(st.permutations(hand("12 0 7 x2 +8 SC S 3")))
def test_the_order_of_a_hand_does_not_matter(cards: list[int]) -> None:
    assert points(cards) == (12 + 7 + 3) * 2 + 8


def test_bonuses_and_specials_make_no_flip_7() -> None:
    assert not is_flip_7(hand("1 2 3 4 5 6 x2 +2 SC"))
    assert is_flip_7(hand("1 2 3 4 5 6 0"))


@pytest.mark.parametrize("written", [5, "05", "13", "+3", "X2", "s", "", None, True, ["5"]])
def test_a_scenario_writes_cards_as_known_strings(written: object) -> None:
    with pytest.raises(ValueError, match=r"a card is one of 0, 1, .*, SC"):
        read_card(written)
