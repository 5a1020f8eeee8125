"""Everything that can go wrong between a bot and a server, each with the sentence its author needs."""

from __future__ import annotations


class ArenaError(Exception):
    """A sentence for the author, and the exit code of the program: 2 wrong use, 3 the world failed."""

    code = 3


class Refused(ArenaError):
    """The server will not have this bot as it is: trying again would not help."""

    code = 2


class Gone(ArenaError):
    """The server cannot be reached, or went away."""


class BotFailed(ArenaError):
    """The author's own code raised, and `--strict` was asked for."""

    code = 1


class GivesUp(Exception):
    """Raised by a bot that resigns the match on purpose: the referee is told the text, and no trace is shown."""
