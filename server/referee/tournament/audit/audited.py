"""A tournament to be audited: what is published of it, whether it comes from a database or from a folder of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from referee.store import MatchState, NonceDraw
from referee.store.journal_entry import canonical, schedule_line
from referee.store.snapshot_form import LookedAt
from referee.store.values import ANNULLED
from referee.tournament.audit.story import Story, ToldMatch
from referee.tournament.plan import Plan

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)
LARGEST_RECORD = 64 << 20
"""Bytes of a record, which may come from a stranger."""


class Damaged(Exception):
    """What is written of this match cannot be read."""

    def __init__(self, ordinal: int, why: str) -> None:
        super().__init__(why)
        self.ordinal = ordinal


@dataclass(frozen=True, slots=True)
class MatchLine:
    """One match of the schedule with what became of it; everything by seat, results empty until it is finished."""

    ordinal: int
    round: int
    table: int
    seats: tuple[str, ...]
    """The entrants' names."""
    state: str
    attempt: int
    seed: str
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    faults: tuple[str, ...] = ()
    """How each seat ended, in a word."""
    reason: str = ""
    started: int | None = None
    finished: int | None = None
    strikes: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()
    time_ms: tuple[int, ...] = ()
    record: str = ""
    """SHA-256 of its record."""
    versions: tuple[int | None, ...] = ()
    """By seat, the version of the submitted bot that played; empty if none did."""

    @property
    def annulled(self) -> bool:
        """Whether it has a result that counts no longer."""
        return self.state == MatchState.VOID and bool(self.ranks) and self.reason.startswith(ANNULLED)

    @property
    def scheduled(self) -> str:
        """As `schedule.jsonl` has it."""
        return schedule_line(self.ordinal, self.round, self.table, self.seats)

    @property
    def written(self) -> str:
        """As `matches.jsonl` has it."""
        return match_line(self.ordinal, self.told)

    @property
    def told(self) -> ToldMatch:
        """Without its place in the schedule, as the journal tells it. Of one being played it tells nothing yet."""
        playing = self.state == MatchState.PLAYING
        return ToldMatch(
            MatchState.SCHEDULED.value if playing else self.state,
            self.attempt,
            self.seed,
            self.reason,
            None if playing else self.started,
            self.finished,
            self.ranks,
            self.scores,
            self.faults,
            self.strikes,
            self.decisions,
            self.time_ms,
            self.record,
            self.versions,
        )


def match_line(ordinal: int, told: ToldMatch) -> str:
    """A line of `matches.jsonl`, with its line feed."""
    value = {
        "match": ordinal,
        "state": told.state,
        "attempt": told.attempt,
        "seed": told.seed,
        "reason": told.reason,
        "started": told.started,
        "finished": told.finished,
        "ranks": told.ranks,
        "scores": told.scores,
        "terminations": told.terminations,
        "strikes": told.strikes,
        "decisions": told.decisions,
        "time_ms": told.time_ms,
        "record": told.record,
        **({"versions": told.versions} if told.versions else {}),
    }
    return canonical(value) + "\n"


class MatchLines(Protocol):
    """Where the matches of a tournament are read from."""

    def read(self) -> Iterator[tuple[MatchLine, bytes | None]]:
        """The schedule in order, each match that is over with its record; Damaged if one cannot be read."""

    def count(self) -> int:
        """How many matches there are at the most: no schedule is computed that is longer."""


@dataclass(frozen=True, slots=True)
class AuditedTournament:
    """What is published of a tournament; its matches are read one after the other."""

    name: str
    game: str
    game_version: str
    players: int
    settings: Mapping[str, Any]
    state: str
    commitment: str
    root: bytes | None
    """None while it is secret."""
    entrants: tuple[str, ...]
    groups: tuple[int, ...]
    """How many of them came at a time: first those of the beginning, then those that joined."""
    source: MatchLines
    digest: str
    """Of the final standings; empty while matches are open."""
    seed_text: str | None = None
    """The host's text behind the root, and its salt (None: the root follows from the text alone)."""
    salt: bytes | None = None
    repeatable: bool | None = None
    """Whether the root is said to follow from a text alone; None in a folder that was written before this was told."""
    story: Story | None = None
    """What the journal tells; None in a folder of before the journal."""
    draws: tuple[NonceDraw, ...] = ()
    """The nonces of entrants, which go into the seeds."""
    retell: Callable[[], Story] | None = None
    """Reads the journal again, where matches may end while they are verified."""
    standings: bytes | None = None
    """The file with the standings, to be compared with what follows from the results."""
    snapshots: Callable[[], Sequence[LookedAt]] | None = None
    """Reads what a database has computed before; None where nothing is kept."""
    repeats: Callable[[], Sequence[int]] | None = None
    """Counts repeated matches again: how many were compared, and how many of them differ."""
    table: Callable[[], Mapping[str, Any]] | None = None
    """Works out again what is shown of the tournament, as plain JSON."""

    @property
    def roots(self) -> tuple[bytes | None, ...]:
        """The roots of the deals: those of the time before it was opened again, and the one of now."""
        return (self.root,) if self.story is None else self.story.roots(self.root)

    @property
    def plan(self) -> Plan:
        return Plan(**{name: value for name, value in self.settings.items() if name in Plan.__slots__})

    def lines(self) -> Iterator[tuple[MatchLine, bytes | None]]:
        """The schedule in order, each match that is over with its record; Damaged if one cannot be read."""
        return self.source.read()
