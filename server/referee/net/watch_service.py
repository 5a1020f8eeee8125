"""TournamentService: what everybody may watch.

Nothing here shares a thread with logging in or with running tournaments (see `anonymous_reads.py`). Whatever many ask
for at the same time is made once for all of them.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc

from arena.v1 import tournament_pb2 as pb
from referee.hall.director import Director
from referee.hall.hall import Hall
from referee.hall.places import Places
from referee.hall.single_flight import Shared
from referee.hall.standings_feed import Showcase
from referee.hosting.bot import folders
from referee.match.result import Termination
from referee.net.anonymous_reads import Reads
from referee.net.broadcast import Broadcasts
from referee.net.guard import Refusal
from referee.net.limits import Limits
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Match, MatchState, Store, Tournament, Unknown

MOST_MATCHES = 1000
WATCHERS_RETRY_MS = 10_000
LONGEST_NUMBER = 12
"""Digits in the number of a match; longer ones fit no database."""


class WatchService:
    """Read-only; needs no token."""

    def __init__(self, store: Store, director: Director, hall: Hall, limits: Limits) -> None:
        self._store = store
        self._director = director
        self._hall = hall
        self._reads = Reads()
        self._games = Shared(lambda: self._reads.run(_games))
        self._tournaments = Shared(lambda: self._reads.run(self._list_tournaments))
        self._broadcasts = Broadcasts(hall, director.usher)
        # Each costs the server something with everything that happens.
        self._watchers = Places(
            limits.watchers,
            limits.watchers_per_address,
            _too_many(f"{limits.watchers} watch already"),
            _too_many(f"{limits.watchers_per_address} from your address watch already"),
        )

    def close(self) -> None:
        """Read nothing more."""
        self._reads.close()

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:  # noqa: N802
        with self._reads.place(context):
            return await self._games.now()

    async def ListTournaments(  # noqa: N802
        self, request: pb.ListTournamentsRequest, context: Any
    ) -> pb.ListTournamentsResponse:
        with self._reads.place(context):
            return await self._tournaments.now()

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> pb.GetStandingsResponse:  # noqa: N802
        with self._reads.place(context):
            shown = await (await self._showcase(request.tournament)).now()
            return pb.GetStandingsResponse(standings_json=shown.json)

    async def WatchStandings(  # noqa: N802
        self, request: pb.WatchStandingsRequest, context: Any
    ) -> AsyncIterator[bytes]:
        with self._watchers.one(context.peer()):
            with self._reads.place(context):
                showcase = await self._showcase(request.tournament)
            async with aclosing(showcase.watch()) as watching:
                async for shown in watching:
                    yield shown.message

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:  # noqa: N802
        limit = min(request.limit or 100, MOST_MATCHES)

        def read() -> pb.ListMatchesResponse:
            tournament = self._store.tournaments.get(request.tournament)
            found = self._store.matches.page(tournament.id, request.offset, limit)
            return pb.ListMatchesResponse(
                matches=[_match_info(match, tournament.name) for match in found],
                total=self._store.matches.total(tournament.id),
            )

        with self._reads.place(context):
            try:
                return await self._reads.run(read)
            except Unknown as error:
                raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    async def GetRecord(self, request: pb.GetRecordRequest, context: Any) -> pb.GetRecordResponse:  # noqa: N802
        def read() -> bytes | None:
            number = self._number(request.match)
            return None if number is None else self._store.matches.record(number)

        with self._reads.place(context):
            record = await self._reads.run(read)
        if record is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no finished match of that name")
        return pb.GetRecordResponse(record=record)

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Any) -> AsyncIterator[bytes]:  # noqa: N802
        match = self._hall.matches.get(request.match)
        if match is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "no match of that name is being played")
        with self._watchers.one(context.peer()):
            async with aclosing(self._broadcasts.watch(match)) as watching:
                async for message in watching:
                    yield message

    async def _showcase(self, tournament: str) -> Showcase:
        try:
            return self._director.showcase(await self._reads.run(lambda: self._director.look_up(tournament)))
        except (Unknown, WrongUse) as error:
            raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    def _list_tournaments(self) -> pb.ListTournamentsResponse:
        tournaments = reversed(self._store.tournaments.all())
        return pb.ListTournamentsResponse(tournaments=[self._info(tournament) for tournament in tournaments])

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
            repeatable=tournament.repeatable,
            seed_text=tournament.seed_text or "",
            salt=tournament.salt.hex() if tournament.salt else "",
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
        match = self._store.matches.numbered(tournament.id, int(number))
        return match.id if match is not None and match.state is MatchState.FINISHED else None


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
        terminations=[seat.fault or Termination.FINISHED.code for seat in match.seats] if over else [],
        reason=match.reason,
    )


def _games() -> pb.ListGamesResponse:
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


def _too_many(what: str) -> Refusal:
    return Refusal(
        grpc.StatusCode.RESOURCE_EXHAUSTED, f"{what}; try again when some have left", retry_ms=WATCHERS_RETRY_MS
    )
