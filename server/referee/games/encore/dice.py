"""The dice of Encore et Encore!: their faces, all rolls there can be, and how a scenario writes one."""

from __future__ import annotations

from collections.abc import Sequence
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

    def __len__(self) -> int:
        return len(self._count)

    @overload
    def __getitem__(self, index: int) -> Roll: ...
    @overload
    def __getitem__(self, index: slice) -> list[Roll]: ...
    def __getitem__(self, index: int | slice) -> Roll | list[Roll]:
        if isinstance(index, slice):
            return [self[number] for number in self._count[index]]
        rest = self._count[index]
        words = []
        for faces in self._dice:
            rest, face = divmod(rest, 6)
            words.append(faces[face])
        return tuple(words)

    def __contains__(self, roll: object) -> bool:
        return (
            isinstance(roll, tuple)
            and len(roll) == len(self._dice)
            and all(word in faces for word, faces in zip(roll, self._dice, strict=True))
        )


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
