"""Receipts: the moves that a bot sent and the heads of the hash chain that it was told, compared with what is
published.

A host could invent moves, timeouts and second deals, and write a hash chain that fits. A bot that was recorded knows
what it sent and when, and which head the chain had when each of its matches ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Seat, State, Unreadable
from referee.rules.record import Record, read_moves
from referee.store.journal_entry import JournalEntry
from referee.tournament.audit.audited import AuditedTournament, MatchLine
from referee.tournament.audit.replay import DoesNotHold

TIMEOUT = "timeout"


@dataclass(slots=True)
class _Deal:
    """What a bot saw of one deal of a match."""

    commitment: str
    seat: Seat
    limit_ms: float
    answers: dict[int, list[str]] = field(default_factory=dict)
    """Its answers by the number of the question; of one that was repeated there may be several."""
    slowest_ms: float = 0.0
    whole: bool = True
    """Whether it was recorded from its beginning."""
    gone: bool = False
    """Whether the bot was told after it, by a welcome, that it does not sit in this match any more."""


class Receipts:
    """What the record of one bot says of one tournament, gathered line by line."""

    def __init__(self, tournament: str) -> None:
        self._tournament = tournament
        self._deals: dict[int, list[_Deal]] = {}
        self._resumed: set[str] = set()
        self._heads: dict[int, str] = {}
        """The hash of the last entry, by how many entries there were."""
        self._stored: dict[int, int] = {}
        """How many entries there were when the bot was told of the end of a match."""

    def note(self, line: Mapping[str, Any]) -> None:
        """A line of the record. KeyError, TypeError or ValueError if it is not what an SDK records."""
        kind = line["type"]
        if kind == "welcome":
            self._welcome(frozenset(line.get("resumed", ())))
            for head in line["heads"]:
                if head["tournament"] == self._tournament:
                    self._note_head(head)
        elif kind == "start":
            self._start(line)
        elif kind == "decide":
            for deal in self._deals.get(_number(line["match"]), [])[-1:]:
                deal.answers.setdefault(int(line["decision"]), []).append(str(line["move"]))
                deal.slowest_ms = max(deal.slowest_ms, float(line.get("ms", 0.0)))
        elif kind == "rejected":
            for deal in self._deals.get(_number(line["match_id"]), [])[-1:]:
                answers = deal.answers.get(int(line["decision"]), [])
                if answers and answers[-1].startswith(str(line["move_text"])[:20]):
                    answers.pop()
        elif kind == "end" and (head := line.get("head")) is not None:
            self._note_head(head)
            self._stored[_number(line["match_id"])] = int(head["entries"])

    def check_heads(self, entries: Iterable[JournalEntry]) -> int:
        """Every head that the bot was told is one that the chain had, and held the result that it was told with."""
        left = dict(self._heads)
        number = -1
        for number, line in enumerate(entries):
            told = left.pop(number + 1, None)
            if told is not None and told != line.hash:
                raise DoesNotHold(
                    f"the bot was told that the hash chain had the head {told} after {number + 1} entries, and the one "
                    f"that is published had {line.hash}: it was written anew"
                )
            if self._stored and '"kind":"result"' in line.entry:
                match = json.loads(line.entry)["match"]
                if match in self._stored and number >= self._stored.pop(match):
                    raise DoesNotHold(
                        f"the result of match {match} was told to the bot before it was in the hash chain"
                    )
        if left:
            most = max(left)
            raise DoesNotHold(
                f"the bot was told of a hash chain of {most} entries, and {number + 1} are published: the last are gone"
            )
        return len(self._heads)

    def check_moves(self, audited: AuditedTournament) -> tuple[int, tuple[str, ...]]:
        """How many published moves the bot is known to have sent, and the timeouts that its own clock does not know."""
        compared, disputed = 0, []
        for line, record in audited.lines():
            deal = self._dealt(line)
            if deal is None or record is None or not deal.whole:
                continue
            if deal.seat >= len(line.seats):
                raise DoesNotHold(f"{self._tournament}/{line.ordinal} has no seat {deal.seat}, in which the bot sat")
            compared += self._compare(line, deal, record)
            answered = sum(1 for several in deal.answers.values() if several)
            late = line.faults[deal.seat] == TIMEOUT and answered > line.decisions[deal.seat]
            if late and deal.slowest_ms < deal.limit_ms:
                disputed.append(f"{self._tournament}/{line.ordinal}")
        return compared, tuple(disputed)

    def _compare(self, line: MatchLine, deal: _Deal, record: bytes) -> int:
        """The moves of the bot's seat are among its answers, in their order."""
        value = json.loads(record)
        played = Record.from_value(value["record"])
        game = registry.find(played.game)
        state = game.new(played.players, game.resolve_options(played.options), Seeded(bytes.fromhex(played.seed)))
        answers = iter(sorted(deal.answers.items()))
        left = line.decisions[deal.seat]
        found = 0
        for number, text in enumerate(played.moves):
            moves = read_moves(state, text)
            if deal.seat in moves and found < left:
                if not any(_said(state, several, moves[deal.seat]) for _, several in answers):
                    raise DoesNotHold(
                        f"{self._tournament}/{line.ordinal}, decision {number}: the published move "
                        f"{state.format(moves[deal.seat])!r} is none that the bot sent"
                    )
                found += 1
            state.play(moves)
        return found

    def _dealt(self, line: MatchLine) -> _Deal | None:
        """What the bot saw of the deal that was played to its end."""
        if not line.seed or not line.faults:
            return None
        wanted = hashlib.sha256(bytes.fromhex(line.seed)).hexdigest()
        return next((deal for deal in self._deals.get(line.ordinal, ()) if deal.commitment == wanted), None)

    def _welcome(self, resumed: frozenset[str]) -> None:
        self._resumed |= resumed
        sits_in = {_number(match) for match in resumed if match.rpartition("/")[0] == self._tournament}
        for number, deals in self._deals.items():
            for deal in deals:
                deal.gone = deal.gone or number not in sits_in

    def _start(self, line: Mapping[str, Any]) -> None:
        number = _number(line["match_id"])
        deals = self._deals.setdefault(number, [])
        commitment = line["seed_commitment"]
        for deal in deals:
            if deal.commitment == commitment:
                if deal.gone:
                    raise DoesNotHold(
                        f"{self._tournament}/{number} was broken off and dealt again from the same seed: whoever saw "
                        f"the first deal knew what was to come"
                    )
                return  # repeated after a reconnect
        limit = float(line.get("time_control", {}).get("limit_ms", 0))
        whole = line["match_id"] not in self._resumed
        deals.append(_Deal(commitment, int(line.get("seat", -1)), limit, whole=whole and "seat" in line))

    def _note_head(self, head: Mapping[str, Any]) -> None:
        entries, hash_ = int(head["entries"]), str(head["hash"])
        if self._heads.setdefault(entries, hash_) != hash_:
            raise DoesNotHold(f"the bot was told two heads of the hash chain after {entries} entries")


def _number(match: str) -> int:
    return int(match.rpartition("/")[2])


def _said(state: State[Any], answers: list[str], move: Any) -> bool:
    """Whether one of these texts is this move, however it is spelt."""
    for text in answers:
        try:
            if state.parse(text) == move:
                return True
        except Unreadable:
            continue
    return False
