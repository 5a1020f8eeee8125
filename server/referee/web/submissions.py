"""Submissions over HTTP: authors upload a bot with its token, see its versions and logs, and go back.

The only part of the page that changes anything that is stored. Every request needs the token of a bot
(`Authorization: Bearer TOKEN`), and is about that bot.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from referee.hall.places import Places, PlacesTaken
from referee.hall.submissions import NO_SUBMISSIONS, Submissions
from referee.hosting.submission.packing import LEFT_OUT
from referee.hosting.submission.zip_check import PackageRefused
from referee.store import BotVersion, NotAllowed, Refused
from referee.threads import in_thread
from referee.web.answers import HTML, Body, peer_of
from referee.web.connections import UPLOAD
from referee.web.markup import tag
from referee.web.pages.layout import empty, field, page, panel
from referee.web.requests import Conflict
from referee.web.site import Site

UPLOADS, UPLOADS_PER_ADDRESS = 8, 4
Handler = Callable[[Site, Request], Awaitable[Response]]
PRIVATE = {"cache-control": "no-store"}
_places = Places(
    UPLOADS,
    UPLOADS_PER_ADDRESS,
    PlacesTaken("too many bots are being uploaded: try again in a moment"),
    PlacesTaken("too many bots are being uploaded from your address: try again in a moment"),
)


async def _submit(site: Site, request: Request) -> Response:
    submissions, bot = await _author(site, request)
    with _places.one(peer_of(request)):
        path = await in_thread(submissions.content.receive)
        try:
            with path.open("wb") as file:
                received = 0
                async for chunk in request.stream():
                    received += len(chunk)
                    if received > submissions.content.limits.packed:
                        most = submissions.content.limits.packed >> 20
                        raise HTTPException(413, f"the zip has more than {most} MB, which is the most that is taken")
                    await in_thread(file.write, chunk)
            version = await submissions.submit(bot, path)
        except ClientDisconnect:
            raise HTTPException(400, "the upload was broken off") from None
        except PackageRefused as error:
            raise HTTPException(400, str(error)) from None
        except (NotAllowed, Refused) as error:
            raise Conflict(str(error)) from None
        finally:
            with suppress(FileNotFoundError):
                path.unlink()
    return JSONResponse(version_value(version), status_code=202, headers=PRIVATE)


async def _versions(site: Site, request: Request) -> Response:
    submissions, bot = await _author(site, request)
    found = await submissions.versions(bot)
    return JSONResponse({"bot": bot, "versions": [version_value(one) for one in found]}, headers=PRIVATE)


async def _version(site: Site, request: Request) -> Response:
    submissions, bot = await _author(site, request)
    found = await submissions.version(bot, _number(request))
    return JSONResponse({**version_value(found), "log": found.log}, headers=PRIVATE)


async def _activate(site: Site, request: Request) -> Response:
    submissions, bot = await _author(site, request)
    return await _changed(submissions.rollback(bot, _number(request)))


async def _retire(site: Site, request: Request) -> Response:
    submissions, bot = await _author(site, request)
    return await _changed(submissions.retire(bot))


async def _changed(work: Awaitable[BotVersion]) -> Response:
    try:
        return JSONResponse(version_value(await work), headers=PRIVATE)
    except (NotAllowed, Refused) as error:
        raise Conflict(str(error)) from None


async def _page(site: Site, request: Request) -> Response:
    limits = _submissions(site).content.limits
    form = tag(
        "form",
        field("The bot's token", "token", type="password", required=True, autocomplete="off", spellcheck="false"),
        field("The bot's folder", "folder", type="file", webkitdirectory=True),
        field("or a zip of it", "zip", type="file", accept=".zip,application/zip"),
        tag(
            "p",
            tag("button", "Submit", type="submit", class_="primary"),
            tag("button", "Show its versions", type="button", id="show"),
            class_="advice",
        ),
        tag("p", "", id="said", role="status", aria_live="polite"),
        id="submit",
        data_packed=limits.packed,
        data_files=limits.files,
        data_left_out=" ".join(sorted(LEFT_OUT)),
    )
    noscript = tag("noscript", tag("p", "This page needs JavaScript; 'referee submit' in a terminal does the same."))
    body = page(
        site,
        "Submit a bot",
        tag("h1", "Submit a bot"),
        tag(
            "p",
            "It is built and checked here in a sandbox, and then plays on this server as a new version of your bot. "
            "The token stays in this page and is forgotten with it.",
            class_="soft",
        ),
        noscript,
        tag("section", form, class_="panel"),
        panel(
            "Versions",
            tag("div", empty("Give the token to see what was submitted."), id="versions", class_="scroll"),
            tag("pre", "", id="log", hidden=True, tabindex=0, role="region", aria_label="Log of a version"),
        ),
        place="connect",
        modules=("submit.js",),
    )
    return Body.of(body, HTML).response(request)


def version_value(version: BotVersion) -> dict[str, Any]:
    """A version as its author sees it; the log is asked for on its own."""
    return {
        "bot": version.bot_name,
        "version": version.number,
        "state": version.state.value,
        "reason": version.reason,
        "sha256": version.digest,
        "files": version.files,
        "bytes": version.size,
        "submitted": version.created / 1000,
        "settled": None if version.settled is None else version.settled / 1000,
    }


def _submissions(site: Site) -> Submissions:
    competition = site.source.competition
    if competition is None or competition.submissions is None:
        raise HTTPException(404, NO_SUBMISSIONS)
    return competition.submissions


async def _author(site: Site, request: Request) -> tuple[Submissions, str]:
    """Before anything of the request's body is read."""
    submissions = _submissions(site)
    assert site.source.competition is not None
    word, _, token = request.headers.get("authorization", "").partition(" ")
    bot = None
    if word.lower() == "bearer":
        bot = await site.source.competition.roster.tokens.authenticate(token.strip(), peer_of(request))
    if bot is None:
        headers = {"www-authenticate": "Bearer", "connection": "close"}
        raise HTTPException(401, "the bot's token is missing, unknown or revoked", headers=headers)
    return submissions, bot


def _number(request: Request) -> int:
    text = str(request.path_params["number"])
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise HTTPException(404, f"there is no version {text!r}")
    return int(text)


ROUTES: list[tuple[str, str, Handler]] = [
    ("/submit", "GET", _page),
    (UPLOAD, "POST", _submit),
    (UPLOAD, "GET", _versions),
    (f"{UPLOAD}/retire", "POST", _retire),
    (f"{UPLOAD}/{{number}}", "GET", _version),
    (f"{UPLOAD}/{{number}}/activate", "POST", _activate),
]
