"""Playouts: whole matches in one call, without clock or network, for simulations, laws, goldens and benchmarks.

A chooser answers for a seat: `chooser(state, seat) -> move`, called only when the seat is asked. Its answer is trusted
to be legal; a chooser that asks a bot checks the answer itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count
from struct import unpack
from typing import Any, NamedTuple

from referee.rules.chance import Chance, Seeded
from referee.rules.game import Game, Seat, State
from referee.rules.record import Record, write_moves

Chooser = Callable[[State[Any], Seat], Any]


class Playout(NamedTuple):
    """A finished match: its record and how many answers the seats gave."""

    record: Record
    decisions: int


def playout(
    game: Game[Any],
    players: int,
    options: Mapping[str, Any],
    seed: bytes,
    choosers: Sequence[Chooser],
    chance: Chance | None = None,
) -> Playout:
    """Play a match to its end; `players` and `options` are checked already, `choosers` has one entry per seat."""
    state = game.begin(players, options, chance or Seeded(seed))
    lines: list[str] = []
    decisions = 0
    while asked := state.pending():
        if len(asked) == 1:  # the ordinary turn, without the detours of a sealed decision
            (seat,) = asked
            moves = {seat: choosers[seat](state, seat)}
        else:
            moves = {seat: choosers[seat](state, seat) for seat in asked}
        lines.append(write_moves(state, moves))
        decisions += len(asked)
        state.play(moves)
    record = Record(game.name, game.version, players, options, seed.hex(), tuple(lines), state.result())
    return Playout(record, decisions)


def random_chooser(seed: bytes, seat: Seat) -> Chooser:
    """Picks evenly from the legal list; the same seed and seat pick alike."""
    words = _words(seed, seat)

    def choose(state: State[Any], seat: Seat) -> Any:
        moves = state.legal(seat).moves
        choices = len(moves)
        if choices == 1:
            return moves[0]
        word = next(words)
        while word >= _NEVER_REFUSED and word >= _TOP - _TOP % choices:  # would favour the first moves
            word = next(words)
        return moves[word % choices]

    return choose


def first_chooser(state: State[Any], seat: Seat) -> Any:
    """Always the first move of the list."""
    return state.legal(seat).moves[0]


def last_chooser(state: State[Any], seat: Seat) -> Any:
    """Always the last move of the list."""
    return state.legal(seat).moves[-1]


def fallback_chooser(state: State[Any], seat: Seat) -> Any:
    """Never answers: the fallback is played."""
    return state.fallback(seat)


def match_seed(root: bytes, number: int) -> bytes:
    """The seed of one match of a series."""
    return hashlib.sha256(b"match %d of %b" % (number, root)).digest()


_TOP = 1 << 32
_NEVER_REFUSED = 0xFF << 24
"""A word below this favours no move: no list has 16 million."""


def _words(seed: bytes, seat: Seat) -> Iterator[int]:
    return chain.from_iterable(_blocks(seed, seat))


def _blocks(seed: bytes, seat: Seat) -> Iterator[tuple[int, ...]]:
    for block in count():
        stream = hashlib.shake_256(b"player %d %d %b" % (seat, block, seed))
        # SHAKE-256 works out 136 bytes at a time, and many seats need no more in a match.
        yield unpack(">34I", stream.digest(136))
        yield unpack(">94I", stream.digest(512)[136:])
