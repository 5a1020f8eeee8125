"""The statements of a scenario's script, and how a line of it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from referee.rules.scenario.file import ScenarioFile, ScenarioUnreadable


@dataclass(frozen=True, slots=True)
class Offer:
    """`0: hit`: a move that must be accepted; with `!` before it, one that must be refused (`! not_now 0: hit`: with
    this code)."""

    line: int
    seat: int
    text: str
    refused: bool
    code: str = ""


@dataclass(frozen=True, slots=True)
class ListIs:
    """`legal 0 = hit | stay`, or `has`, or `lacks`."""

    line: int
    seat: int
    how: str
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expect:
    """`pending`, `scores`, `over`, `ranks` or `reason` with the value it must have."""

    line: int
    what: str
    value: str


Statement = Offer | ListIs | Expect


def read_script(file: ScenarioFile, script: str, players: int) -> tuple[list[Statement], ScenarioUnreadable | None]:
    """The statements in order up to the first line that is none, and what is wrong with that line."""
    statements: list[Statement] = []
    for line, raw in zip(file.script_lines, script.split("\n"), strict=True):
        text = raw.partition("#")[0].strip()
        if text:
            try:
                statements.append(_read(line, text, players))
            except ValueError as error:
                return statements, ScenarioUnreadable(file.path, line, f"cannot read '{text}': {error}")
    return statements, None


_NUMBER = r"(?:0|[1-9][0-9]*)"
_OFFER = re.compile(rf"({_NUMBER})\s*:\s*(.*)")
_REFUSED = re.compile(rf"!\s*(?:([a-z][a-z0-9_]*)\s+)?({_NUMBER})\s*:\s*(.*)")
_LEGAL = re.compile(rf"legal\s+({_NUMBER})\s*(=|\bhas\b|\blacks\b)\s*(.*)")
_EXPECT = re.compile(r"([a-z]+)\s*=\s*(.*)")
_HOW = (
    "a line is 'SEAT: MOVE', '! SEAT: MOVE', '! CODE SEAT: MOVE', 'legal SEAT = MOVES' (or 'has', 'lacks'), "
    "or one of 'pending', 'scores', 'over', 'ranks', 'reason' with '=' and a value"
)


def _read(line: int, text: str, players: int) -> Statement:
    if found := _OFFER.fullmatch(text):
        return Offer(line, int(found[1]), found[2], refused=False)
    if found := _REFUSED.fullmatch(text):
        return Offer(line, int(found[2]), found[3], refused=True, code=found[1] or "")
    if found := _LEGAL.fullmatch(text):
        moves = tuple(" ".join(move.split()) for move in found[3].split("|")) if found[3] else ()
        if not all(moves) or (not moves and found[2] != "="):
            raise ValueError("a move is missing: moves are written 'A | B'")
        return ListIs(line, _seat(found[1], players), found[2], moves)
    if found := _EXPECT.fullmatch(text):
        return Expect(line, found[1], _value(found[1], found[2].split(), players))
    raise ValueError(_HOW)


def _value(what: str, words: list[str], players: int) -> str:
    """The value in the one form it is compared in."""
    if what == "pending":
        return " ".join(map(str, sorted({_seat(word, players) for word in words})))
    if what in ("scores", "ranks"):
        if not words or not all(re.fullmatch(rf"-?{_NUMBER}", word) for word in words):
            raise ValueError(f"'{what}' wants one whole number per seat")
        return " ".join(words)
    if what == "over":
        if words not in (["yes"], ["no"]):
            raise ValueError("'over' is yes or no")
        return words[0]
    if what == "reason":
        if len(words) != 1:
            raise ValueError("'reason' wants one word")
        return words[0]
    raise ValueError(_HOW)


def _seat(word: str, players: int) -> int:
    if not re.fullmatch(_NUMBER, word) or int(word) >= players:
        raise ValueError(f"'{word}' is no seat: seats are 0 to {players - 1}")
    return int(word)
