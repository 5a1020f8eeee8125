"""The cards of Flip 7: their codes, their names, the deck, and what a hand of them is worth.

A card is a small number: 0 to 12 are the number cards themselves, the others follow in the order of `NAMES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Card = int

NAMES = (*map(str, range(13)), "+2", "+4", "+6", "+8", "+10", "x2", "S", "T", "SC")
CODES = {name: code for code, name in enumerate(NAMES)}
KINDS = len(NAMES)

HIGHEST_NUMBER = 12
X2, STOP, THREE, SECOND_CHANCE = (CODES[name] for name in ("x2", "S", "T", "SC"))
SPECIALS = (STOP, THREE, SECOND_CHANCE)

FLIP_7 = 7
FLIP_7_BONUS = 15

# As many of each number as it says, but one 0; one of each bonus; three of each special.
COPIES: tuple[int, ...] = (1, *range(1, 13), *[1] * 6, *[3] * len(SPECIALS))
DECK: tuple[Card, ...] = tuple(card for card, copies in enumerate(COPIES) for _ in range(copies))
ONE_DECK_PLAYERS = 18
MOST_RESHUFFLES = 10  # of one round
MOST_ROUNDS = 300


def decks(players: int) -> int:
    """How many decks are shuffled together for so many players."""
    return 1 if players <= ONE_DECK_PLAYERS else 2


def read_card(text: Any) -> Card:
    """The card a scenario writes, always as a string."""
    if not isinstance(text, str) or text not in CODES:
        raise ValueError(f'a card is one of {", ".join(NAMES)}, written as a string ("5")')
    return CODES[text]


def is_flip_7(hand: Iterable[Card]) -> bool:
    """Whether a hand (that has not busted, so without a number twice) holds seven numbers."""
    return len([card for card in hand if card <= HIGHEST_NUMBER]) >= FLIP_7


def points(hand: Sequence[Card]) -> int:
    """What a hand that has not busted scores: the numbers, doubled by each x2, then the bonuses and a Flip 7's 15."""
    numbers = bonuses = 0
    times = 1
    for card in hand:
        if card <= HIGHEST_NUMBER:
            numbers += card
        elif card < X2:
            bonuses += 2 * (card - HIGHEST_NUMBER)  # +2, +4, … +10 follow the numbers
        elif card == X2:
            times *= 2
    if len(hand) >= FLIP_7 and is_flip_7(hand):
        bonuses += FLIP_7_BONUS
    return numbers * times + bonuses
