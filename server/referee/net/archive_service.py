"""ArchiveService: matches found by what happened in them, and the logs of hosted bots for those who may see them.

What callers without a token read has its own threads and few places, as in `watch_service.py`. A log is for the bot's
author and the host: it needs the bot's own token or the admin's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpc

from arena import results
from arena.v1 import archive_pb2 as pb
from arena.v1.result_pb2 import Termination
from referee.hall.tokens import Tokens
from referee.match.seat_log import SeatLog
from referee.net.anonymous_reads import Reads
from referee.net.bearer import bearer_token, lookups
from referee.net.guard import Refusal
from referee.net.states import MATCH_STATES
from referee.net.watch_service import MOST_MATCHES, match_info
from referee.store import MatchQuery, NamedMatch, Role, Store, Unknown
from referee.store.match_search import OVER

STATES = {number: state for state, number in MATCH_STATES.items()}
FAULTS: dict[int, str] = {number: word for word, number in results.NUMBERS.items() if word not in ("finished", "void")}
NOT_YOURS = Refusal(
    grpc.StatusCode.UNAUTHENTICATED, "a bot's log is for its author and the host: give that bot's token, or the admin's"
)
NO_MATCH = Refusal(grpc.StatusCode.NOT_FOUND, "there is no match of that name")


class ArchiveService:
    """Read-only."""

    def __init__(self, store: Store, tokens: Tokens) -> None:
        self._store = store
        self._tokens = tokens
        self._reads = Reads()

    def close(self) -> None:
        """Read nothing more."""
        self._reads.close()

    async def FindMatches(self, request: pb.FindMatchesRequest, context: Any) -> pb.FindMatchesResponse:  # noqa: N802
        query = _query(request)
        limit = min(request.limit or 100, MOST_MATCHES)

        def read() -> pb.FindMatchesResponse:
            if request.match_id:
                if (one := self._store.matches.named(request.match_id)) is None:
                    raise NO_MATCH
                return pb.FindMatchesResponse(matches=self._found([one]), total=1)
            found, total = self._store.matches.search(query, request.offset, limit)
            return pb.FindMatchesResponse(matches=self._found(found), total=total)

        with self._reads.place(context):
            try:
                return await self._reads.run(read)
            except Unknown as error:
                raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    def _found(self, found: Sequence[NamedMatch]) -> list[pb.FoundMatch]:
        reasons = self._store.rounds.reasons([one.match for one in found])
        return [_found(one, why) for one, why in zip(found, reasons, strict=True)]

    async def GetBotLogs(self, request: pb.GetBotLogsRequest, context: Any) -> pb.GetBotLogsResponse:  # noqa: N802
        token, peer = bearer_token(context), context.peer()
        with lookups():
            host = await self._tokens.is_admin(token, peer, Role.HELPER)
            author = None if host else await self._tokens.authenticate(token, peer)
        if not host and author is None:
            raise NOT_YOURS

        def read() -> pb.GetBotLogsResponse:
            named = self._store.matches.named(request.match_id)
            if named is None:
                raise NO_MATCH
            owner = None if host else self._store.bots.get(author or "").id
            own = {seat.seat for seat in named.match.seats if host or seat.bot == owner}
            logs = [log for log in self._store.matches.logs(named.match.id) if log.seat in own]
            return pb.GetBotLogsResponse(logs=[_log(SeatLog.from_bytes(log.seat, log.body)) for log in logs])

        with self._reads.place(context):
            return await self._reads.run(read)


def _query(request: pb.FindMatchesRequest) -> MatchQuery:
    if (request.won or request.lost) and not request.bot:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, "who has won or lost: name the bot")
    if unknown := [number for number in request.states if number not in STATES]:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, f"there is no state {unknown[0]} of a match")
    return MatchQuery(
        request.tournament,
        request.game,
        request.bot,
        request.won,
        request.lost,
        request.faulted,
        _fault(request.fault),
        request.reason,
        tuple(STATES[number] for number in request.states) or OVER,
    )


def _fault(number: Termination.ValueType) -> str:
    """The word that the store has for it; empty: however the seats ended."""
    if number and number not in FAULTS:
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, f"there is no fault {number} of a seat")
    return FAULTS[number] if number else ""


def _log(log: SeatLog) -> pb.BotLog:
    lines = [pb.BotLogLine(decision=decision, shared=shared, text=text) for decision, shared, text in log.lines]
    return pb.BotLog(seat=log.seat, lines=lines, left_out=log.left_out)


def _found(one: NamedMatch, why: str) -> pb.FoundMatch:
    match = one.match
    return pb.FoundMatch(
        info=match_info(match, one.tournament),
        tournament=one.tournament,
        attempt=match.attempt,
        reason=match.reason,
        started_ms=match.started or 0,
        finished_ms=match.finished or 0,
        decisions=[seat.decisions for seat in match.seats],
        strikes=[seat.strikes for seat in match.seats],
        time_ms=[seat.time_ms for seat in match.seats],
        why=why,
    )
