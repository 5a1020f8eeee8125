"""A chance that checks labels: is every draw of the game made under a label that the game declares?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self, TypeVar

from referee.rules.chance import Chance, Label, Seeded

T = TypeVar("T")


class Watched(Chance):
    """Draws like `Seeded` and notes in `strange` every draw that does not fit the declared labels."""

    def __init__(self, labels: Mapping[str, Label], seed: bytes) -> None:
        self.strange: list[str] = []
        self._labels = labels
        self._seeded = Seeded(seed)

    def pick(self, label: str, items: Sequence[T]) -> T:
        self._note(label, "pick", "pick")
        return self._seeded.pick(label, items)

    def order(self, label: str, items: Sequence[T]) -> list[T]:
        self._note(label, "order", "order", "orders")
        return self._seeded.order(label, items)

    def roll(self, label: str, sides: Sequence[int]) -> tuple[int, ...]:
        self._note(label, "roll", "roll")
        return self._seeded.roll(label, sides)

    def copy(self) -> Self:
        twin = type(self)(self._labels, b"")
        twin.strange = self.strange
        twin._seeded = self._seeded.copy()
        return twin

    def _note(self, label: str, verb: str, *kinds: str) -> None:
        declared = self._labels.get(label)
        if declared is None:
            self.strange.append(f"chance is drawn under the label {label!r}, which is not declared")
        elif declared.kind not in kinds:
            self.strange.append(f"the label {label!r} is declared as {declared.kind!r} but drawn with {verb}()")
