"""A tournament as pieces of a stream, for `ExportTournament`: hash chain, schedule, records.

Each piece is read by itself, in a thread, and is small enough for a message: what one export costs at a time does not
depend on how long the tournament is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from arena.v1 import tournament_pb2 as pb
from referee.store import MatchState, Store, Tournament
from referee.tournament.audit.database import schedule_lines

ENTRIES = 500
"""Entries or lines in a message."""
RECORDS = 100
LARGEST_PIECE = 1 << 20
"""Bytes of records in a message, unless one alone has more."""


class Exported:
    """One export under way; `pieces` are to be drawn in threads, one after the other."""

    def __init__(self, store: Store, tournament: Tournament, *, records: bool) -> None:
        self._store = store
        self._tournament = tournament
        self._with_records = records
        # What is stored while the export runs is not part of it.
        self._entries, _ = store.journal.head(tournament.id)
        self._finished: set[int] = set()
        self._matches = 0

    def pieces(self) -> Iterator[pb.ExportTournamentResponse]:
        """All messages, in order."""
        yield from self._journal()
        yield from self._schedule()
        if self._with_records:
            yield from self._records()

    def _journal(self) -> Iterator[pb.ExportTournamentResponse]:
        lines = self._store.journal.read(self._tournament.id, limit=self._entries)
        while chunk := list(islice(lines, ENTRIES)):
            for line in chunk:
                told = json.loads(line.entry)
                if told["kind"] == "result":
                    self._finished.add(told["match"])
                elif told["kind"] == "scheduled":
                    self._matches += told["matches"]
            yield pb.ExportTournamentResponse(
                entries=[pb.JournalEntry(entry=line.entry, hash=line.hash) for line in chunk]
            )

    def _schedule(self) -> Iterator[pb.ExportTournamentResponse]:
        lines = islice(schedule_lines(self._store, self._tournament), self._matches)
        while chunk := list(islice(lines, ENTRIES)):
            yield pb.ExportTournamentResponse(schedule=chunk)

    def _records(self) -> Iterator[pb.ExportTournamentResponse]:
        # An annulled match is void and keeps its record.
        states = [MatchState.FINISHED, MatchState.VOID]
        finished = self._store.matches.in_schedule_order(self._tournament.id, states)
        while page := list(islice(finished, RECORDS)):
            chunk = [match for match in page if match.ordinal in self._finished]
            records = self._store.matches.records([match.id for match in chunk])
            piece, size = pb.ExportTournamentResponse(), 0
            for match in chunk:
                record = records.get(match.id, b"")
                if size and size + len(record) > LARGEST_PIECE:
                    yield piece
                    piece, size = pb.ExportTournamentResponse(), 0
                piece.records.add(number=match.ordinal or 0, record_json=record)
                size += len(record)
            if size:
                yield piece
