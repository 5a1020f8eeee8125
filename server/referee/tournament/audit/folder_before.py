"""Folders that were exported before there was a journal: read as they are, checked as far as they go.

`tournament.json`, `matches.jsonl` (schedule and results, seats as the entrants' numbers) and `records/`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from referee.rules.files import open_regular, read_bounded
from referee.rules.game import WrongUse
from referee.tournament.audit.audited import LARGEST_RECORD, OPEN, AuditedTournament, Damaged, MatchLine

TOURNAMENT, MATCHES, RECORDS = "tournament.json", "matches.jsonl", "records"
LONGEST_LINE = 1 << 20
_KEYS = {
    **{"ordinal": int, "round": int, "table": int, "seats": list, "state": str, "attempt": int, "seed": str},
    **{"ranks": list, "scores": list, "faults": list, "reason": str},
}


def read(folder: Path) -> AuditedTournament:
    """The tournament of such a folder; WrongUse if it holds none."""
    try:
        value = json.loads(read_bounded(folder / TOURNAMENT, LARGEST_RECORD, regular=True))
        root, salt = value.pop("root"), value.pop("salt", "")
        joined = value.pop("joined_later")
        entrants = tuple(str(name) for name in value["entrants"])
        if type(joined) is not int or not 0 <= joined < len(entrants):
            raise ValueError("its figures do not fit")
        audited = AuditedTournament(
            **value
            | {
                "entrants": entrants,
                "root": bytes.fromhex(root) if root else None,
                "salt": bytes.fromhex(salt) if salt else None,
            },
            groups=(len(entrants) - joined, *[1] * joined),
            source=_FolderLines(folder, entrants),
        )
        kinds = (("name", str), ("game", str), ("game_version", str), ("state", str), ("commitment", str))
        for key, kind in (*kinds, ("settings", dict), ("digest", str)):
            if type(getattr(audited, key)) is not kind:
                raise TypeError(f"{key!r} is not of its kind")
        if not isinstance(audited.seed_text, str | None):
            raise TypeError("the text of the seed is none")
        if audited.plan.players != audited.players:
            raise ValueError("its figures do not fit")
    except OSError as error:
        raise WrongUse(f"{folder} holds no exported tournament: {error.filename}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise WrongUse(f"{folder / TOURNAMENT} is not what 'referee tournament export' writes: {error}") from None
    return audited


class _FolderLines:
    """The matches of an exported tournament."""

    def __init__(self, folder: Path, entrants: tuple[str, ...]) -> None:
        self._folder = folder
        self._entrants = entrants

    def count(self) -> int:
        # A line has never less than so many bytes.
        return (self._folder / MATCHES).stat().st_size // 100

    def read(self) -> Iterator[tuple[MatchLine, bytes | None]]:
        try:
            with open_regular(self._folder / MATCHES) as schedule:
                for number, text in enumerate(iter(lambda: schedule.readline(LONGEST_LINE), b"")):
                    line = self._line(number, text)
                    yield line, self._record(line)
        except OSError as error:
            raise WrongUse(f"{error.filename}: {error.strerror}") from None

    def _line(self, number: int, text: bytes) -> MatchLine:
        try:
            value: dict[str, Any] = json.loads(text)
            if {key: type(it) for key, it in value.items()} != _KEYS:
                raise TypeError
            seats = tuple(self._entrants[position] for position in value.pop("seats") if position >= 0)
            # Folders of before spell it in capitals.
            faults = tuple(word.lower() for word in value.pop("faults"))
            ranks, scores = tuple(value.pop("ranks")), tuple(value.pop("scores"))
            return MatchLine(**value, seats=seats, ranks=ranks, scores=scores, faults=faults)
        except (ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError):
            raise Damaged(number, f"line {number + 1} of {MATCHES} cannot be read") from None

    def _record(self, line: MatchLine) -> bytes | None:
        if line.state in OPEN:
            return None
        try:
            return read_bounded(self._folder / RECORDS / f"{line.ordinal}.json", LARGEST_RECORD, regular=True)
        except FileNotFoundError:
            return None
