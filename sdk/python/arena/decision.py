"""One question to a bot: what it sees, what it may do, how long it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from arena import views

if TYPE_CHECKING:
    # Type checkers know this module without its being installed. The default lets `Decision` alone mean any game.
    from typing_extensions import TypeVar

    V = TypeVar("V", default=Any)
else:
    from typing import TypeVar

    V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Match:
    """What stays the same through a match."""

    id: str
    game: str
    seat: int
    names: tuple[str, ...]
    """Who sits where, this bot included."""
    options: dict[str, Any] = field(default_factory=dict)
    limit: float = 0.0
    """Free seconds for every decision."""
    bank: float = 0.0
    """Seconds for the whole match that are used up beyond the limit."""
    game_version: int = 0
    tournament: str = ""
    view_type: str = ""
    seed_commitment: str = ""
    view_descriptor: bytes = field(default=b"", repr=False)
    """What describes the view's message, where it is none of the SDK's own."""
    nonces_digest: str = ""
    """SHA-256 (hex) over the entrants' nonces that went into the seed; empty: there were none."""
    total: float = 0.0
    """The most seconds that a seat may hold the match up in all, thinking or away; 0: there is no such bound."""
    attempt: int = 0
    """How often the match was dealt: beyond 1, an earlier deal came to nothing; 0 outside tournaments."""

    @classmethod
    def from_start(cls, start: Any) -> Match:
        """From the protocol's MatchStart."""
        return cls(
            start.match_id,
            start.game,
            start.seat,
            tuple(start.names),
            json.loads(start.options_json or "{}"),
            start.time_control.limit_ms / 1000,
            start.time_control.bank_ms / 1000,
            start.game_version,
            start.tournament,
            start.view_type,
            start.seed_commitment,
            start.view_descriptor,
            start.nonces_digest,
            start.time_control.total_ms / 1000,
            start.attempt,
        )


class Decision(Generic[V]):
    """What `decide` is given; `Decision[flip7_pb2.View]` tells type checkers and editors what the view is.

    `legal` holds moves as text in canonical order; return one of them, or any other legal move where `complete` is
    False. `view` is all that this seat may know, so that a bot needs no memory: the game's typed message
    (`arena.games.<game>.v1` for the games that come with Referee), or a plain dict where the game shows one. `budget`
    is the free time in seconds, `bank` what the match still holds beyond it. `rejected` is empty, or the referee's
    sentence about the move this bot just tried: it is being asked again and had better answer otherwise.
    """

    __slots__ = ("_bytes", "_view", "again", "bank", "budget", "complete", "info", "legal", "number", "rejected")

    def __init__(
        self,
        info: Match,
        number: int,
        legal: list[str],
        view: bytes | V | Callable[[], V],
        *,
        complete: bool = True,
        budget: float = 0.0,
        bank: float = 0.0,
        again: bool = False,
    ) -> None:
        self.info = info
        self.number = number
        self.legal = legal
        self.complete = complete
        self.budget = budget
        self.bank = bank
        self.again = again
        self.rejected = ""
        self._view: Any = view
        self._bytes: bytes | None = None

    @property
    def view(self) -> V:
        """The typed message or the dict; read from its bytes when first looked at."""
        view = self._view
        if isinstance(view, bytes):
            self._bytes = view
            view = self._view = views.read(self.info.view_type, view, self.info.view_descriptor)
        elif callable(view):
            view = self._view = view()
        seen: V = view
        return seen

    @property
    def view_bytes(self) -> bytes:
        """The view as it came over the wire: handy to hash, for a bot that wants repeatable dice of its own."""
        if isinstance(self._view, bytes):
            return self._view
        if self._bytes is None:
            self._bytes = views.write(self.view)
        return self._bytes

    @property
    def match(self) -> str:
        """The id of the match."""
        return self.info.id

    @property
    def game(self) -> str:
        return self.info.game

    @property
    def seat(self) -> int:
        return self.info.seat

    def __repr__(self) -> str:
        return f"<Decision {self.number} of {self.info.game} match {self.info.id}, seat {self.info.seat}>"
