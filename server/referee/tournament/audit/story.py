"""A tournament as its journal tells it: its entrants, matches, rounds, rulings and draws of nonces, as values.

`journal_story.py` makes them from the entries.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from referee.chain_head import BEGINNING
from referee.store import DrawnNonce, NonceDraw
from referee.store.values import shared_deals


@dataclass(frozen=True, slots=True)
class ToldMatch:
    """What became of a match; results by seat, empty without one."""

    state: str = "scheduled"
    attempt: int = 1
    seed: str = ""
    reason: str = ""
    started: int | None = None
    finished: int | None = None
    ranks: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    terminations: tuple[str, ...] = ()
    strikes: tuple[int, ...] = ()
    decisions: tuple[int, ...] = ()
    time_ms: tuple[int, ...] = ()
    record: str = ""
    """SHA-256 of the record."""
    versions: tuple[int | None, ...] = ()
    """By seat, the version of the submitted bot that played; empty if none did."""


UNTOUCHED = ToldMatch()


@dataclass(frozen=True, slots=True)
class ToldEntrant:
    """A bot that entered, under its name in the tournament."""

    name: str
    bot: str
    kind: str
    joined: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Matches that were scheduled together."""

    first: int
    matches: int
    sha256: str
    at: int


@dataclass(frozen=True, slots=True)
class ToldRound:
    """A round that the format drew; it begins with match `first`."""

    number: int
    first: int
    stage: str
    byes: tuple[str, ...]
    active: tuple[str, ...]
    reasons: tuple[str, ...]
    deals: tuple[int, ...]
    entrants: int
    """How many bots had entered by then."""
    at: int


@dataclass(frozen=True, slots=True)
class ToldRuling:
    """What the host decided about a bot or a match."""

    kind: str
    bot: str
    match: int | None
    reason: str
    annulled: tuple[int, ...]
    aside: tuple[int, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Growth:
    """A moment at which a schedule grew: bots had joined, or one was taken out."""

    entrants: int
    out: frozenset[str]
    uncounted: frozenset[int]
    """Matches that had no result and were not to have one."""
    lost: frozenset[int] | None
    """Those that were lost with a bot that was taken out; None if bots had joined, or it was extended."""
    rounds: int | None = None
    """By how many rounds it was extended; None if that is not why it grew."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A tournament up to the end that turned out not to be the last: the root of its deals, and what was promised."""

    commitment: str
    revealed: dict[str, Any]


@dataclass(slots=True)
class Draw:
    """Nonces that were drawn together: the commitments, then the nonces, by entrant."""

    draw: int
    first: int
    commitments: dict[str, str]
    nonces: dict[str, str] = field(default_factory=dict)

    @property
    def drawn(self) -> NonceDraw:
        """As seeds take it; an entrant that told no nonce has an empty one."""
        each = [DrawnNonce(name, promised, self.nonces.get(name, "")) for name, promised in self.commitments.items()]
        return NonceDraw(self.draw, self.first, tuple(each))


@dataclass(slots=True)
class Story:
    """What the entries of a tournament come to."""

    adopted: int | None = None
    """When it was taken over from a program that kept no journal."""
    created: dict[str, Any] = field(default_factory=dict)
    entrants: list[ToldEntrant] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    draws: list[Draw] = field(default_factory=list)
    rounds: list[ToldRound] = field(default_factory=list)
    rulings: list[ToldRuling] = field(default_factory=list)
    out: dict[str, str] = field(default_factory=dict)
    """Who is out, and how that came."""
    out_at_the_end: frozenset[str] = frozenset()
    """Who was out when it was finished."""
    growth: list[Growth] = field(default_factory=list)
    amended: dict[int, list[tuple[int, ToldMatch]]] = field(default_factory=dict)
    """Of matches that were annulled: what had become of them, and up to which round that counted."""
    matches: dict[int, ToldMatch] = field(default_factory=dict)
    """Those that something became of."""
    sizes: dict[int, int] = field(default_factory=dict)
    """Bytes of the records."""
    again: int = 0
    """How often a match went back into the schedule."""
    state: str = "created"
    started: int | None = None
    finished: int | None = None
    revealed: dict[str, Any] | None = None
    """Root, seed text and salt."""
    pruned: set[int] = field(default_factory=set)
    """Matches whose records the host has removed: they are told, and cannot be replayed."""
    chapters: list[Chapter] = field(default_factory=list)
    """One for each time it was opened again after its end."""
    chapter_of: dict[int, int] = field(default_factory=dict)
    """Of matches that were played after that: in which chapter, counted from 0."""
    reopened: str = ""
    """The commitment to the root of the deals since it was opened last; empty if it never was."""
    entries: int = 0
    head: str = BEGINNING

    @property
    def commitment(self) -> str:
        """To the root from which matches are dealt now."""
        return str(self.reopened or self.created["commitment"])

    @property
    def dealt(self) -> str:
        """What the deals follow from now: a root that was drawn when it was opened again is secret."""
        fresh = self.reopened and self.reopened != self.created["commitment"]
        return "secret" if fresh else str(self.created["dealt"])

    def roots(self, last: bytes | None) -> tuple[bytes | None, ...]:
        """The root of each chapter, and the one of now."""
        return (*(bytes.fromhex(each.revealed["root"]) for each in self.chapters), last)

    @property
    def total(self) -> int:
        """How many matches are scheduled."""
        return self.pieces[-1].first + self.pieces[-1].matches if self.pieces else 0

    def match(self, ordinal: int) -> ToldMatch:
        return self.matches.get(ordinal, UNTOUCHED)

    def match_before(self, round: int, ordinal: int) -> ToldMatch:
        """What was known of a match when this round was drawn."""
        for last, told in self.amended.get(ordinal, ()):
            if round <= last:
                return told
        return self.match(ordinal)

    @property
    def recorded(self) -> list[int]:
        """The matches whose records are kept, in the order of the schedule."""
        return sorted(number for number, told in self.matches.items() if told.record and number not in self.pruned)

    @property
    def shared_deals(self) -> dict[int, int]:
        """Of matches on a shared deal, the first on the same one."""
        return {match: first for each in self.rounds for match, first in shared_deals(each.first, each.deals).items()}
