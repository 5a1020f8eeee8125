"""How a command fails: one line for the person, one exit code for the program that called it."""

from __future__ import annotations

from typing import NoReturn

DONE = 0
DID_NOT_HOLD = 1
"""A check or a verification did not hold."""
WRONG_USE = 2
"""Wrong use or bad input."""
ENVIRONMENT = 3
"""A file, a port, a server or the sandbox failed."""
INTERRUPTED = 130


class Failure(Exception):
    """Raised by a command to end with a message and an exit code."""

    def __init__(self, message: str, code: int = WRONG_USE) -> None:
        super().__init__(message)
        self.code = code


def wrong_use(message: str) -> NoReturn:
    """End with a message about what was asked."""
    raise Failure(message, WRONG_USE)
