"""TournamentService: what everybody may watch."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import grpc

from arena.v1 import tournament_pb2 as pb
from referee.hosting import folders
from referee.net.director import Director
from referee.net.hall import Hall
from referee.net.serving import Refusal
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Fault, Match, MatchState, Store, Tournament, Unknown

T = TypeVar("T")
MOST_MATCHES = 1000
MOST_WATCHERS = 2000
"""So many may watch standings and matches at a time: each costs the server something with everything that happens."""
LONGEST_NUMBER = 12
"""Digits in the number of a match; longer ones fit no database."""


class WatchService:
    """Read-only; needs no token."""

    def __init__(self, store: Store, director: Director, hall: Hall) -> None:
        self._store = store
        self._director = director
        self._hall = hall
        self._watchers = 0

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:  # noqa: N802
        games = [
            pb.GameInfo(
                name=game.name,
                title=game.title,
                version=game.version,
                least_players=game.seats.least,
                most_players=game.seats.most,
                house_bots=folders.names(game.name, inside=True),
            )
            for game in registry.everything()
        ]
        return pb.ListGamesResponse(games=games)

    async def ListTournaments(  # noqa: N802
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        def read() -> list[pb.TournamentInfo]:
            return [self._info(tournament) for tournament in reversed(self._store.tournaments.all())]

        return pb.ListTournamentsResponse(tournaments=await _thread(read))

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> pb.GetStandingsResponse:  # noqa: N802
        try:
            standings = await self._director.standings_json(request.tournament)
        except (Unknown, WrongUse) as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
        return pb.GetStandingsResponse(standings_json=standings)

    async def WatchStandings(  # noqa: N802
        self, request: pb.WatchStandingsRequest, context: Any
    ) -> AsyncIterator[pb.WatchStandingsResponse]:
        with self._watching():
            try:
                async for standings in self._director.watch(request.tournament):
                    yield pb.WatchStandingsResponse(standings_json=standings)
            except (Unknown, WrongUse) as error:
                raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:  # noqa: N802
        limit = min(request.limit or 100, MOST_MATCHES)

        def read() -> pb.ListMatchesResponse:
            tournament = self._store.tournaments.get(request.tournament)
            found = []
            for match in self._store.matches.in_schedule_order(tournament.id, after=request.offset - 1):
                found.append(_match_info(match, tournament.name))
                if len(found) >= limit:
                    break
            return pb.ListMatchesResponse(matches=found, total=self._store.tournaments.counts(tournament.id).total)

        try:
            return await _thread(read)
        except Unknown as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    async def GetRecord(self, request: pb.GetRecordRequest, context: Any) -> pb.GetRecordResponse:  # noqa: N802
        def read() -> bytes | None:
            number = self._number(request.match)
            return None if number is None else self._store.matches.record(number)

        record = await _thread(read)
        if record is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no finished match of that name")
        return pb.GetRecordResponse(record=record)

    async def WatchMatch(  # noqa: N802
        self, request: pb.WatchMatchRequest, context: Any
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        match = self._hall.matches.get(request.match)
        if match is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "no match of that name is being played")
        with self._watching():
            moved = self._hall.watch(match.id)
            descriptor = match.view_descriptor
            try:
                while True:
                    moved.clear()
                    table = match.table
                    yield pb.WatchMatchResponse(
                        view=table.state.view_bytes(None),
                        view_type=match.view_type,
                        view_descriptor=descriptor,
                        scores=table.state.scores(),
                        decisions=table.decisions,
                        over=match.ending is not None,
                    )
                    if match.ending is not None:
                        return
                    descriptor = b""  # once is enough
                    await moved.wait()
            finally:
                self._hall.unwatch(match.id, moved)

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """One of those who watch, as long as there is room."""
        if self._watchers >= MOST_WATCHERS:
            raise Refusal(
                grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MOST_WATCHERS} watch already; try again when some have left"
            )
        self._watchers += 1
        try:
            yield
        finally:
            self._watchers -= 1

    def _info(self, tournament: Tournament) -> pb.TournamentInfo:
        counts = self._store.tournaments.counts(tournament.id)
        return pb.TournamentInfo(
            name=tournament.name,
            game=tournament.game,
            players=tournament.players,
            state=tournament.state.value,
            matches_done=counts.total - counts.open,
            matches_set_aside=counts.aside,
            matches_total=counts.total,
            bots=[entrant.name for entrant in self._store.tournaments.entrants(tournament.id)],
            commitment=tournament.commitment,
            root=tournament.root.hex() if tournament.root else "",
            settings_json=json.dumps(dict(tournament.settings)),
        )

    def _number(self, name: str) -> int | None:
        """The store's number of a match named `tournament/ordinal` or `practice/number`."""
        where, _, number = name.rpartition("/")
        if not number.isascii() or not number.isdecimal() or len(number) > LONGEST_NUMBER:
            return None
        if where == "practice":
            return int(number)
        tournament = self._store.tournaments.find(where)
        if tournament is None:
            return None
        for match in self._store.matches.in_schedule_order(tournament.id, [MatchState.FINISHED], int(number) - 1):
            return match.id if match.ordinal == int(number) else None
        return None


def _match_info(match: Match, tournament: str) -> pb.MatchInfo:
    over = match.state is MatchState.FINISHED
    return pb.MatchInfo(
        match=f"{tournament}/{match.ordinal}",
        round=match.round or 0,
        table=match.table or 0,
        state=match.state.value,
        bots=[seat.name for seat in match.seats],
        ranks=[seat.rank or 0 for seat in match.seats] if over else [],
        scores=[seat.score or 0 for seat in match.seats] if over else [],
        terminations=[str(seat.fault or Fault.FINISHED) for seat in match.seats] if over else [],
        reason=match.reason,
    )


async def _thread(work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(None, work)
