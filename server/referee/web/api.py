"""The JSON API (`/api/v1/…`), read-only: what the pages show, for programs. `API.md` describes it.

Fields may be added and are never renamed or removed; what breaks clients would be `/api/v2`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from referee import __version__
from referee.analysis.replay import Replay, read_match
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import Game, WrongUse
from referee.store import Bot, Entrant, MatchState, StoredMatch, Tournament, Unknown
from referee.store.match_search import MatchQuery, NamedMatch, match_name
from referee.tournament.audit.replay import DoesNotHold
from referee.web import live_match
from referee.web.answers import Body
from referee.web.live import Channel, Parts
from referee.web.live_tournament import wait_between
from referee.web.requests import Conflict, name_in, number_in, perspective_in
from referee.web.site import Site
from referee.web.streams import stream
from referee_leaderboard.standings import Standings

MOST_MATCHES = 1000
USUAL_MATCHES = 100
MOST_TOURNAMENTS_OF_A_BOT = 20
Handler = Callable[[Site, Request], Awaitable[Response]]


async def _index(site: Site, request: Request) -> Response:
    value = {"referee": __version__, "routes": [path for path, _ in ROUTES]}
    return Body.json(value).response(request)


async def _document(site: Site, request: Request) -> Response:
    text = files("referee.web").joinpath("API.md").read_text(encoding="utf-8")
    return Body.of(text, "text/markdown; charset=utf-8").response(request)


async def _tournaments(site: Site, request: Request) -> Response:
    def read() -> list[dict[str, Any]]:
        return [_tournament_value(site, one) for one in reversed(site.source.store.tournaments.all())]

    return await _shared(site, request, ("api tournaments",), read)


async def _tournament(site: Site, request: Request) -> Response:
    name = name_in(request)

    def read() -> dict[str, Any]:
        return _tournament_value(site, site.source.store.tournaments.get(name))

    return await _shared(site, request, ("api tournament", name), read)


def _tournament_value(site: Site, one: Tournament) -> dict[str, Any]:
    store = site.source.store
    counts = store.tournaments.counts(one.id)
    return {
        "name": one.name,
        "game": one.game,
        "game_version": one.game_version,
        "players": one.players,
        "state": one.state.value,
        "bots": [entrant.name for entrant in store.tournaments.entrants(one.id)],
        "matches_done": counts.total - counts.open,
        "matches_total": counts.total,
        "matches_set_aside": counts.aside,
        "matches_dealt_anew": store.tournaments.dealt_anew(one.id),
        "commitment": one.commitment,
        "root": one.root.hex() if one.root else None,
        "repeatable": one.repeatable,
        "head": store.journal.head(one.id)._asdict(),
        "created": one.created / 1000,
        "started": None if one.started is None else one.started / 1000,
        "finished": None if one.finished is None else one.finished / 1000,
    }


async def _standings(site: Site, request: Request) -> Response:
    wanted = name_in(request)
    name = await site.answers.read(lambda: site.source.find_tournament(wanted))

    async def make() -> Body:
        return Body.json((await site.source.feed(name).now()).standings.to_json_value())

    return (await site.answers.shared(request, ("api standings", name), make)).response(request)


async def _history(site: Site, request: Request) -> Response:
    name = name_in(request)

    def read() -> dict[str, Any]:
        points = site.histories.points(site.source.store.tournaments.get(name).name)
        return {
            "tournament": name,
            "points": [
                {"matches": point.matches, "ratings": {bot: list(pair) for bot, pair in point.ratings.items()}}
                for point in points
            ],
        }

    return await _shared(site, request, ("api history", name), read)


async def _schedule(site: Site, request: Request) -> Response:
    name = name_in(request)
    offset = number_in(request, "offset", 0)
    limit = number_in(request, "limit", USUAL_MATCHES, MOST_MATCHES)

    def read() -> dict[str, Any]:
        store = site.source.store
        tournament = store.tournaments.get(name)
        matches = store.matches.page(tournament.id, offset, limit)
        return {
            "tournament": name,
            "total": store.matches.total(tournament.id),
            "matches": [match_value(match_name(match, name), match) for match in matches],
        }

    return await _shared(site, request, ("api schedule", name, offset, limit), read)


def match_value(name: str, match: StoredMatch) -> dict[str, Any]:
    """A match as far as the store tells without its record."""
    return {
        "match": name,
        "game": match.game,
        "round": match.round,
        "state": match.state.value,
        "reason": match.reason,
        "started": None if match.started is None else match.started / 1000,
        "finished": None if match.finished is None else match.finished / 1000,
        "seats": [
            {
                "seat": seat.seat,
                "bot": seat.name,
                "rank": seat.rank,
                "score": seat.score,
                "fault": None if seat.fault in (None, "finished") else seat.fault,
                "decisions": seat.decisions,
                "time_ms": seat.time_ms,
                "version": seat.version,
            }
            for seat in match.seats
        ],
    }


async def _bots(site: Site, request: Request) -> Response:
    def read() -> list[dict[str, Any]]:
        return [_bot_value(bot) for bot in site.source.store.bots.all()]

    return await _shared(site, request, ("api bots",), read)


def _bot_value(bot: Bot) -> dict[str, Any]:
    return {
        "name": bot.name,
        "kind": bot.kind.value,
        "about": bot.note,
        "registered": bot.created / 1000,
        "token_renewed": None if bot.rotated is None else bot.rotated / 1000,
        "revoked": bot.revoked is not None,
    }


@dataclass(frozen=True, slots=True)
class Entry:
    """A tournament that a bot entered: under which name, and when."""

    name: str
    joined: int
    standings: Standings


@dataclass(frozen=True, slots=True)
class AboutBot:
    """A registered bot, the tournaments it entered, newest first, and its matches, newest first."""

    bot: Bot
    entered: list[Entry]
    matches: list[NamedMatch]
    total: int


async def about_bot(site: Site, name: str, first: int, limit: int) -> AboutBot:
    """What is known of a bot; Unknown if there is none of that name."""
    store = site.source.store

    def read() -> tuple[Bot, list[tuple[Entrant, str]], list[NamedMatch], int]:
        bot = store.bots.get(name)
        entered = [
            (entrant, tournament.name)
            for tournament in reversed(store.tournaments.all())
            for entrant in store.tournaments.entrants(tournament.id)
            if entrant.bot == bot.id
        ]
        try:
            matches, total = store.matches.search(MatchQuery(bot=name), first, limit)
        except Unknown:  # it sits in no match
            matches, total = [], 0
        return bot, entered[:MOST_TOURNAMENTS_OF_A_BOT], matches, total

    bot, entered, matches, total = await site.answers.read(read)
    entries = [
        Entry(entrant.name, entrant.joined, (await site.source.feed(where).now()).standings)
        for entrant, where in entered
    ]
    return AboutBot(bot, entries, matches, total)


async def _bot(site: Site, request: Request) -> Response:
    name = name_in(request)
    offset = number_in(request, "offset", 0)
    limit = number_in(request, "limit", USUAL_MATCHES, MOST_MATCHES)

    async def make() -> Body:
        about = await about_bot(site, name, offset, limit)
        tournaments = []
        for entry in about.entered:
            rows = entry.standings.to_json_value()["rows"]
            row = next((row for row in rows if row["bot"] == entry.name), None)
            where, joined = entry.standings.tournament, entry.joined / 1000
            tournaments.append({"tournament": where, "as": entry.name, "joined": joined, "standing": row})
        matches = [match_value(named.name, named.match) for named in about.matches]
        versions = [
            {
                "version": one.number,
                "state": one.state.value,
                "sha256": one.digest,
                "submitted": one.created / 1000,
                **asdict(results),
            }
            for one, results in await site.answers.read(lambda: site.source.versions(about.bot))
        ]
        return Body.json(
            _bot_value(about.bot)
            | {"tournaments": tournaments, "matches_total": about.total, "matches": matches, "versions": versions}
        )

    return (await site.answers.shared(request, ("api bot", name, offset, limit), make)).response(request)


async def _match(site: Site, request: Request) -> Response:
    name = name_in(request)
    running = await site.source.running.find(name)
    stored = await site.answers.read(lambda: site.source.find_match(name))
    if stored is None and running is None:
        raise HTTPException(404, f"there is no match {name}")
    value: dict[str, Any] = {"match": name} if stored is None else match_value(name, stored)
    if running is not None:
        shown = await site.shown.followed(running)
        value |= {"game": running.game.name, "bots": list(running.names), "live": shown.to_value()}
    return Body.json(value).response(request)


def refuse_hidden(request: Request) -> None:
    """Conflict if more than the public's view of a running match is asked for."""
    if request.query_params.get("seat", "public") != "public" or "step" in request.query_params:
        raise Conflict("the match is being played: until it is over, only the public's view is shown")


async def check_over(site: Site, name: str) -> int:
    """How many sat in a match that is over and has a record; else Conflict or 404."""
    if site.people is not None and (seats := site.people.players(name)):
        return seats
    stored = await site.answers.read(lambda: site.source.find_match(name))
    if stored is None:
        raise HTTPException(404, f"there is no match {name}")
    if site.source.is_running(name, stored):
        raise Conflict("the match is being played: until it is over, only the public's view is shown")
    if stored.state is not MatchState.FINISHED:
        raise Conflict(f"there is nothing to see of this match: it is {stored.state.value}")
    return len(stored.seats)


def recorded(site: Site, name: str) -> Replay:
    """The steps of a match that is over; takes its time, and belongs into a thread."""
    try:
        return Replay(read_match(record_of(site, name)))
    except (DoesNotHold, WrongUse) as error:
        raise Conflict(f"the match cannot be replayed: {error}") from None


def record_of(site: Site, name: str) -> bytes:
    """The record of a match that is over, as it was stored."""
    data = None if site.people is None else site.people.record(name)
    if data is None:
        stored = site.source.find_match(name)
        data = None if stored is None else site.source.store.matches.record(stored.id)
    if data is None:
        raise HTTPException(404, f"there is no record of the match {name}")
    return data


async def _replay(site: Site, request: Request) -> Response:
    name = name_in(request)
    perspective = perspective_in(request, await check_over(site, name))

    async def make() -> Body:
        return await site.answers.read(lambda: Body.json(recorded(site, name).to_value(perspective)))

    return (await site.answers.settled(request, ("api replay", name, perspective.word), make)).response(request)


async def _record(site: Site, request: Request) -> Response:
    name = name_in(request)
    await check_over(site, name)
    record = await site.answers.read(lambda: record_of(site, name))
    return Body.of(record, "application/json").response(request)


async def _games(site: Site, request: Request) -> Response:
    def read() -> list[dict[str, Any]]:
        return [_game_value(game) for game in registry.all_games()]

    return await _shared(site, request, ("api games",), read)


async def _game(site: Site, request: Request) -> Response:
    game = registry.find(name_in(request))
    return await _shared(site, request, ("api game", game.name), lambda: _game_value(game) | {"rules": game.rules()})


def _game_value(game: Game[Any]) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "least_players": game.seats.least,
        "most_players": game.seats.most,
        "lower_is_better": game.lower_is_better,
        "options": {name: {"default": option.default, "about": option.about} for name, option in game.options.items()},
        "house_bots": folders.names(game.name, inside=True),
    }


async def _standings_events(site: Site, request: Request) -> Response:
    wanted = name_in(request)
    name = await site.answers.read(lambda: site.source.find_tournament(wanted))
    feed = site.source.feed(name)

    async def show() -> Parts:
        return {"standings": (await feed.now()).standings.to_json_value()}

    channel = site.channels.channel(
        ("api standings", name), lambda: Channel(show, wait_between(feed), site.channels.wakeups)
    )
    return stream(site, request, channel)


async def _match_events(site: Site, request: Request) -> Response:
    name = name_in(request)
    running = await site.source.running.find(name)
    if running is None:
        await check_over(site, name)
        return Response(status_code=204)
    return stream(site, request, live_match.channel(site, running, "value"))


async def _shared(site: Site, request: Request, key: tuple[Any, ...], read: Callable[[], Any]) -> Response:
    async def make() -> Body:
        return await site.answers.read(lambda: Body.json(read()))

    return (await site.answers.shared(request, key, make)).response(request)


ROUTES: tuple[tuple[str, Handler], ...] = (
    ("/api/v1", _index),
    ("/api/v1/API.md", _document),
    ("/api/v1/tournaments", _tournaments),
    ("/api/v1/tournaments/{name:path}", _tournament),
    ("/api/v1/standings", _standings),
    ("/api/v1/standings/{name:path}", _standings),
    ("/api/v1/history/{name:path}", _history),
    ("/api/v1/schedule/{name:path}", _schedule),
    ("/api/v1/bots", _bots),
    ("/api/v1/bots/{name:path}", _bot),
    ("/api/v1/matches/{name:path}", _match),
    ("/api/v1/replays/{name:path}", _replay),
    ("/api/v1/records/{name:path}", _record),
    ("/api/v1/games", _games),
    ("/api/v1/games/{name:path}", _game),
    ("/api/v1/events/standings/{name:path}", _standings_events),
    ("/api/v1/events/matches/{name:path}", _match_events),
)
