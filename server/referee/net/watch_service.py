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

from arena import results
from arena.v1 import tournament_pb2 as pb
from arena.v1.result_pb2 import MatchResult
from referee.hall.director import Director
from referee.hall.hall import Hall
from referee.hall.places import Places
from referee.hall.single_flight import SingleFlight
from referee.hall.standings_feed import StandingsFeed, StandingsSnapshot
from referee.hosting.bot import folders
from referee.net import messages
from referee.net.anonymous_reads import Reads
from referee.net.broadcast import Broadcasts
from referee.net.exported import Exported
from referee.net.finished_match import final_view, record_message
from referee.net.guard import Refusal
from referee.net.limits import Limits
from referee.net.states import MATCH_STATES, TOURNAMENT_STATES
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.rules.record import ReplayError
from referee.store import DamagedRow, MatchState, Store, StoredMatch, Tournament, Unknown
from referee.store.match_search import match_name
from referee.tournament import nonces
from referee.tournament.moderation import told

MOST_MATCHES = 1000
MOST_EXPORTS = 16
MOST_EXPORTS_PER_ADDRESS = 4
"""Each keeps one of few threads busy for as long as it lasts."""
WATCHERS_RETRY_MS = 10_000


class WatchService:
    """Read-only; needs no token."""

    def __init__(self, store: Store, director: Director, hall: Hall, limits: Limits) -> None:
        self._store = store
        self._director = director
        self._hall = hall
        self._reads = Reads()
        self._games = SingleFlight(lambda: self._reads.run(_games))
        self._tournaments = SingleFlight(lambda: self._reads.run(self._list_tournaments))
        self._broadcasts = Broadcasts(hall, director.wakeups)
        self._exports = Places(
            MOST_EXPORTS,
            MOST_EXPORTS_PER_ADDRESS,
            _too_many(f"{MOST_EXPORTS} exports are under way already"),
            _too_many(f"{MOST_EXPORTS_PER_ADDRESS} exports to your address are under way already"),
        )
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

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Any) -> bytes:  # noqa: N802
        with self._reads.place(context):
            shown = await (await self._feed(request.tournament)).now()
            return shown.message

    async def WatchStandings(  # noqa: N802
        self, request: pb.WatchStandingsRequest, context: Any
    ) -> AsyncIterator[bytes]:
        with self._watchers.one(context.peer()):
            with self._reads.place(context):
                feed = await self._feed(request.tournament)
            seen: StandingsSnapshot | None = None
            async with aclosing(feed.watch(with_changes=request.changes)) as watching:
                async for shown in watching:
                    yield shown.message_after(seen) if request.changes else shown.message
                    seen = shown

    async def ListMatches(self, request: pb.ListMatchesRequest, context: Any) -> pb.ListMatchesResponse:  # noqa: N802
        limit = min(request.limit or 100, MOST_MATCHES)

        def read() -> pb.ListMatchesResponse:
            if not request.tournament:
                return pb.ListMatchesResponse(
                    matches=[match_info(match) for match in self._store.matches.practice_page(request.offset, limit)],
                    total=self._store.matches.practice_total(),
                )
            tournament = self._store.tournaments.get(request.tournament)
            found = self._store.matches.page(tournament.id, request.offset, limit)
            return pb.ListMatchesResponse(
                matches=[match_info(match, tournament.name) for match in found],
                total=self._store.matches.total(tournament.id),
            )

        with self._reads.place(context):
            try:
                return await self._reads.run(read)
            except Unknown as error:
                raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None

    async def GetRecord(self, request: pb.GetRecordRequest, context: Any) -> pb.GetRecordResponse:  # noqa: N802
        def read() -> pb.GetRecordResponse | None:
            match = self._find(request.match_id)
            record = None if match is None else self._store.matches.record(match.id)
            return None if record is None else pb.GetRecordResponse(record_json=record, record=record_message(record))

        with self._reads.place(context):
            try:
                answer = await self._reads.run(read)
            except DamagedRow as error:
                raise Refusal(grpc.StatusCode.DATA_LOSS, str(error)) from None
        if answer is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no finished match of that name")
        return answer

    async def WatchMatch(self, request: pb.WatchMatchRequest, context: Any) -> AsyncIterator[bytes]:  # noqa: N802
        match = self._hall.matches.get(request.match_id)
        if match is None:
            with self._reads.place(context):
                end = await self._reads.run(lambda: self._end(request.match_id))
            yield end
            return
        with self._watchers.one(context.peer()):
            async with aclosing(self._broadcasts.watch(match)) as watching:
                async for message in watching:
                    yield message

    async def ExportTournament(  # noqa: N802
        self, request: pb.ExportTournamentRequest, context: Any
    ) -> AsyncIterator[pb.ExportTournamentResponse]:
        def begin() -> Exported:
            tournament = self._store.tournaments.get(request.tournament)
            return Exported(self._store, tournament, records=not request.without_records)

        with self._exports.one(context.peer()), self._reads.place(context):
            try:
                pieces = (await self._reads.run(begin)).pieces()
            except Unknown as error:
                raise Refusal(grpc.StatusCode.NOT_FOUND, str(error)) from None
            while (piece := await self._reads.run(lambda: next(pieces, None))) is not None:
                yield piece

    async def _feed(self, tournament: str) -> StandingsFeed:
        try:
            return self._director.feed(await self._reads.run(lambda: self._director.look_up(tournament)))
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
            state=TOURNAMENT_STATES[tournament.state],
            matches_done=counts.total - counts.open,
            matches_set_aside=counts.aside,
            matches_dealt_anew=self._store.tournaments.dealt_anew(tournament.id),
            matches_total=counts.total,
            bots=[entrant.name for entrant in self._store.tournaments.entrants(tournament.id)],
            commitment=tournament.commitment,
            root=tournament.root.hex() if tournament.root else "",
            repeatable=tournament.repeatable,
            seed_text=tournament.seed_text or "",
            salt=tournament.salt.hex() if tournament.salt else "",
            settings_json=json.dumps(dict(tournament.settings)),
            nonces=[
                pb.NonceDraw(
                    draw=draw.draw,
                    first_match=draw.first,
                    entrants=messages.entrant_nonces(draw.entrants),
                    digest=nonces.digest(tournament.name, draw).hex(),
                )
                for draw in self._store.nonces.draws(tournament.id)
            ],
            rulings=[told(ruling) for ruling in self._store.rulings.all(tournament.id)],
            stage=self._store.rounds.stage(tournament.id),
            head=messages.chain_head(tournament.name, self._store.journal.head(tournament.id)),
        )

    def _end(self, name: str) -> bytes:
        """The last state of a match that is over; a Refusal says why there is none."""
        match = self._find(name)
        if match is None:
            raise Refusal(grpc.StatusCode.NOT_FOUND, "there is no match of that name")
        record = self._store.matches.record(match.id)
        if record is None:
            raise Refusal(
                grpc.StatusCode.FAILED_PRECONDITION, f"there is nothing to see of this match: it is {match.state.value}"
            )
        try:
            return final_view(record).SerializeToString()
        except (WrongUse, ReplayError) as error:
            raise Refusal(grpc.StatusCode.FAILED_PRECONDITION, f"the match cannot be shown: {error}") from None

    def _find(self, name: str) -> StoredMatch | None:
        """The match named `tournament/ordinal` or `practice/number`."""
        named = self._store.matches.named(name)
        return None if named is None else named.match


def match_info(match: StoredMatch, tournament: str = "") -> pb.MatchInfo:
    """Of a match of this tournament, or of a practice match."""
    over = match.state is MatchState.FINISHED
    return pb.MatchInfo(
        match_id=match_name(match, tournament),
        round=match.round or 0,
        table=match.table or 0,
        state=MATCH_STATES[match.state],
        bots=[seat.name for seat in match.seats],
        result=_result(match) if over else None,
        game=match.game,
    )


def _result(match: StoredMatch) -> MatchResult:
    """How a finished match ended, as far as the store tells without reading its record."""
    seats = match.seats
    return results.message(
        [seat.rank or 0 for seat in seats],
        [seat.score or 0 for seat in seats],
        [seat.fault or "finished" for seat in seats],
        ["" for _ in seats],
        match.reason,
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
        for game in registry.all_games()
    ]
    return pb.ListGamesResponse(games=games)


def _too_many(what: str) -> Refusal:
    return Refusal(
        grpc.StatusCode.RESOURCE_EXHAUSTED, f"{what}: try again when some have left", retry_ms=WATCHERS_RETRY_MS
    )
