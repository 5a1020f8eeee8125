"""Invitations over HTTP: the page on which an author turns a code into a bot and its token, and the request behind it.

The code of a link stands behind `#`: a browser does not send that part, so it is in no log and no referrer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from referee.hall.redeeming import Redeeming
from referee.rules.game import WrongUse
from referee.store import NameTaken, NotAllowed, Refused, Unknown
from referee.web.answers import HTML, Body, peer_of
from referee.web.markup import tag
from referee.web.pages.layout import field, page
from referee.web.requests import Conflict, object_in
from referee.web.site import Site

Handler = Callable[[Site, Request], Awaitable[Response]]
NONE_HERE = "this process plays a tournament of its own and lets no bots in: 'referee serve' does"


async def _redeem(site: Site, request: Request) -> Response:
    redeeming = _redeeming(site)
    given = await object_in(request)
    code, name = given.get("code"), given.get("name")
    if not isinstance(code, str) or not isinstance(name, str):
        raise HTTPException(400, "code and name must be texts")
    try:
        made = await redeeming.redeem(code, name.strip(), peer_of(request))
    except Unknown as error:
        raise HTTPException(404, str(error)) from None
    except (NameTaken, NotAllowed) as error:
        raise Conflict(str(error)) from None
    except (Refused, WrongUse) as error:
        raise HTTPException(400, str(error)) from None
    headers = {"cache-control": "no-store"}
    return JSONResponse({"name": made.bot.name, "token": made.token}, status_code=201, headers=headers)


async def _page(site: Site, request: Request) -> Response:
    _redeeming(site)
    form = tag(
        "form",
        field("The code", "code", required=True, autocomplete="off", spellcheck="false"),
        field("A name for your bot", "name", required=True, autocomplete="off"),
        tag("p", tag("button", "Register it", type="submit", class_="primary")),
        tag("p", "", id="said", role="status", aria_live="polite"),
        tag("pre", "", id="token", hidden=True, tabindex=0),
        id="join",
    )
    body = page(
        site,
        "Join with an invitation",
        tag("h1", "Join with an invitation"),
        tag(
            "p",
            "The host gave you a code or a link. It becomes a bot and its token, once. The token is shown here and "
            "never again: keep it. ",
            tag("a", "How to connect the bot", href="/connect"),
            class_="soft",
        ),
        tag("noscript", tag("p", "This page needs JavaScript; 'referee join' in a terminal does the same.")),
        tag("section", form, class_="panel"),
        place="connect",
        modules=("join.js",),
    )
    return Body.of(body, HTML).response(request)


def _redeeming(site: Site) -> Redeeming:
    competition = site.source.competition
    if competition is None or not site.settings.server:
        raise HTTPException(404, NONE_HERE)
    return competition.roster.invitations


ROUTES: list[tuple[str, str, Handler]] = [
    ("/join", "GET", _page),
    ("/api/v1/invitations/redeem", "POST", _redeem),
]
