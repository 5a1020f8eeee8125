"""The moves of Flip 7 and their notation: `hit`, `stay`, `target SEAT`.

Inside, a move is a small number: the seat that is named as a target, or one of two below zero.
"""

from __future__ import annotations

import re
from functools import lru_cache

from referee.rules.game import Legal, Unreadable

Move = int

STAY: Move = -2
HIT: Move = -1

MOST_PLAYERS = 36

NOTHING: Legal[Move] = Legal(())
HIT_OR_STAY: Legal[Move] = Legal((HIT, STAY))
ONLY_HIT: Legal[Move] = Legal((HIT,))


def parse(text: str) -> Move:
    """The move this text means; spaces more than needed do not matter."""
    move = _CANONICAL.get(text)
    if move is None:
        spaced = " ".join(text.split())
        move = _CANONICAL.get(spaced)
        if move is None:
            if not _TARGET.fullmatch(spaced):
                raise Unreadable(
                    f"cannot read {_shortened(text)}: a move is 'hit', 'stay' or 'target SEAT' ('target 0')"
                )
            move = int(spaced.removeprefix("target "))
    return move


def format_move(move: Move) -> str:
    """The one way a move is printed."""
    return _TEXTS.get(move) or _write(move)


@lru_cache(maxsize=4096)
def targets(eligible: int) -> Legal[Move]:
    """The targets among a set of seats (bit n: seat n), ascending."""
    return Legal(tuple(seats_of(eligible)))


def seats_of(mask: int) -> list[int]:
    """The seats in a set of seats (bit n: seat n), ascending."""
    return [seat for seat in range(mask.bit_length()) if mask >> seat & 1]


def _write(move: Move) -> str:
    return "hit" if move == HIT else "stay" if move == STAY else f"target {move}"


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


_TEXTS = {move: _write(move) for move in range(STAY, MOST_PLAYERS)}
_CANONICAL = {text: move for move, text in _TEXTS.items()}
# A seat that nobody can have is readable (and then refused by name); a number without end is not.
_TARGET = re.compile(r"target (0|[1-9][0-9]{0,8})", re.ASCII)
