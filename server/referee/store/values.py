"""The values of the store, in and out: plain frozen dataclasses, no rows and no connections.

Times are whole milliseconds since 1970 (UTC). Numbers of bots, tournaments and matches are the store's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, Protocol

from referee.chain_head import ChainHead

Settings = Mapping[str, object]
"""Settings of a tournament or a practice match: what JSON can hold."""


CANCELLED = "the tournament was cancelled"
"""Why a match has no result that was being played then."""
ADMIN_FACT = "admin_token_hash"
"""The fact (`Store.fact`) that holds the hash of the admin's token."""


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
def fault_word(text: str) -> str:
    """The word that tells how a seat ended, in lower case as it is stored; ValueError if it is none.

    Databases of before hold words in capitals. `finished` is no fault. Which words there are is not the store's affair:
    `referee.match.result` has them.
    """
    if re.fullmatch("[a-z_]+|[A-Z_]+", text) is None:
        raise ValueError(f"{text!r} does not tell how a seat ended")
    return text.lower()


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
class BotCredentials:
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
    """A tournament as the public may see it: `root`, `seed_text` and `salt` are None until they are revealed."""

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
    """The root follows from the seed's text alone, so who guesses the text knows every deal."""
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


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in a tournament; `position` is its number in the schedule, from 0."""

    id: int
    position: int
    bot: int
    name: str
    joined: int


@dataclass(frozen=True, slots=True)
class DrawnNonce:
    """An entrant's part in a draw, in hex; `nonce` is empty until it is told, and for good if it never is."""

    name: str
    commitment: str
    nonce: str = ""


@dataclass(frozen=True, slots=True)
class NonceDraw:
    """Nonces that were drawn together, by the entrants' positions; they count from the match `first` on."""

    draw: int
    first: int
    entrants: tuple[DrawnNonce, ...]


@dataclass(frozen=True, slots=True)
class TournamentLook:
    """All that a list tells of a tournament, but for what its rulings are."""

    tournament: Tournament
    counts: Counts
    dealt_anew: int
    entrants: tuple[str, ...]
    """Their names by position."""
    draws: tuple[NonceDraw, ...]
    stage: str
    """What the last round is called; empty if none was drawn."""
    rulings: int
    """How many were made."""
    head: ChainHead


class ScheduledTable(Protocol):
    """A table of the schedule: the entrants' positions, seat 0 first."""

    @property
    def round(self) -> int: ...
    @property
    def table(self) -> int: ...
    @property
    def seats(self) -> Sequence[int]: ...


class NewTable(NamedTuple):
    """A table that a format draws: seats by entrants' positions, why these meet, and which deal they share."""

    seats: tuple[int, ...]
    why: str
    deal: int = 0


@dataclass(frozen=True, slots=True)
class NewRound:
    """A round to be stored with its matches; refused if anything that it was drawn from has changed meanwhile."""

    number: int
    stage: str
    tables: tuple[NewTable, ...]
    byes: tuple[int, ...]
    active: tuple[int, ...]
    entrants: int
    """How many entrants there were when it was drawn …"""
    rulings: int
    """… and how many rulings."""


@dataclass(frozen=True, slots=True)
class StoredRound:
    """A round that a format drew: its matches begin at `first`, one for every reason."""

    number: int
    first: int
    stage: str
    byes: tuple[int, ...]
    active: tuple[int, ...]
    reasons: tuple[str, ...]
    deals: tuple[int, ...]
    created: int

    @property
    def matches(self) -> int:
        return len(self.reasons)

    @property
    def last(self) -> int:
        """The ordinal behind its last match."""
        return self.first + len(self.reasons)

    def shared_deals(self) -> dict[int, int]:
        """Of each match on a shared deal, the first match on the same one."""
        return shared_deals(self.first, self.deals)


def shared_deals(first: int, deals: Sequence[int]) -> dict[int, int]:
    """Of each match of a round on a shared deal, the first match on the same one; the round begins at `first`."""
    begins: dict[int, int] = {}
    return {ordinal: begins.setdefault(deal, ordinal) for ordinal, deal in enumerate(deals, first) if deal > 0}


class SnapshotKind(StrEnum):
    """What a snapshot is of."""

    BOARD = "board"
    """A scoreboard: ratings in schedule order, and all counts."""
    STRENGTHS = "strengths"
    """Order-free ratings."""
    REPEATS = "repeats"
    """How many of the first matches repeat another one."""
    TABLE = "table"
    """The standings of a tournament that is over, as they are shown."""


class RulingKind(StrEnum):
    """What a host can decide."""

    DISQUALIFIED = "disqualified"
    WITHDRAWN = "withdrawn"
    RETURNED = "returned"
    ANNULLED = "annulled"
    REPLAYED = "replayed"


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the host decided: about a bot (`bot`), or about a match (`match`, its ordinal)."""

    number: int
    kind: RulingKind
    bot: str
    match: int | None
    reason: str
    annulled: tuple[int, ...]
    """Matches whose results count no longer."""
    aside: tuple[int, ...]
    """Matches that will not be played."""
    created: int


OUT = (RulingKind.DISQUALIFIED, RulingKind.WITHDRAWN)


def out_after(rulings: Iterable[Ruling]) -> dict[str, Ruling]:
    """Who is out after these rulings, by name, and by which of them."""
    out: dict[str, Ruling] = {}
    for ruling in rulings:
        if ruling.kind in OUT:
            out[ruling.bot] = ruling
        elif ruling.kind is RulingKind.RETURNED:
            out.pop(ruling.bot, None)
    return out


ANNULLED = "annulled: "
"""How the reason of a match begins whose result counts no longer."""


def exclusion(kind: str, bot: str, reason: str) -> str:
    """Why a match of a bot that is out is not played."""
    return f"{bot} {'has withdrawn' if kind == RulingKind.WITHDRAWN else 'was disqualified'}: {reason}"


def annulment(kind: str, bot: str, reason: str) -> str:
    """Why a result counts no longer, as the match tells it."""
    return ANNULLED + (exclusion(kind, bot, reason) if bot else reason)


class SeatedMatch(NamedTuple):
    """A match of a schedule, as far as further matches depend on it: who sits there, and whether it counts."""

    round: int
    seats: tuple[int, ...]
    counts: bool
    """It has a result or will have one."""


class FaultySeat(NamedTuple):
    """A seat of a finished match that did not come to its end: in which match, and how it ended for this seat."""

    match: int
    ordinal: int
    seat: int
    name: str
    fault: str


@dataclass(frozen=True, slots=True)
class StoredSeat:
    """A seat of a match; `position` is the entrant's (None in practice), the rest is None or 0 until it ends."""

    seat: int
    bot: int
    name: str
    position: int | None
    rank: int | None
    score: int | None
    fault: str | None
    """How it ended for this seat, a `fault_word`."""
    strikes: int
    decisions: int
    time_ms: int
    version: int | None = None
    """The version of the submitted bot that played."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
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
    seats: tuple[StoredSeat, ...]


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How a match ended for one seat."""

    seat: int
    rank: int
    score: int
    fault: str = "finished"
    """How it ended for this seat, a `fault_word`."""
    strikes: int = 0
    decisions: int = 0
    time_ms: int = 0
    version: int | None = None


@dataclass(frozen=True, slots=True)
class StoredLog:
    """What the bot of one seat wrote to stderr during a match; what the bytes say is not the store's affair."""

    seat: int
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended: every seat once, the revealed seed in hex, and the whole record."""

    match: int
    attempt: int
    seats: tuple[SeatResult, ...]
    seed: str
    record: bytes = field(repr=False)
    reason: str = ""
    logs: tuple[StoredLog, ...] = ()
    """For the authors of the bots and the host; kept beside the record, for as long as there is room."""


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
