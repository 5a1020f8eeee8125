"""The dice of Encore et Encore!: their faces, all rolls there can be, and how a scenario writes one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, overload

from referee.games.encore.moves import ACTION_WORDS, JOKER_WORD, NUMBER_WORDS

SPECIAL_FACES = ("heart", "heart", "bomb", "stars", "line", "block")

Roll = tuple[str, ...]
"""One roll in words: the colour dice, as many number dice, the special die."""


class Rolls(Sequence[Roll]):
    """All equally likely rolls of so many colour and number dice and the special die, without writing them out."""

    def __init__(self, colours: Sequence[str], pairs: int) -> None:
        colour_faces = (*colours, JOKER_WORD)
        self._dice = (*[colour_faces] * pairs, *[NUMBER_WORDS] * pairs, SPECIAL_FACES)
        self._count = range(6 ** len(self._dice))
        self._colours = _throws(colour_faces, pairs)
        self._others = _numbers_and_special(pairs)

    def __len__(self) -> int:
        return len(self._count)

    @overload
    def __getitem__(self, index: int) -> Roll: ...
    @overload
    def __getitem__(self, index: slice) -> list[Roll]: ...
    def __getitem__(self, index: int | slice) -> Roll | list[Roll]:
        if isinstance(index, slice):
            return [self[number] for number in self._count[index]]
        # The first die is the lowest digit of the number to base 6.
        others, colours = divmod(self._count[index], len(self._colours))
        return self._colours[colours] + self._others[others]

    def __contains__(self, roll: object) -> bool:
        return (
            isinstance(roll, tuple)
            and len(roll) == len(self._dice)
            and all(word in faces for word, faces in zip(roll, self._dice, strict=True))
        )


@lru_cache(maxsize=64)
def _throws(faces: tuple[str, ...], dice: int) -> tuple[tuple[str, ...], ...]:
    """All throws of equal dice, the first die changing fastest."""
    return tuple([throw[::-1] for throw in product(faces, repeat=dice)])


@lru_cache(maxsize=2)
def _numbers_and_special(pairs: int) -> tuple[Roll, ...]:
    return tuple([(*numbers, special) for special in SPECIAL_FACES for numbers in _throws(NUMBER_WORDS, pairs)])


def read_roll(written: Any) -> Roll:
    """The roll a scenario writes as `orange yellow joker 5 2 ? bomb` (solo: `green pink 1 2 heart`)."""
    words = tuple(written.split()) if isinstance(written, str) else ()
    pairs = len(words) // 2
    if (
        len(words) not in (5, 7)
        or not all(word in NUMBER_WORDS for word in words[pairs : 2 * pairs])
        or words[-1] not in ACTION_WORDS
    ):
        raise ValueError("a roll is written as colours, numbers, special die: 'orange yellow joker 5 2 ? bomb'")
    return words
