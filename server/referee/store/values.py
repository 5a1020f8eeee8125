"""What goes into the store and comes out of it: plain frozen values, no rows and no connections.

Times are whole milliseconds since 1970 (UTC). Numbers of bots, tournaments and matches are the store's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

Settings = Mapping[str, object]
"""Settings of a tournament or a practice match: what JSON can hold."""


class BotKind(StrEnum):
    """Who runs a bot: the server itself, or its author elsewhere."""

    HOUSE = "house"
    REMOTE = "remote"


class TournamentState(StrEnum):
    """Where a tournament stands; `finished` and `cancelled` are for good."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"
    FINISHED = "finished"
    CANCELLED = "cancelled"


class MatchState(StrEnum):
    """Where a match stands; `finished` is for good."""

    SCHEDULED = "scheduled"
    PLAYING = "playing"
    FINISHED = "finished"
    ABSENT = "absent"
    VOID = "void"


@lru_cache(maxsize=64)
def fault_code(text: str) -> str:
    """The text that tells how a seat ended, if it is a code in capitals; ValueError if not.

    `FINISHED` is no fault. Which codes there are is not the store's affair: `referee.match.result` has them.
    """
    if re.fullmatch("[A-Z_]+", text) is None:
        raise ValueError(f"{text!r} does not tell how a seat ended")
    return text


@dataclass(frozen=True, slots=True)
class Bot:
    """A registered bot; its token is known to its owner only."""

    id: int
    name: str
    kind: BotKind
    note: str
    created: int
    rotated: int | None
    revoked: int | None


@dataclass(frozen=True, slots=True)
class BotPass:
    """What lets a bot in: the hash of its token, and since when it has had another one or none."""

    name: str
    kind: BotKind
    token_hash: str | None
    rotated: int | None
    revoked: int | None


@dataclass(frozen=True, slots=True)
class NewBot:
    """A bot just registered or given a new token: the only moment at which the token can be read."""

    bot: Bot
    token: str | None


@dataclass(frozen=True, slots=True)
class BotVersion:
    """One build of a bot."""

    id: int
    bot: int
    label: str
    digest: str
    created: int


@dataclass(frozen=True, slots=True)
class NewTournament:
    """A tournament to create; the store publishes SHA-256(root) and keeps root to itself until it is revealed."""

    name: str
    game: str
    game_version: str
    players: int
    settings: Settings
    root: bytes = field(repr=False)
    seed_text: str | None = field(default=None, repr=False)
    salt: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament as anybody may see it: `root`, `seed_text` and `salt` are None until they are revealed."""

    id: int
    name: str
    game: str
    game_version: str
    players: int
    settings: Settings
    state: TournamentState
    commitment: str
    root: bytes | None
    repeatable: bool
    """The root follows from the seed's text alone, so whoever guesses the text knows every deal."""
    seed_text: str | None
    salt: bytes | None
    created: int
    started: int | None
    finished: int | None


@dataclass(frozen=True, slots=True)
class Secret:
    """What the deals of a tournament follow from: the root, and the text and the salt that led to it, if any did."""

    root: bytes = field(repr=False)
    seed_text: str | None = field(repr=False)
    salt: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class NewEntrant:
    """A bot that enters, under the name shown in this tournament (`random-2`)."""

    bot: int
    name: str
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament; `position` is its number in the schedule, from 0."""

    id: int
    position: int
    bot: int
    name: str
    version: int | None
    joined: int


class Pairing(Protocol):
    """A table of the schedule: the entrants' positions, seat 0 first."""

    @property
    def round(self) -> int: ...
    @property
    def table(self) -> int: ...
    @property
    def seats(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of a match; `position` is the entrant's (None in practice), the rest is None or 0 until it ends."""

    seat: int
    bot: int
    name: str
    position: int | None
    rank: int | None
    score: int | None
    fault: str | None
    """How it ended for this seat, a `fault_code`."""
    strikes: int
    decisions: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Match:
    """A match with its seats; tournament, round, table and ordinal are None in practice."""

    id: int
    tournament: int | None
    round: int | None
    table: int | None
    ordinal: int | None
    game: str
    game_version: str
    settings: Settings | None
    state: MatchState
    attempt: int
    seed: str | None
    reason: str
    created: int
    started: int | None
    finished: int | None
    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat."""

    seat: int
    rank: int
    score: int
    fault: str = "FINISHED"
    """How it ended for this seat, a `fault_code`."""
    strikes: int = 0
    decisions: int = 0
    time_ms: int = 0


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended: every seat once, the revealed seed in hex, and the whole record."""

    match: int
    attempt: int
    seats: tuple[SeatResult, ...]
    seed: str
    record: bytes = field(repr=False)
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many matches of a tournament are in each state."""

    scheduled: int = 0
    playing: int = 0
    finished: int = 0
    absent: int = 0
    void: int = 0

    @property
    def total(self) -> int:
        return self.scheduled + self.playing + self.finished + self.absent + self.void

    @property
    def open(self) -> int:
        """Matches that are still to be played or being played."""
        return self.scheduled + self.playing

    @property
    def aside(self) -> int:
        """Matches that were set aside without a result."""
        return self.absent + self.void
