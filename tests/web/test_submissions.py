"""Submissions over HTTP: a zip with a bot's token, its versions and logs, and the page of the bot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.hosting.submission.zips import bot_zip, entry
from tests.workers.submission_plan import plan

from referee.hall.competition import Competition
from referee.store import Store
from referee.web.connections import LARGEST_REQUEST
from referee.web.server import WebSettings

from ..waiting import PATIENCE
from .conftest import Page

PATH = "/api/v1/submissions"


@pytest.fixture
async def taking(tmp_path: Path) -> AsyncIterator[tuple[Page, dict[str, str]]]:
    """The page of a server with submissions, and what the author of `ada` sends with every request."""
    with Store.open(tmp_path / "league.db", owner="server") as store:
        token = store.bots.add("ada").token
        competition = Competition(store, submissions=plan(tmp_path))
        await competition.prepare()
        competition.start()
        page = Page(competition, WebSettings("127.0.0.1:0"))
        await page.server.start()
        try:
            yield page, {"authorization": f"Bearer {token}"}
        finally:
            await page.server.stop()
            await competition.stop()


async def test_a_zip_is_posted_tested_listed_and_taken_back(
    taking: tuple[Page, dict[str, str]], tmp_path: Path
) -> None:
    page, author = taking
    noise = (entry("noise"), bytes(range(256)) * 800)
    content = bot_zip(tmp_path / "bot.zip", noise).read_bytes() + b""
    padded = bot_zip(tmp_path / "big.zip", (entry("noise"), _random(100_000))).read_bytes()
    assert len(padded) > 2 * LARGEST_REQUEST  # more than any other request may have
    answer = await page.ask("POST", PATH, author, padded)
    assert (answer.status, answer.json["version"], answer.json["state"]) == (202, 1, "testing")
    async with asyncio.timeout(PATIENCE):
        while (listed := (await page.ask("GET", PATH, author)).json)["versions"][0]["state"] == "testing":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert (listed["bot"], listed["versions"][0]["state"]) == ("ada", "active")
    assert (await page.ask("GET", f"{PATH}/1", author)).json["log"] == "ada was tried"
    assert page.competition.hosted.version("ada") == 1
    shown = (await page.get("/bots/ada")).text
    assert "Versions" in shown
    assert listed["versions"][0]["sha256"][:12] in shown
    assert (await page.get("/api/v1/bots/ada")).json["versions"][0]["state"] == "active"
    retired = await page.ask("POST", f"{PATH}/retire", author)
    assert (retired.status, retired.json["state"]) == (200, "retired")
    assert (await page.ask("POST", f"{PATH}/retire", author)).status == 409
    assert (await page.ask("POST", f"{PATH}/1/activate", author)).json["state"] == "active"
    assert (await page.ask("POST", PATH, author, content)).status == 202


async def test_what_is_refused_is_said_and_leaves_nothing(taking: tuple[Page, dict[str, str]], tmp_path: Path) -> None:
    page, author = taking
    bad = bot_zip(tmp_path / "bad.zip", (entry("../evil"), b"x")).read_bytes()
    answer = await page.ask("POST", PATH, author, bad)
    assert (answer.status, "leads out of it" in answer.json["error"]) == (400, True)
    assert (await page.ask("GET", PATH, author)).json["versions"] == []
    stranger = await page.ask("POST", PATH, {"authorization": "Bearer 123"}, bad)
    assert (stranger.status, stranger.json["error"]) == (401, "the bot's token is missing, unknown or revoked")
    assert (await page.get(PATH)).status == 401
    assert (await page.ask("GET", f"{PATH}/7", author)).status == 404
    assert (await page.ask("GET", f"{PATH}/x", author)).status == 404
    incoming = page.competition.submissions
    assert incoming is not None
    assert list((incoming.content.folder / "incoming").iterdir()) == []


async def test_the_page_to_submit_is_there_where_submissions_are(
    taking: tuple[Page, dict[str, str]], page: Page
) -> None:
    with_them, _ = taking
    assert "Submit a bot" in (await with_them.get("/submit")).text
    assert "/submit" in (await with_them.get("/connect")).text
    assert (await page.get("/submit")).status == 404
    assert "/submit" not in (await page.get("/connect")).text


def _random(size: int) -> bytes:
    """Bytes that cannot be packed."""
    import random

    return random.Random(1).randbytes(size)
