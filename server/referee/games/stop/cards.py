"""The cards of STOP!: a heap of cards is one int, a packed count of each kind.

Any heap of cards (a hand, a pile, all that a player owns) is one int with eight bits per kind: 2s lowest, then 3s, 4s,
+1s. Heaps are added and taken away with `+` and `-`; there are at most 126 cards in a match, so no count spills over.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

TWO, THREE, FOUR, PLUS = 1, 1 << 8, 1 << 16, 1 << 24
KINDS = (TWO, THREE, FOUR, PLUS)
VALUES = {2: TWO, 3: THREE, 4: FOUR}
NUMBERS = 0xFFFFFF
"""Masks everything but the +1s: a heap with none of these bits can make no bid."""

DECK = 9 * TWO + 6 * THREE + 3 * FOUR + 3 * PLUS
HAND = 6
"""A hand never holds more cards than this."""

BY_NAME = {"2": TWO, "3": THREE, "4": FOUR, "+1": PLUS}

_HIGH = 0x80808080  # the top bit of every count: never set in a heap


def counts(heap: int) -> tuple[int, int, int, int]:
    """How many 2s, 3s, 4s and +1s."""
    return heap & 255, heap >> 8 & 255, heap >> 16 & 255, heap >> 24


def size(heap: int) -> int:
    """How many cards."""
    return sum(counts(heap))


@lru_cache(maxsize=4096)
def worth(heap: int) -> int:
    """What the cards add to a bid."""
    twos, threes, fours, plus = counts(heap)
    return 2 * twos + 3 * threes + 4 * fours + plus


@lru_cache(maxsize=4096)
def spread(heap: int) -> tuple[int, ...]:
    """The cards one by one, as heaps of one, in the order 2, 3, 4, +1."""
    twos, threes, fours, plus = counts(heap)
    return (TWO,) * twos + (THREE,) * threes + (FOUR,) * fours + (PLUS,) * plus


@lru_cache(maxsize=4096)
def faces(heap: int) -> tuple[int, ...]:
    """The cards one by one as a view shows them: 2, 3, 4, and 1 for a +1."""
    twos, threes, fours, plus = counts(heap)
    return (2,) * twos + (3,) * threes + (4,) * fours + (1,) * plus


@lru_cache(maxsize=4096)
def names(heap: int) -> tuple[str, ...]:
    """The cards one by one as moves write them."""
    return tuple("+1" if face == 1 else str(face) for face in faces(heap))


def covers(held: int, wanted: int) -> bool:
    """Whether all the wanted cards are among those held."""
    # Lending every count its top bit, a subtraction keeps that bit exactly where there was enough.
    return ((held | _HIGH) - wanted) & _HIGH == _HIGH


@lru_cache(maxsize=4096)
def value_of(heap: int) -> int:
    """The one value of the number cards in a heap: 2, 3 or 4; 0 without number cards; -1 for several values."""
    present = [value for value, card in VALUES.items() if heap & (255 * card)]
    if len(present) > 1:
        return -1
    return present[0] if present else 0


def read_card(item: Any) -> int:
    """A card as a scenario writes it: "2", "3", "4", "+1" or the same as bare numbers (where +1 reads as 1)."""
    if isinstance(item, int) and not isinstance(item, bool):
        item = "+1" if item == 1 else str(item)
    if not isinstance(item, str) or item not in BY_NAME:
        raise ValueError("a card is one of 2, 3, 4, +1")
    return BY_NAME[item]


def hands() -> list[int]:
    """Every hand there can be: up to six cards of four kinds."""
    return [
        twos * TWO + threes * THREE + fours * FOUR + plus * PLUS
        for twos, threes, fours, plus in product(range(HAND + 1), repeat=4)
        if twos + threes + fours + plus <= HAND
    ]


SIZES = {hand: size(hand) for hand in hands()}
"""How many cards are in each of them."""
