"""Invitations over HTTP: a code becomes a bot and its token once, and the page explains itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.hall.competition import Competition
from referee.store import Store
from referee.web.server import WebSettings

from .conftest import Page

PATH = "/api/v1/invitations/redeem"


@pytest.fixture
async def open_page(tmp_path: Path) -> AsyncIterator[Page]:
    with Store.open(tmp_path / "league.db", owner="server") as store:
        competition = Competition(store)
        await competition.prepare()
        competition.start()
        page = Page(competition, WebSettings("127.0.0.1:0", server="127.0.0.1:7700"))
        await page.server.start()
        try:
            yield page
        finally:
            await page.server.stop()
            await competition.stop()


async def test_a_code_becomes_a_bot_and_its_token_once(open_page: Page) -> None:
    store = open_page.competition.store
    [made] = await asyncio.to_thread(store.invitations.create, 1, "host")
    taken = await open_page.post(PATH, {"code": made.code, "name": "random"})
    assert (taken.status, "house bot" in taken.json["error"]) == (400, True)
    answer = await open_page.post(PATH, {"code": made.code.lower(), "name": " ada "})
    assert (answer.status, answer.json["name"]) == (201, "ada")
    assert answer.headers["cache-control"] == "no-store"
    tokens = open_page.competition.roster.tokens
    assert await tokens.authenticate(answer.json["token"], "ipv4:127.0.0.1:1") == "ada"
    again = await open_page.post(PATH, {"code": made.code, "name": "bob"})
    assert (again.status, again.json["error"]) == (409, "this invitation has been used: ask the host for a new one")


@pytest.mark.parametrize(
    ("value", "status"),
    [
        ({"code": "0" * 20, "name": "ada"}, 404),
        ({"code": 7, "name": "ada"}, 400),
        ({"name": "ada"}, 400),
        ([], 400),
    ],
)
async def test_anything_else_is_refused_in_a_sentence(open_page: Page, value: object, status: int) -> None:
    answer = await open_page.post(PATH, value)
    assert answer.status == status
    assert answer.json["error"]


async def test_another_site_may_not_redeem(open_page: Page) -> None:
    answer = await open_page.post(PATH, {"code": "x", "name": "ada"}, sec_fetch_site="cross-site")
    assert answer.status == 403


async def test_the_page_has_the_form_and_the_way_to_it(open_page: Page) -> None:
    page = await open_page.get("/join")
    assert page.status == 200
    assert "join.js" in page.text
    assert 'href="/join"' in (await open_page.get("/connect")).text


async def test_a_process_that_lets_no_bots_in_has_no_such_page(tmp_path: Path) -> None:
    with Store.open(tmp_path / "league.db", owner="server") as store:
        competition = Competition(store)
        page = Page(competition, WebSettings("127.0.0.1:0", server=""))
        await page.server.start()
        try:
            assert (await page.get("/join")).status == 404
            assert (await page.post(PATH, {"code": "x", "name": "ada"})).status == 404
        finally:
            await page.server.stop()
            await competition.stop()


async def test_without_room_on_the_disk_the_author_hears_so_and_not_where(open_page: Page) -> None:
    store = open_page.competition.store
    made = await asyncio.to_thread(store.invitations.create, 40, "host")
    connection = store._writing.raw_connection()
    connection.cursor().execute("PRAGMA max_page_count = 1")  # as many as there are
    connection.close()
    for one in made:
        answer = await open_page.post(PATH, {"code": one.code, "name": f"bot{one.invitation.number:0>50}"})
        if answer.status != 201:
            break
    assert (answer.status, answer.json["error"]) == (507, "the server has no room left to store this: tell the host")
