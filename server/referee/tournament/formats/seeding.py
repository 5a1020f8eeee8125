"""Seeding: the order of entrants by what is known of them before, and how it is spread over tables or groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from referee.tournament.formats.format import Field

T = TypeVar("T")


def seed_order(field: Field, entrants: Iterable[int]) -> list[int]:
    """Entrants from the best seed to the last: by the strengths of the field, else in the order of entry."""
    if not field.seeding:
        return sorted(entrants)
    return sorted(entrants, key=lambda entrant: (-field.seeding[entrant], entrant))


def snake(ordered: Sequence[T], tables: int) -> list[list[T]]:
    """Deal an order out to so many tables, forwards and backwards in turn: 1 4 5 8 and 2 3 6 7."""
    dealt: list[list[T]] = [[] for _ in range(tables)]
    for at, item in enumerate(ordered):
        row, place = divmod(at, tables)
        dealt[tables - 1 - place if row % 2 else place].append(item)
    return dealt


def listed(words: Sequence[str]) -> str:
    """A list as a sentence has it: 3, 4 and 6."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
