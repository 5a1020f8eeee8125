"""Every page: there without JavaScript, strict about where things come from, and names are never markup."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from typing import cast

import pytest

from referee.cli.languages import LANGUAGES
from referee.hall.competition import Competition
from referee.rules import registry
from referee.store import StoredMatch
from referee.tournament.moderation import Action
from referee.tournament.plan import Plan
from referee.tournament.ratings.history import Point, VersionBegins
from referee.tournament.running.ended import Ended
from referee.tournament.running.played import Played
from referee.web.pages import plot

from .conftest import HOSTILE, Page, SlowMatch, play, serving


class Elements(HTMLParser):
    """All elements of a page with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {key: value or "" for key, value in attrs}))


def check(text: str) -> None:
    """What holds for every page: no markup of strangers, nothing that the policy forbids, nothing from elsewhere."""
    for element, attributes in Elements(text).found:
        assert element != "style"
        assert element != "script" or attributes["src"].startswith("/static/")
        assert not [key for key in attributes if key.startswith("on") or key == "style"], (element, attributes)
        for key in ("src", "href", "action"):
            assert attributes.get(key, "/").startswith(("/", "#") if key != "href" else ("/", "#", "https://")), (
                attributes
            )


async def test_every_page_of_a_tournament_with_a_hostile_name(competition: Competition, page: Page) -> None:
    await play(competition, HOSTILE)
    name = "%3Cimg%20src%3Dx%20onerror%3Dalert%281%29%3E"
    for path, told in (
        ("/", "2 of 2 matches"),
        (f"/tournaments/{name}", "cautious"),
        (f"/tournaments/{name}?view=strengths", "is the strongest"),
        (f"/tournaments/{name}?view=crosstable", "Share of their meetings"),
        (f"/tournaments/{name}?view=seats", "Seat 0"),
        (f"/tournaments/{name}?view=history", "<polyline"),
        (f"/tournaments/{name}?view=schedule", "Round"),
        (f"/tournaments/{name}?view=events", "matches scheduled"),
        (f"/wall/{name}", "Being played"),
        ("/wall", "Latest results"),
        (f"/matches/{name}/0", "decision"),
        (f"/matches/{name}/0?seat=1&step=3", "decision"),
        (f"/matches/{name}/0?seat=revealed&step=3", "Everything"),
        (f"/matches/{name}/0?embed", "board"),
        ("/bots", "cautious"),
        ("/bots/cautious", "Head to head"),
        ("/connect", "referee bot add"),
        ("/play", "Sit down"),
        ("/games", "Flip 7"),
    ):
        answer = await page.get(path)
        assert answer.status == 200, path
        assert told.lower() in answer.text.lower(), path
        check(answer.text)


@pytest.mark.parametrize("game", registry.names())
async def test_the_rules_of_every_game(page: Page, game: str) -> None:
    answer = await page.get(f"/games/{game}")
    assert answer.status == 200
    assert "House bots" in answer.text
    check(answer.text)


async def test_a_running_match_is_drawn_and_told_in_words(competition: Competition, page: Page) -> None:
    slow = SlowMatch(competition, "league/0", "flip7")
    slow.move(6)
    answer = await page.get("/matches/league/0")
    check(answer.text)
    assert "live" in answer.text
    assert "What happened" in answer.text
    picture = await page.get("/pictures/league/0")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg")
    async with page.stream("/live/matches/league/0") as stream:
        assert set(await stream.parts()) == {"board", "live", "words", "seats"}
        slow.move()
        assert "board" in await stream.parts()
        slow.finish()
        while (await stream.next())[0] != "over":
            pass


async def test_headers_forbid_everything_from_elsewhere(page: Page) -> None:
    for path in ("/", "/nothing", "/health", "/api/v1", "/static/x/style.css"):
        headers = (await page.get(path)).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert policy.endswith("frame-ancestors 'none'")
        assert headers["x-content-type-options"] == "nosniff"
    assert (await page.get("/?embed")).headers["content-security-policy"].endswith("frame-ancestors *")


async def test_what_is_not_there_is_said_in_a_sentence(page: Page) -> None:
    for path, told in (
        ("/tournaments/none", "there is no tournament named none"),
        ("/bots/nobody", "nobody"),
        ("/games/chess", "chess"),
        ("/matches/none/1", "there is no match none/1"),
        ("/matches/x", "there is no match x"),
        ("/nothing", "there is no page at this address"),
        ("/wall", "there is no tournament yet"),
        ("/tournaments/?name=..", ".."),
    ):
        answer = await page.get(path)
        assert answer.status == 404, path
        assert told in answer.text, path
        check(answer.text)
    assert (await page.get("/")).status == 200
    refused = await page.post("/connect", {})
    assert refused.status == 405
    assert "cannot be asked in this way" in refused.text


async def test_every_kind_of_page_is_reached_from_the_first(page: Page) -> None:
    first = (await page.get("/")).text
    for path in ("/bots", "/games", "/play", "/connect", "/wall"):
        assert f'href="{path}"' in first, path


async def test_a_page_without_anything_to_show_says_how_to_begin(page: Page) -> None:
    assert "referee tournament create" in (await page.get("/")).text


async def test_files_of_the_client_may_be_kept_and_are_all_there(page: Page) -> None:
    text = (await page.get("/play")).text
    addresses = re.findall(r'(?:src|href)="(/static/[^"]+)"', text)
    assert len(addresses) >= 3
    for address in addresses:
        answer = await page.get(address)
        assert answer.status == 200
        assert "immutable" in answer.headers["cache-control"]
        for module in re.findall(r'from "\./([^"]+)"', answer.text):
            assert (await page.get(address.rpartition("/")[0] + "/" + module)).status == 200
    assert (await page.get("/static/old/style.css")).headers["cache-control"] == "no-cache"


async def test_without_people_nobody_plays(competition: Competition) -> None:
    async with serving(competition, people=0) as page:
        assert (await page.get("/play")).status == 404
        assert 'href="/play"' not in (await page.get("/")).text


async def test_every_language_is_started_as_its_new_bot_says(page: Page) -> None:
    text = unescape((await page.get("/connect")).text)
    for language in LANGUAGES.values():
        assert language.name in text.lower() or language.name == "cpp"
        if language.start:
            words = [word.replace("{dir}", "mybot") for word in language.start]
            assert " ".join(words).replace("'", "") in text.replace("'", ""), language.name
            assert f"--lang {language.name}" in text or language.name == "python"


async def test_versions_of_a_submitted_bot_are_marked_on_its_plot_where_they_begin(
    competition: Competition, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the bot had been submitted again after every third match."""
    stored = Ended.of.__func__  # type: ignore[attr-defined]

    def with_versions(cls: type[Ended], row: StoredMatch, attempt: int, id: str, seed: bytes, played: Played) -> Ended:
        version = 1 + (row.ordinal or 0) // 3
        versions = tuple(version if seat.name == "cautious" else None for seat in row.seats)
        return cast(Ended, stored(cls, row, attempt, id, seed, replace(played, versions=versions)))

    monkeypatch.setattr(Ended, "of", classmethod(with_versions))
    plan = Plan("flip7", 3, rounds=7, limit=60.0, bank=60.0)
    await competition.director.create("league", plan, ["cautious", "random", "random"], "s", True)
    await competition.director.wait_until_stopped("league")
    shown = (await page.get("/bots/cautious")).text
    check(shown)
    lines = [about for element, about in Elements(shown).found if about.get("class") == "version"]
    assert len(lines) == 3
    places = [float(about["x1"]) for about in lines]
    assert places == sorted(places)
    assert all(f">v{number}</text>" in shown for number in (1, 2, 3))
    assert "<title>version 2 begins after 3 matches</title>" in shown
    told = re.findall(r"version (\d) from match (\d) on", shown)
    assert told == [("1", "1"), ("2", "4"), ("3", "7")]
    assert "from match" not in (await page.get("/bots/random")).text
    # A result that is annulled counts no longer, here as in the standings.
    for match in range(3):
        await competition.director.rule("league", Action.ANNUL, str(match), "a mistake")
    histories = page.server.site.histories
    assert [(one.matches, one.version) for one in histories.versions("league", "cautious")] == [(0, 2), (3, 3)]


def test_of_many_versions_the_legend_tells_the_latest_and_numbers_do_not_cover_each_other() -> None:
    points = [Point(number, {"ada": (25.0 + number / 100, 1.0)}) for number in range(101)]
    drawn = str(plot.ratings(points, ["ada"], [VersionBegins(number, number + 1) for number in range(100)]))
    assert drawn.count('class="version"') == 100
    assert drawn.count("<li>") == 14  # the bot, how many were left out, and twelve versions
    assert ">88 before<" in drawn
    numbers = [float(place) for place in re.findall(r'<text x="([\d.]+)"[^>]*class="tick begins"', drawn)]
    assert numbers
    assert all(after - before >= plot.VERSION_LABEL for before, after in pairwise(numbers))
