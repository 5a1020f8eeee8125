"""Which flag was meant by a misspelt one: the only one that begins so, or the nearest by edit distance.

All SDKs measure alike: a letter changed, added, left out or swapped with the next one counts 1; at most two may be
wrong, and at most one in three of the letters typed.
"""

from __future__ import annotations

from collections.abc import Sequence


def meant(word: str, flags: Sequence[str]) -> str | None:
    """The flag that was probably meant, or None."""
    typed = word.lstrip("-").lower()
    begin = [flag for flag in flags if typed and flag[2:].startswith(typed)]
    if len(begin) == 1:
        return begin[0]
    distances = {flag: distance(typed, flag[2:]) for flag in flags}
    nearest = min(flags, key=distances.__getitem__)
    return nearest if distances[nearest] <= min(2, (len(typed) + 2) // 3) else None


def distance(one: str, other: str) -> int:
    """How many letters are changed, added, left out or swapped with the next one."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        before, above, row = row, before, [i]
        for j, wanted in enumerate(other, 1):
            least = min(before[j - 1] + (letter != wanted), before[j] + 1, row[j - 1] + 1)
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                least = min(least, above[j - 2] + 1)
            row.append(least)
    return row[-1]
