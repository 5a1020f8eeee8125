"""Play against house bots in the browser: the page, and the few requests with which a person moves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from referee.hall.places import address_of
from referee.hosting.bot import folders
from referee.rules import registry
from referee.web.answers import HTML, Body, peer_of
from referee.web.live import Channel, Parts
from referee.web.markup import tag
from referee.web.pages.layout import page, panel
from referee.web.play.tables import PeoplesTables, PersonsTable
from referee.web.requests import object_in
from referee.web.site import Site
from referee.web.streams import stream

PAUSE = 0.15
"""Seconds between two states that are shown: house bots answer at once, and a person reads."""
KEEP_SECONDS = 60.0
"""How often a table that is watched says so."""
Handler = Callable[[Site, Request], Awaitable[Response]]


async def _page(site: Site, request: Request) -> Response:
    _people(site)

    def draw() -> str:
        games: dict[str, dict[str, Any]] = {
            game.name: {
                "title": game.title,
                "least": game.seats.least,
                "most": game.seats.most,
                "bots": folders.names(game.name, inside=True),
            }
            for game in registry.all_games()
            if game.seats.most > 1
        }
        choices = [tag("option", about["title"], value=name) for name, about in games.items()]
        form = tag(
            "form",
            tag("p", tag("label", "Game", for_="game"), tag("select", *choices, id="game")),
            tag("fieldset", tag("legend", "Against"), tag("div", id="against"), id="opponents"),
            tag("p", tag("button", "Sit down", type="submit", class_="primary")),
            id="start",
        )
        noscript = tag("noscript", tag("p", "To play you need JavaScript; everything else here works without it."))
        table = tag(
            "section",
            tag(
                "div",
                tag(
                    "div",
                    tag(
                        "div",
                        tag("img", id="board", alt="", class_="picture"),
                        tag("div", id="spots", role="group", aria_label="On the board"),
                        class_="clickable",
                    ),
                    class_="panel main board",
                ),
                _controls(),
                class_="columns",
            ),
            id="table",
            hidden=True,
        )
        return page(
            site,
            "Play",
            tag("h1", "Play against bots"),
            tag(
                "p",
                "An unrated match against house bots. Take your time; you see what a bot in your seat would see.",
                class_="soft",
            ),
            noscript,
            tag("section", form, class_="panel", id="setup"),
            table,
            place="play",
            modules=("play.js",),
            data={"games": json.dumps(games)},
        )

    body = Body.of(await site.answers.read(draw), HTML)
    return body.response(request)


def _controls() -> Any:
    return tag(
        "div",
        panel(
            "Your move",
            tag("p", "", id="asked", role="status", aria_live="polite"),
            tag("p", "", id="refused", role="alert", class_="bad"),
            tag("p", "Click on the board, or choose here.", id="hint", class_="soft", hidden=True),
            tag(
                "p",
                tag(
                    "input",
                    id="filter",
                    type="search",
                    placeholder="Find a move",
                    aria_label="Find a move",
                    hidden=True,
                ),
            ),
            tag("div", id="moves", class_="moves", role="group", aria_label="Legal moves"),
            tag(
                "form",
                tag("label", "Or type a move ", tag("input", id="typed", autocomplete="off")),
                tag("button", "Play it", type="submit"),
                id="typing",
                hidden=True,
            ),
            tag(
                "p",
                tag("label", "What would ", tag("select", id="adviser"), " do?"),
                tag("button", "Ask", type="button", id="advice"),
                tag("output", "", id="advised"),
                class_="advice",
            ),
        ),
        panel("Since your last move", tag("ul", id="events", class_="words plain")),
        tag(
            "p",
            tag("button", "Resign", type="button", id="resign"),
            tag("a", "New match", href="/play", class_="button"),
        ),
        class_="aside",
    )


async def _sit_down(site: Site, request: Request) -> Response:
    given = await object_in(request)
    against, seat = given.get("against"), given.get("seat")
    if not isinstance(against, list) or not all(isinstance(name, str) for name in against):
        raise HTTPException(400, "against must be a list of house bots")
    if not isinstance(given.get("game"), str):
        raise HTTPException(400, "game must be the name of a game")
    if seat is not None and type(seat) is not int:
        raise HTTPException(400, "seat must be a whole number")
    address = address_of(peer_of(request)) or ""
    table = _people(site).sit_down(address, given["game"], against, seat)
    return JSONResponse({"table": table.token, "match": f"people/{table.token}"}, status_code=201)


async def _events(site: Site, request: Request) -> Response:
    table = _table(site, request)

    async def show() -> Parts:
        _people(site).find(table.token)  # it is being looked at
        table.changed.clear()
        return {"table": table.to_value()}

    async def pause() -> bool:
        if table.over:
            return False
        with suppress(TimeoutError):
            async with asyncio.timeout(KEEP_SECONDS):
                await table.changed.wait()
        await asyncio.sleep(PAUSE)
        return True

    opened = site.channels.channel(("people", table.token), lambda: Channel(show, pause, site.channels.wakeups))
    return stream(site, request, opened)


async def _move(site: Site, request: Request) -> Response:
    given = await object_in(request)
    table = _table(site, request)
    move, decision = given.get("move"), given.get("decision")
    if not isinstance(move, str) or type(decision) is not int:
        raise HTTPException(400, "move must be a text, and decision the number of the question")
    _people(site).move(table, decision, move)
    return Response(status_code=204)


async def _advice(site: Site, request: Request) -> Response:
    given = await object_in(request)
    bot = given.get("bot")
    if not isinstance(bot, str):
        raise HTTPException(400, "bot must be the name of a house bot")
    return JSONResponse({"bot": bot, "move": await _people(site).advice(_table(site, request), bot)})


async def _resign(site: Site, request: Request) -> Response:
    await object_in(request)
    _people(site).resign(_table(site, request))
    return Response(status_code=204)


def _people(site: Site) -> PeoplesTables:
    if site.people is None:
        raise HTTPException(404, "nobody plays against bots here: 'referee serve --web' offers it")
    return site.people


def _table(site: Site, request: Request) -> PersonsTable:
    table = _people(site).find(request.path_params["token"])
    if table is None:
        raise HTTPException(404, "there is no such table any more: sit down at a new one")
    return table


ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("/play", "GET", _page),
    ("/play/tables", "POST", _sit_down),
    ("/play/tables/{token}/events", "GET", _events),
    ("/play/tables/{token}/move", "POST", _move),
    ("/play/tables/{token}/advice", "POST", _advice),
    ("/play/tables/{token}/resign", "POST", _resign),
)
