"""All that is public of a tournament, fetched from a running server: what an entrant exports and verifies.

The server may be anybody's: what it sends is bounded here, and checked by whoever uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from referee.cli.connection import channel, failure, stub
from referee.cli.errors import DID_NOT_HOLD, Failure

if TYPE_CHECKING:
    from referee.tournament.audit.folder import Published

PATIENCE = 3600.0
"""Seconds that a whole export may take."""
MOST_LINES = 4_000_000
"""Entries and lines that are taken: a schedule has at most a million matches."""


@contextmanager
def fetch(server: str, ca: str | None, tournament: str) -> Iterator[Published]:
    """The hash chain and the schedule at once, the records as they are asked for."""
    import grpc

    from arena.v1 import tournament_pb2 as pb
    from referee.store.journal_entry import JournalEntry
    from referee.tournament.audit.folder import Published

    with channel(server, ca) as connection:
        call = stub(connection, "TournamentService").ExportTournament(
            pb.ExportTournamentRequest(tournament=tournament), timeout=PATIENCE
        )
        pieces = iter(call)
        entries: list[JournalEntry] = []
        schedule: list[str] = []
        first: list[Any] = []
        try:
            for piece in pieces:
                entries += [JournalEntry(n, one.entry, one.hash) for n, one in enumerate(piece.entries, len(entries))]
                schedule += piece.schedule
                if len(entries) + len(schedule) > MOST_LINES:
                    raise Failure(f"{server} sends more than any tournament has", DID_NOT_HOLD)
                if piece.records:
                    first.append(piece)
                    break

            def records(numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
                wanted = set(numbers)
                for source in (first, pieces):
                    for piece in source:
                        for one in piece.records:
                            if one.number not in wanted:
                                raise Failure(f"{server} sends a record of no finished match", DID_NOT_HOLD)
                            wanted.discard(one.number)
                            yield one.number, one.record_json
                if wanted:
                    raise Failure(f"{server} keeps back the record of match {min(wanted)}", DID_NOT_HOLD)

            yield Published(entries, schedule, records)
        except grpc.RpcError as error:
            raise failure(error, server) from None
        finally:
            call.cancel()
