"""Promises: what a bot was told while it played (`--record` of its SDK), compared with what is published afterwards.

A host could tell a bot one thing and publish another. `referee verify` cannot see that, for it has the published side
only. The record of a bot has the other side: the commitments and nonces of a draw, the commitment to every seed, the
digest of the nonces that went into it, how often a match was dealt, the moves that the bot sent, how each match ended,
and the head of the hash chain at that moment. `receipts.py` compares the moves and the heads.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from referee.rules.game import WrongUse
from referee.store.journal_entry import JournalEntry
from referee.tournament.audit.audited import AuditedTournament, MatchLine
from referee.tournament.audit.receipts import Receipts
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.nonces import NonceDigests
from referee.tournament.plan import deal
from referee.tournament.seeds import match_seed


@dataclass(frozen=True, slots=True)
class Kept:
    """What was found to be as the bot had been told."""

    draws: int
    """Draws of nonces in which it took part."""
    starts: int
    """Matches that it was told of, with a commitment to their seed."""
    ends: int
    """Matches whose result and seed it was told."""
    moves: int = 0
    """Moves that it sent, as they are published."""
    heads: int = 0
    """Heads of the hash chain that it was told."""
    disputed: tuple[str, ...] = ()
    """Matches that it is said to have lost on time, though by its own clock it answered everything in time."""


def check_promises(
    audited: AuditedTournament,
    record: Iterable[str],
    name: str = "the record",
    entries: Iterable[JournalEntry] | None = None,
) -> Kept:
    """Compare the record of a bot with a tournament; DoesNotHold names the first thing that is otherwise.

    `entries` are those of the hash chain; without them heads are not compared. WrongUse if the record says nothing of
    this tournament, or is none.
    """
    told = list(_of_tournament(audited.name, record, name))
    if not told:
        raise WrongUse(f"{name} says nothing of {audited.name}: give the file that the bot wrote with --record")
    check = _Promises(audited)
    receipts = Receipts(audited.name)
    draws = starts = ends = 0
    for number, line in told:
        try:
            if line["type"] == "nonces":
                draws += check.nonces(line)
            elif line["type"] == "start":
                check.start(line)
                starts += 1
            elif line["type"] == "end":
                check.end(line)
                ends += 1
            receipts.note(line)
        except DoesNotHold as error:
            raise DoesNotHold(f"{audited.name}: line {number} of {name}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
            raise WrongUse(f"line {number} of {name} is not what an SDK records: {error}") from None
    try:
        heads = 0 if entries is None else receipts.check_heads(entries)
        moves, disputed = receipts.check_moves(audited)
    except DoesNotHold as error:
        raise DoesNotHold(f"{audited.name}: {error}") from None
    return Kept(draws, starts, ends, moves, heads, disputed)


class _Promises:
    """The published side."""

    def __init__(self, audited: AuditedTournament) -> None:
        self._audited = audited
        self._plan = audited.plan
        self._shared_deals = {} if audited.story is None else audited.story.shared_deals
        self._draws = {draw.draw: draw for draw in audited.draws}
        self._nonces = NonceDigests.of(audited.name, audited.draws)
        self._lines = {line.ordinal: line for line, _ in audited.lines()}

    def nonces(self, line: Mapping[str, Any]) -> int:
        """A step of a draw; returns 1 for the last one."""
        chapters = () if self._audited.story is None else self._audited.story.chapters
        if line["root_commitment"] not in (self._audited.commitment, *(each.commitment for each in chapters)):
            raise DoesNotHold("the bot was told another commitment to the root")
        self._schedule(line["schedule_digest"])
        if line["step"] == "NONCE_STEP_COMMIT":
            return 0
        draw = self._draws.get(line["draw"])
        published = () if draw is None else draw.entrants
        fixed = line["step"] == "NONCE_STEP_FIXED"
        wanted = [(each.name, each.commitment, each.nonce if fixed else "") for each in published]
        if [(each["name"], each["commitment"], each["nonce"]) for each in line["entrants"]] != wanted:
            what = "nonces" if fixed else "commitments"
            raise DoesNotHold(f"the bot was told other {what} of draw {line['draw']} than those that are published")
        if fixed and draw is not None and draw.first != line["first_match"]:
            raise DoesNotHold(f"draw {draw.draw} should count from match {line['first_match']} on, not {draw.first}")
        return int(fixed)

    def start(self, line: Mapping[str, Any]) -> None:
        match = self._match(line)
        if tuple(line["names"]) != match.seats:
            raise DoesNotHold(f"{line['match_id']} was to be played by {', '.join(line['names'])}")
        number = deal(self._plan, match.ordinal, self._shared_deals)
        nonces = self._nonces.at(number)
        if line.get("nonces_digest", "") != (nonces or b"").hex():
            raise DoesNotHold(f"{line['match_id']} was to be dealt from other nonces than those that are published")
        if line.get("attempt", 0) > match.attempt:
            raise DoesNotHold(f"{line['match_id']} was dealt {line['attempt']} times, and {match.attempt} are told")
        if self._audited.root is None:
            return
        # A match that was dealt anew was told of once for each deal.
        for root in self._audited.roots:
            for attempt in range(1, match.attempt + 1):
                seed = match_seed(root or b"", self._audited.name, number, attempt, nonces)
                if hashlib.sha256(seed).hexdigest() == line["seed_commitment"]:
                    return
        raise DoesNotHold(f"{line['match_id']} was to be dealt from a seed that does not follow from the root")

    def end(self, line: Mapping[str, Any]) -> None:
        match = self._match(line)
        result = line["result"]
        if result["reason"] == "void" and match.state != "finished":
            return
        words = tuple(word.removeprefix("TERMINATION_").lower() for word in result["terminations"])
        told = (line["seed"], tuple(result["ranks"]), tuple(result["scores"]), words, result["reason"])
        if told != (match.seed, match.ranks, match.scores, match.faults, match.reason) and result["reason"] != "void":
            raise DoesNotHold(f"{line['match_id']} ended otherwise, as the bot was told")

    def _match(self, line: Mapping[str, Any]) -> MatchLine:
        match = self._lines.get(int(line["match_id"].rpartition("/")[2]))
        if match is None:
            raise DoesNotHold(f"there is no match {line['match_id']}")
        return match

    def _schedule(self, told: str) -> None:
        """The schedule of which the bot was told begins the one that is published."""
        if not told:
            return
        story, digest = self._audited.story, hashlib.sha256()
        ends = set() if story is None else {piece.first + piece.matches for piece in story.pieces}
        for ordinal in sorted(self._lines):
            digest.update(self._lines[ordinal].scheduled.encode())
            if ordinal + 1 in ends and digest.hexdigest() == told:
                return
        raise DoesNotHold("the bot was told of another schedule")


def _of_tournament(tournament: str, record: Iterable[str], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines about a tournament, with their numbers."""
    for number, text in enumerate(record, 1):
        try:
            line = json.loads(text)
            kind = line["type"]
            # A decision is recorded under `match`, what the referee says under `match_id`.
            match = str(line.get("match_id", line.get("match", ""))).rpartition("/")[0]
            ours = (
                (kind == "nonces" and line.get("tournament") == tournament)
                or (kind in ("start", "end", "decide", "rejected") and match == tournament)
                or (kind == "welcome" and any(head.get("tournament") == tournament for head in line.get("heads", ())))
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise WrongUse(f"line {number} of {name} is not what an SDK records with --record") from None
        if ours:
            yield number, line
