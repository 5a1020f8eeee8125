"""The web application: routes, and what becomes of errors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from referee.hall.database_faults import fault_of, for_strangers
from referee.hall.places import PlacesTaken
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import DiskFull, MatchState, StoreError, Unknown
from referee.web import api, invitations, live_match, live_tournament, submissions
from referee.web.answers import HTML, Body
from referee.web.pages import bots as bot_pages
from referee.web.pages import games as game_pages
from referee.web.pages import match as match_pages
from referee.web.pages import tournaments as tournament_pages
from referee.web.pages.layout import problem
from referee.web.play import pages as play_pages
from referee.web.requests import Conflict, name_in, number_in, perspective_in
from referee.web.security import SecurityHeaders
from referee.web.site import Site
from referee.web.streams import stream

log = structlog.get_logger()
LONG = "public, max-age=31536000, immutable"
SVG = "image/svg+xml"
Handler = Callable[[Site, Request], Awaitable[Response]]

__all__ = ["Site", "make_app"]


def make_app(site: Site) -> Starlette:
    """The application; `site` holds all that it knows."""

    def at(path: str, handler: Handler, *methods: str) -> Route:
        async def answer(request: Request) -> Response:
            return await handler(site, request)

        return Route(path, answer, methods=list(methods) or ["GET"])

    routes = [
        at("/", _tournaments),
        at("/tournaments", _home),
        at("/tournaments/{name:path}", _tournament),
        at("/wall", _wall),
        at("/wall/{name:path}", _wall),
        at("/bots", _bots),
        at("/bots/{name:path}", _bot),
        at("/games", _games),
        at("/games/{name:path}", _game),
        at("/connect", _connect),
        at("/matches/{name:path}", _match),
        at("/pictures/{name:path}", _picture),
        at("/live/tournaments/{name:path}", _live_tournament),
        at("/live/matches/{name:path}", _live_match),
        at("/static/{version}/{name}", _static),
        at("/favicon.ico", _icon),
        at("/robots.txt", _robots),
        at("/health", _health),
        at("/metrics", _metrics),
        *[at(path, handler) for path, handler in api.ROUTES],
        *[
            at(path, handler, method)
            for path, method, handler in (*submissions.ROUTES, *invitations.ROUTES, *play_pages.ROUTES)
        ],
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(SecurityHeaders)],
        exception_handlers={
            HTTPException: _handler(site, _told),
            Unknown: _handler(site, lambda error: (404, _sentence(error))),
            WrongUse: _handler(site, lambda error: (404, _sentence(error))),
            Conflict: _handler(site, lambda error: (409, _sentence(error))),
            PlacesTaken: _handler(site, lambda error: (503, _sentence(error))),
            StoreError: _handler(site, _fault),
            OSError: _handler(site, _fault),
            Exception: _handler(site, _unexpected),
        },
    )


# Pages.


async def _tournaments(site: Site, request: Request) -> Response:
    return await _shared(site, request, lambda: tournament_pages.all_tournaments(site))


async def _home(site: Site, request: Request) -> Response:
    return RedirectResponse("/")


async def _tournament(site: Site, request: Request) -> Response:
    name = await _named(site, request)
    view = request.query_params.get("view") or "standings"
    if view not in tournament_pages.TITLES:
        raise HTTPException(404, f"there is no view {view!r}: there are {', '.join(tournament_pages.TITLES)}")
    first = number_in(request, "first", 0)

    async def make() -> Body:
        standings = (await site.source.feed(name).now()).standings

        def draw() -> str:
            listed = tournament_pages.schedule(site, name, first) if view == "schedule" else None
            if view == "events":
                listed = tournament_pages.events(site, name)
            parts = live_tournament.parts(site, standings, view)
            return tournament_pages.one_tournament(site, name, view, parts, listed, drawn=bool(standings.format.name))

        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.shared(request, ("tournament", name, view, first), make)).response(request)


async def _wall(site: Site, request: Request) -> Response:
    name = await _named(site, request)

    async def make() -> Body:
        standings = (await site.source.feed(name).now()).standings

        def draw() -> str:
            return tournament_pages.wall(site, name, live_tournament.parts(site, standings, "wall"))

        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.shared(request, ("wall", name), make)).response(request)


async def _bots(site: Site, request: Request) -> Response:
    return await _shared(site, request, lambda: bot_pages.all_bots(site, site.source.store.bots.all()))


async def _bot(site: Site, request: Request) -> Response:
    name, first = name_in(request), number_in(request, "first", 0)

    async def make() -> Body:
        about = await api.about_bot(site, name, first, bot_pages.MOST_MATCHES)

        def draw() -> str:
            entered = [
                bot_pages.Entered(
                    one.name,
                    one.joined,
                    one.standings,
                    site.histories.points(one.standings.tournament),
                    site.histories.versions(one.standings.tournament, one.name),
                )
                for one in about.entered
            ]
            versions = site.source.versions(about.bot)
            return bot_pages.one_bot(site, about.bot, entered, about.matches, about.total, first, versions)

        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.shared(request, ("bot", name, first), make)).response(request)


async def _games(site: Site, request: Request) -> Response:
    return await _settled(site, request, lambda: game_pages.all_games(site))


async def _game(site: Site, request: Request) -> Response:
    game = registry.find(name_in(request))
    return await _settled(site, request, lambda: game_pages.one_game(site, game))


async def _connect(site: Site, request: Request) -> Response:
    return await _settled(site, request, lambda: game_pages.connect(site))


async def _match(site: Site, request: Request) -> Response:
    name = name_in(request)
    embed = "embed" in request.query_params
    running = await site.source.running.find(name)
    if running is not None:
        shown = await site.shown.followed(running)
        return Body.of(match_pages.live(site, shown, embed), HTML).response(request)
    players = 0 if site.people is None else site.people.players(name)
    if not players:
        stored = await site.answers.read(lambda: site.source.find_match(name))
        if stored is None:
            raise HTTPException(404, f"there is no match {name}")
        if stored.state is not MatchState.FINISHED:
            text = match_pages.NOT_THERE[stored.state].format(reason=stored.reason)
            return Body.of(match_pages.waiting(site, name, stored, text), HTML).response(request)
        players = len(stored.seats)
    perspective = perspective_in(request, players)
    step = number_in(request, "step", 0)

    async def make() -> Body:
        def draw() -> str:
            recorded = api.recorded(site, name)
            return match_pages.replay(site, name, recorded, perspective, step, embed)

        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.settled(request, ("replay page", name, perspective, step, embed), make)).response(
        request
    )


async def _picture(site: Site, request: Request) -> Response:
    """A board as SVG: of a running match the public's, of one that is over any decision as any seat saw it."""
    name = name_in(request)
    running = await site.source.running.find(name)
    if running is not None:
        api.refuse_hidden(request)
        shown = await site.shown.followed(running)
        return Body.of(shown.picture(), SVG).response(request)
    await api.check_over(site, name)
    number, word = number_in(request, "step", 0), request.query_params.get("seat", "public")

    async def make() -> Body:
        def draw() -> str:
            replay = api.recorded(site, name)
            seat = perspective_in(request, replay.match.players).seat
            if number >= len(replay):
                raise HTTPException(404, f"the match has {len(replay) - 1} decisions, and none of the number {number}")
            return replay.match.game.picture(replay[number].view(seat), names=replay.match.names)

        return Body.of(await site.answers.read(draw), SVG)

    return (await site.answers.settled(request, ("picture", name, number, word), make)).response(request)


# Streams.


async def _live_tournament(site: Site, request: Request) -> Response:
    view = request.query_params.get("view") or "standings"
    if view not in live_tournament.VIEWS:
        raise HTTPException(404, f"there is no view {view!r}")
    return stream(site, request, live_tournament.channel(site, await _named(site, request), view))


async def _live_match(site: Site, request: Request) -> Response:
    name = name_in(request)
    running = await site.source.running.find(name)
    if running is None:
        await api.check_over(site, name)
        return Response(status_code=204)  # over: browsers do not connect again after this
    return stream(site, request, live_match.channel(site, running, "parts"))


# Files and figures.


async def _static(site: Site, request: Request) -> Response:
    asset = site.assets.get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404, "there is no such file")
    fresh = request.path_params["version"] == site.version
    return Response(
        asset.content, media_type=asset.media_type, headers={"cache-control": LONG if fresh else "no-cache"}
    )


async def _icon(site: Site, request: Request) -> Response:
    return RedirectResponse(site.asset("icon.svg"))


async def _robots(site: Site, request: Request) -> Response:
    return Response("User-agent: *\nDisallow: /live/\nDisallow: /api/\n", media_type="text/plain")


async def _health(site: Site, request: Request) -> Response:
    try:
        await site.answers.read(lambda: site.source.store.fact("health"))
    except StoreError:
        return JSONResponse({"status": "the database cannot be read"}, status_code=503)
    return JSONResponse({"status": "ok"}, headers={"cache-control": "no-store"})


async def _metrics(site: Site, request: Request) -> Response:
    return Response(site.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


# What they share.


async def _named(site: Site, request: Request) -> str:
    wanted = name_in(request)
    return await site.answers.read(lambda: site.source.find_tournament(wanted))


async def _shared(site: Site, request: Request, draw: Callable[[], str]) -> Response:
    async def make() -> Body:
        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.shared(request, ("page", request.url.path), make)).response(request)


async def _settled(site: Site, request: Request, draw: Callable[[], str]) -> Response:
    async def make() -> Body:
        return Body.of(await site.answers.read(draw), HTML)

    return (await site.answers.settled(request, ("page", request.url.path), make)).response(request)


def _handler(site: Site, told: Callable[[Any], tuple[int, str]]) -> Any:
    async def handle(request: Request, error: Exception) -> Response:
        status, text = told(error)
        headers = {"retry-after": "5"} if status == 503 else {}
        if isinstance(error, HTTPException) and error.headers:
            headers |= dict(error.headers)
        if request.url.path.startswith(("/api/", "/live/", "/play/")):
            return JSONResponse({"error": text}, status_code=status, headers=headers)
        title = {404: "Not found", 503: "Not now"}.get(status, "Sorry")
        return Response(problem(site, title, text), status_code=status, media_type=HTML, headers=headers)

    return handle


def _told(error: HTTPException) -> tuple[int, str]:
    """What a handler says; where there is none for an address, Starlette says no more than the name of the status."""
    if error.detail == HTTPStatus.NOT_FOUND.phrase:
        return 404, "there is no page at this address"
    if error.detail == HTTPStatus.METHOD_NOT_ALLOWED.phrase:
        return 405, "this address cannot be asked in this way"
    return error.status_code, str(error.detail)


def _sentence(error: Exception) -> str:
    return str(error)


def _fault(error: Exception) -> tuple[int, str]:
    """What is wrong with the database or its disk is the host's to know; who asked hears whether to ask again."""
    fault = fault_of(error)
    if fault is None:
        return _unexpected(error)
    log.error("the database failed a page", why=str(fault))
    return (507 if isinstance(fault, DiskFull) else 503), for_strangers(fault)


def _unexpected(error: Exception) -> tuple[int, str]:
    log.error("a page failed", exc_info=error)
    return 500, "the page failed; the host finds the reason in the log"
