"""The moves of STOP me GO and their notation: `go`, `stop`."""

from __future__ import annotations

from typing import Literal

from referee.rules.game import Legal, Unreadable

Move = Literal["go", "stop"]

GO: Move = "go"
STOP: Move = "stop"

NOTHING: Legal[Move] = Legal(())
GO_OR_STOP: Legal[Move] = Legal((GO, STOP))
ONLY_GO: Legal[Move] = Legal((GO,))


def parse(text: str) -> Move:
    """The move this text means, or `Unreadable`."""
    word = text.strip()
    if word == GO:
        return GO
    if word == STOP:
        return STOP
    raise Unreadable(f"{text!r} is no card: a move is one word, go or stop, in small letters")


def format_move(move: Move) -> str:
    """The one way a move is printed."""
    return move
