"""What is on disk, read with other eyes than the program's, and what has to hold of it after every commit."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.v1 import match_pb2 as pb

NAME = "league"
"""The tournament of every simulation."""
STORED = """SELECT matches.state, matches.seed, seats.rank FROM matches
JOIN tournaments ON tournaments.id = tournament_id JOIN seats ON seats.match_id = matches.id
WHERE tournaments.name = ? AND ordinal = ? ORDER BY seat"""
HEAD = """SELECT journal.hash FROM journal JOIN tournaments ON tournaments.id = chain
WHERE tournaments.name = ? AND journal.number = ?"""
JOURNAL = """SELECT entry, journal.hash FROM journal JOIN tournaments ON tournaments.id = chain
WHERE tournaments.name = ? AND number >= ? ORDER BY number"""
BOTS = """SELECT entrants.name FROM matches JOIN tournaments ON tournaments.id = matches.tournament_id
JOIN seats ON seats.match_id = matches.id JOIN entrants ON entrants.id = entrant_id
WHERE tournaments.name = ? AND ordinal = ? ORDER BY seat"""


class Broken(AssertionError):
    """An invariant does not hold."""


@dataclass
class Disk:
    """The database of a tournament, through all processes that write it."""

    path: Path
    may_be_set_aside: Callable[[list[str]], bool]
    """Whether a match of these bots may be set aside as absent at this moment."""
    results: set[int] = field(default_factory=set)
    """The matches that have a result in the journal."""
    chain: list[str] = field(default_factory=list)
    """The hash chain of the tournament as it was read so far."""
    _read: sqlite3.Connection | None = None

    def open(self) -> None:
        self._read = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)

    def close(self) -> None:
        if self._read is not None:
            self._read.close()
            self._read = None

    def check(self) -> None:
        """After every commit: nothing that was stored has changed, and no match has a second result."""
        read = self._ask(JOURNAL, len(self.chain) - 1)
        if self.chain and (not read or read[0][1] != self.chain[-1]):
            raise Broken("what was stored is no longer there")
        for entry, hashed in read[1:] if self.chain else read:
            self.chain.append(hashed)
            told = json.loads(entry)
            if told["kind"] == "result":
                if told["match"] in self.results:
                    raise Broken(f"match {told['match']} has two results")
                self.results.add(told["match"])
            elif told["kind"] == "aside" and told["state"] == "absent":
                bots = [name for (name,) in self._ask(BOTS, told["match"])]
                if not self.may_be_set_aside(bots):
                    raise Broken(f"match {told['match']} was set aside before its bots were away so long")

    def check_end(self, bot: str, end: pb.MatchEnd) -> None:
        """A result is stored before any bot hears of it, and is the one that is stored."""
        stored = self._ask(STORED, int(end.match_id.removeprefix(f"{NAME}/")))
        if not stored or stored[0][0] != "finished":
            raise Broken(f"{end.match_id} was announced and is not stored")
        if [rank for _, _, rank in stored] != list(end.result.ranks) or stored[0][1] != end.seed:
            raise Broken(f"{end.match_id} was announced otherwise than it is stored")
        if self._ask(HEAD, end.head.entries - 1) != [(end.head.hash,)]:
            raise Broken(f"{bot} was told a head that the hash chain never had")

    def _ask(self, query: str, number: int) -> list[Any]:
        assert self._read is not None
        return self._read.execute(query, (NAME, number)).fetchall()
