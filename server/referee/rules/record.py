"""The record of a match (replay file): what was played, written so that a replay gives the same bytes.

A record is one JSON object on one line: game, version, players, options, seed (hex), moves, result. Each entry of
`moves` is one decision in the notation of scenario files: `0: hit`, or for a sealed decision `0: go | 1: stop`.
Replaying is a fold of `play` over the moves.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from referee.rules.game import Game, Result, Seat, State, Unreadable
from referee.rules.spelling import brief

LONGEST_SEAT = 4
"""Digits in the number of a seat."""
SHORT = 200
"""Characters of a decision that is remembered once it was read: the same few come again and again."""
MOST_KNOWN = 10_000
"""Decisions that are remembered; a stranger's records may hold any number of different ones."""


NO_RECORD = "this is not a match record: "
"""How a sentence about something begins that was never a record."""


class ReplayError(ValueError):
    """A record that is not a match of this game: says at which decision and why."""


def read_object(data: bytes) -> dict[str, Any]:
    """The JSON object that these bytes are; ReplayError if they are none, RecursionError if it is too deep."""
    try:
        value = json.loads(data)
    except json.JSONDecodeError as error:
        raise ReplayError(f"{NO_RECORD}it is not JSON (line {error.lineno}, column {error.colno})") from None
    except ValueError:
        raise ReplayError(f"{NO_RECORD}it is not text") from None
    if type(value) is not dict:
        raise ReplayError(f"{NO_RECORD}it is not a JSON object")
    return value


@dataclass(frozen=True, slots=True)
class Record:
    """Everything needed to play a match again, and how it ended."""

    game: str
    version: int
    players: int
    options: Mapping[str, Any]
    seed: str
    moves: tuple[str, ...]
    result: Result | None

    def to_value(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        value = {name: getattr(self, name) for name in ("game", "version", "players", "seed", "options", "moves")}
        end = self.result
        value["result"] = {"ranks": end.ranks, "scores": end.scores, "reason": end.reason} if end else None
        return value

    def to_bytes(self) -> bytes:
        """The canonical form: equal records have equal bytes."""
        value = self.to_value()
        return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode() + b"\n"

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """Read back what `to_bytes` wrote; `ReplayError` if it is something else."""
        try:
            return cls.from_value(read_object(data))
        except RecursionError:
            raise ReplayError(f"{NO_RECORD}it is nested too deeply") from None

    @classmethod
    def from_value(cls, value: Any) -> Record:
        """Read back what `to_value` wrote; `ReplayError` if it is something else."""
        try:
            if not isinstance(value, Mapping):
                raise TypeError("it is not a JSON object")
            fields = dict(value)
            if odd := fields.keys() ^ _KEYS:
                key = min(odd, key=str)
                raise TypeError(f"{key!r} does not belong into it" if key in fields else f"it has no {key!r}")
            result = fields.pop("result")
            fields["moves"] = tuple(fields["moves"])
            if result is not None:
                result = Result(tuple(result["ranks"]), tuple(result["scores"]), result["reason"])
            record = cls(**fields, result=result)
            record.check_types()
            return record
        except KeyError as error:
            raise ReplayError(f"{NO_RECORD}it has no {error}") from None
        except (ValueError, TypeError, AttributeError) as error:
            raise ReplayError(f"{NO_RECORD}{error}") from None

    def check_types(self) -> None:
        """TypeError if something is not of its kind: a record may come from anywhere."""
        fields = (self.game, self.version, self.players, self.options, self.seed)
        for (name, kind), value in zip(_KINDS, fields, strict=True):
            if type(value) is not kind:
                raise TypeError(f"{name!r} is not of its kind")
        if not _TEXTS.issuperset(map(type, self.moves)):
            raise TypeError("'moves' are not texts")
        if (end := self.result) is not None and not (
            _NUMBERS.issuperset(map(type, end.ranks + end.scores)) and type(end.reason) is str
        ):
            raise TypeError("'result' is none")


_KINDS = (("game", str), ("version", int), ("players", int), ("options", dict), ("seed", str))
_KEYS = frozenset({*(name for name, _ in _KINDS), "moves", "result"})
_TEXTS, _NUMBERS = frozenset({str}), frozenset({int})


def write_moves(state: State[Any], moves: Mapping[Seat, Any]) -> str:
    """One decision in record notation."""
    if len(moves) == 1:
        [(seat, move)] = moves.items()
        return _written(seat, state.format(move))
    return " | ".join([_written(seat, state.format(moves[seat])) for seat in sorted(moves)])


@lru_cache(1024)
def _written(seat: Seat, move: str) -> str:
    """One move; the same text for the same move, as a long match holds few of them many times."""
    return f"{seat}: {move}"


KnownMoves = dict[str, tuple[tuple[Seat, ...], Mapping[Seat, Any]]]
"""Decisions that were read before, by their text, with their seats ascending: what a move means depends on the game and
its options alone."""


def read_moves(state: State[Any], text: str, known: KnownMoves | None = None) -> Mapping[Seat, Any]:
    """The moves of one decision, checked against the seats that are asked and against the rules.

    `known` spares reading the same few texts again and again; it must be of the same game and options.
    """
    seats, moves = (known and known.get(text)) or _read(state, text, known)
    if seats != (asked := state.pending()):
        raise ReplayError(f"{text!r} has moves of seats {list(seats)}, asked are {list(asked)}")
    for seat, move in moves.items():
        if rejection := state.check(seat, move):
            raise ReplayError(f"{text!r}: {rejection.message}")
    return moves


def _read(state: State[Any], text: str, known: KnownMoves | None) -> tuple[tuple[Seat, ...], Mapping[Seat, Any]]:
    moves = _parsed(state, text)
    read = tuple(sorted(moves)), moves
    if known is not None and len(text) <= SHORT and len(known) < MOST_KNOWN:
        known[text] = read
    return read


def _parsed(state: State[Any], text: str) -> dict[Seat, Any]:
    moves: dict[Seat, Any] = {}
    parse = state.parse
    for seat, move in split_moves(text):
        try:
            moves[seat] = parse(move)
        except Unreadable as error:
            raise ReplayError(f"{f'{seat}: {move}'!r}: {error}") from None
    return moves


def split_moves(text: str) -> tuple[tuple[Seat, str], ...]:
    """The moves of one decision as seats and texts, not yet read by the game."""
    return _split_short(text) if len(text) <= SHORT else _split(text)


def _split(text: str) -> tuple[tuple[Seat, str], ...]:
    parts = []
    for part in text.split(" | "):
        seat, colon, move = part.partition(": ")
        if not colon or not seat.isdecimal() or len(seat) > LONGEST_SEAT:
            raise ReplayError(f"cannot read {brief(part)}: a move is written SEAT: MOVE")
        parts.append((int(seat), move))
    return tuple(parts)


_split_short = lru_cache(4096)(_split)


def replay(game: Game[Any], record: Record) -> State[Any]:
    """The state after all moves of a record."""
    if record.game != game.name or record.version != game.version:
        raise ReplayError(
            f"the record is of {record.game} version {record.version}, this is {game.name} version {game.version}"
        )
    state = game.start(record.players, record.options, bytes.fromhex(record.seed))
    for number, text in enumerate(record.moves):
        try:
            state.play(read_moves(state, text))
        except ReplayError as error:
            raise ReplayError(f"decision {number}: {error}") from None
    return state


def replayed(game: Game[Any], record: Record) -> Record:
    """The record that playing these moves gives now: the same bytes, if rules and record agree."""
    return replace(record, result=replay(game, record).result())
