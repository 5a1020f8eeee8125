"""A memory of answers (cache): asked again, an answer costs one look into a dict and no call of a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """What a function answers, by what it is asked: `remembered[question]`; the first so many answers are kept."""

    __slots__ = ("_answer", "_most")

    def __init__(self, answer: Callable[[K], V], most: int) -> None:
        self._answer = answer
        self._most = most

    def __missing__(self, question: K) -> V:
        answer = self._answer(question)
        if len(self) < self._most:
            self[question] = answer
        return answer
