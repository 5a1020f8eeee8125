"""Chance: the random generator of a match, one independent stream per label, all from the match seed.

Outcomes are drawn by label (`deck`, `rolls`, …). The k-th outcome of a label depends only on the match seed, the
label, k and what is drawn from: it is computed from SHAKE-256 over the three, so the labels are independent
streams, and the same seed gives the same first deck and the same dice for all moves of the bots. Draws are unbiased (by
rejection).

- `Seeded` is the real thing.
- `Scripted` takes outcomes from a scenario's script and, where the script is silent, from a seed.
- `Extreme` always gives the least or the most: the double that finds edges.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import shake_256
from struct import Struct, unpack
from typing import Any, Literal, Self, TypeVar

T = TypeVar("T")
_HIGH = b"\xff\xff\xff"
"""A 32-bit word that does not begin so is never refused when one of at most 256 items is drawn."""
_WORD = Struct(">Q")
_NEVER_REFUSED = 0xFF << 56
"""Nor is a 64-bit word below this, whatever is drawn from."""


class Impossible(ValueError):
    """A scripted outcome that cannot be: not among what is drawn from."""


@dataclass(frozen=True, slots=True)
class Label:
    """How a scenario writes the outcomes of one label.

    `kind`: `pick` (a list of single outcomes), `orders` (a list of lists, one per shuffle), `order` (one flat list:
    the first shuffle) or `roll` (a list of texts, one per roll). `read` turns one written item into what the game
    draws, or raises ValueError. `spent`: every scripted outcome must have been used by the end of the script.
    """

    kind: Literal["pick", "orders", "order", "roll"]
    about: str
    read: Callable[[Any], Any]
    spent: bool = False


class Chance(ABC):
    """Draws by label."""

    @abstractmethod
    def pick(self, label: str, items: Sequence[T]) -> T:
        """One of the items, each equally likely."""

    @abstractmethod
    def order(self, label: str, items: Sequence[T]) -> list[T]:
        """The items in an order, each order equally likely."""

    @abstractmethod
    def roll(self, label: str, sides: Sequence[int]) -> tuple[int, ...]:
        """One throw of several dice: for each, a face from 0 to its sides − 1."""

    @abstractmethod
    def copy(self) -> Self:
        """Draws the same outcomes from here on, independently."""


class Seeded(Chance):
    """Outcomes from a seed."""

    __slots__ = ("_drawn", "_seed")

    def __init__(self, seed: bytes) -> None:
        self._seed = _framed(seed)
        self._drawn: dict[str, int] = {}

    def skip(self, label: str) -> None:
        """Count an outcome of this label that was taken from elsewhere."""
        self._drawn[label] = self._drawn.get(label, 0) + 1

    def draws(self) -> int:
        """How many outcomes have come from it so far, of all labels together."""
        return sum(self._drawn.values())

    def pick(self, label: str, items: Sequence[T]) -> T:
        count = len(items)
        stream = self._next(label)
        size = 8
        while True:
            word: int = _WORD.unpack_from(stream.digest(size), size - 8)[0]
            if word < _NEVER_REFUSED or word < (1 << 64) - (1 << 64) % count:
                return items[word % count]
            size += 8

    def order(self, label: str, items: Sequence[T]) -> list[T]:
        # Fisher–Yates from the back with 32-bit words; a word that would favour low places is refused and the next
        # one taken.
        count = len(items)
        stream = self._next(label)
        drawn = stream.digest(4 * count)
        if count <= 256 and _HIGH not in drawn:  # almost always: the plain swaps, without looking at each word
            result = list(items)
            place = count
            for word in _swaps(count).unpack_from(drawn):
                other = word % place
                place -= 1
                result[place], result[other] = result[other], result[place]
            return result
        spare = 8
        while True:
            words = unpack(f">{count + spare}I", stream.digest(4 * (count + spare)))
            result = list(items)
            at = 0
            try:
                for place in range(count - 1, 0, -1):
                    word = words[at]
                    at += 1
                    while word >= 0x100000000 - 0x100000000 % (place + 1):
                        word = words[at]
                        at += 1
                    other = word % (place + 1)
                    result[place], result[other] = result[other], result[place]
                return result
            except IndexError:  # more refusals than spare words: the same stream, read further
                spare *= 2

    def roll(self, label: str, sides: Sequence[int]) -> tuple[int, ...]:
        stream = self._next(label)
        dice = len(sides)
        throws = 1
        while True:
            words = unpack(f">{dice * throws}Q", stream.digest(8 * dice * throws))[-dice:]
            if max(words, default=0) < _NEVER_REFUSED or all(
                word < (1 << 64) - (1 << 64) % side for word, side in zip(words, sides, strict=True)
            ):
                return tuple([word % side for word, side in zip(words, sides, strict=True)])
            throws += 1

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        twin._seed = self._seed
        twin._drawn = self._drawn.copy()
        return twin

    def _next(self, label: str) -> Any:
        number = self._drawn.get(label, 0)
        self._drawn[label] = number + 1
        return shake_256(b"%b%b%d" % (self._seed, _name(label), number))


def _framed(part: bytes) -> bytes:
    """Behind its length, so that no two draws share an input."""
    return b"%d:%b" % (len(part), part)


@lru_cache(256)
def _name(label: str) -> bytes:
    return _framed(label.encode())


@lru_cache(256)
def _swaps(count: int) -> Struct:
    """The 32-bit words that put so many items in order: one for each but the first."""
    return Struct(f">{max(count - 1, 0)}I")


class Scripted(Chance):
    """Outcomes from a script; where it is silent, from a seed."""

    def __init__(self, script: Mapping[str, Sequence[Any]], labels: Mapping[str, Label], seed: bytes = b"") -> None:
        """`script[label]` is the list of outcomes as the scenario file writes them."""
        self._labels = labels
        self._seeded = Seeded(seed)
        self._script: dict[str, list[Any]] = {}
        self._used: dict[str, int] = {}
        for label, outcomes in script.items():
            if label not in labels:
                raise KeyError(label)
            self._script[label] = [list(outcomes)] if labels[label].kind == "order" else list(outcomes)

    def unspent(self) -> dict[str, list[Any]]:
        """Scripted outcomes that should have been used and were not, by label."""
        return {
            label: outcomes[self._used.get(label, 0) :]
            for label, outcomes in self._script.items()
            if self._labels[label].spent and self._used.get(label, 0) < len(outcomes)
        }

    def pick(self, label: str, items: Sequence[T]) -> T:
        written = self._take(label)
        if written is None:
            return self._seeded.pick(label, items)
        item: T = self._read(label, written[0])
        if item not in items:
            raise Impossible(f"{label}: {written[0]!r} is not among what is drawn from")
        return item

    def order(self, label: str, items: Sequence[T]) -> list[T]:
        written = self._take(label, keep=True)
        rest = self._seeded.order(label, items)
        if written is None:
            return rest
        top: list[T] = []
        if not isinstance(written[0], list):
            raise Impossible(f"{label}: {written[0]!r} is not a list; one list per shuffle is wanted")
        for item in written[0]:
            wanted = self._read(label, item)
            if wanted not in rest:
                raise Impossible(f"{label}: {item!r} is not (or no longer) among what is shuffled")
            rest.remove(wanted)
            top.append(wanted)
        return top + rest

    def roll(self, label: str, sides: Sequence[int]) -> tuple[int, ...]:
        written = self._take(label)
        if written is None:
            return self._seeded.roll(label, sides)
        faces: tuple[int, ...] = tuple(self._read(label, written[0]))
        if len(faces) != len(sides) or any(not 0 <= face < side for face, side in zip(faces, sides, strict=True)):
            raise Impossible(f"{label}: {written[0]!r} is not a roll of these {len(sides)} dice")
        return faces

    def copy(self) -> Self:
        twin = type(self)({}, self._labels)
        twin._seeded = self._seeded.copy()
        twin._script = self._script
        twin._used = self._used.copy()
        return twin

    def _take(self, label: str, keep: bool = False) -> tuple[Any] | None:
        """The next scripted outcome of a label, in a tuple of one, or None when the script is silent."""
        number = self._used.get(label, 0)
        outcomes = self._script.get(label, ())
        if number >= len(outcomes):
            return None
        self._used[label] = number + 1
        if not keep:
            self._seeded.skip(label)
        return (outcomes[number],)

    def _read(self, label: str, item: Any) -> Any:
        try:
            return self._labels[label].read(item)
        except (ValueError, TypeError, AttributeError) as error:
            raise Impossible(f"{label}: {item!r}: {error}") from None


class Extreme(Chance):
    """Always the least (the first item, the order as given, face 0), or always the most."""

    def __init__(self, most: bool = False) -> None:
        self._most = most

    def pick(self, label: str, items: Sequence[T]) -> T:
        return items[-1 if self._most else 0]

    def order(self, label: str, items: Sequence[T]) -> list[T]:
        return list(reversed(items)) if self._most else list(items)

    def roll(self, label: str, sides: Sequence[int]) -> tuple[int, ...]:
        return tuple(side - 1 if self._most else 0 for side in sides)

    def copy(self) -> Self:
        return type(self)(self._most)
