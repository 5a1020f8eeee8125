"""Spectators: a running match as the public may see it, as many decisions late as set.

What is shown is worked out from the decisions alone: a second position of the same match is played up to the decision
that may be shown, and of it nothing but the public's view leaves. So a delay needs no memory of earlier views.

The decision that ends a match is shown once its result is stored: a server that dies before that deals the match anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from referee.match.result import Ending
from referee.rules.game import Game, State
from referee.rules.record import read_moves

MOST_AT_ONCE = 64
"""Decisions that are followed before others have their turn in the loop."""


class WatchableMatch(Protocol):
    """A running match that can be followed: one of this process (`match.Match`), or one that a worker tells of."""

    @property
    def id(self) -> str: ...
    @property
    def game(self) -> Game[Any]: ...
    @property
    def names(self) -> Sequence[str]: ...
    @property
    def options(self) -> Mapping[str, Any]: ...
    @property
    def seed(self) -> bytes: ...
    @property
    def moves(self) -> Sequence[str]: ...
    @property
    def outcome(self) -> Ending | None:
        """How it ended; None as long as it goes on or its result is not stored."""


class RunningMatches(Protocol):
    """The matches that are being played, as far as they can be watched: the hall's, or those of worker processes."""

    @property
    def delay(self) -> int:
        """Decisions by which they are shown late."""

    def is_running(self, id: str) -> bool:
        """Whether a match of this name is being played."""

    async def find(self, id: str) -> WatchableMatch | None:
        """The match with its decisions so far; None if it is not being played."""

    def watch(self, id: str) -> asyncio.Event:
        """An event that is set after every decision of a match, at its end, and when its result is stored."""

    def unwatch(self, id: str, event: asyncio.Event) -> None:
        """It is not watched through this event any more."""


class PublicMatch:
    """A match as the public may see it: so many decisions behind, and everything once its result is stored."""

    def __init__(self, match: WatchableMatch, delay: int) -> None:
        self.match = match
        self.delay = delay
        self.state: State[Any] = match.game.start(len(match.names), match.options, match.seed)
        """Only its public view may leave."""
        self.decisions = 0

    @property
    def over(self) -> bool:
        """Whether the match is over and shown to its end."""
        return self.match.outcome is not None and self.decisions == len(self.match.moves)

    def step(self) -> bool:
        """Follow one more decision; False if there is none that may be shown."""
        moves = self.match.moves
        told = self.match.outcome is not None
        due = len(moves) if told else len(moves) - self.delay
        if self.decisions >= due:
            return False
        after = self.state.copy()
        after.play(read_moves(after, moves[self.decisions]))
        if after.result() is not None and not told:
            return False
        self.state = after
        self.decisions += 1
        return True

    async def catch_up(self) -> None:
        """Follow all decisions that may be shown, a few at a time."""
        followed = 0
        while self.step():
            followed += 1
            if followed % MOST_AT_ONCE == 0:
                await asyncio.sleep(0)
