"""A seat for a person: whole matches over HTTP, advice, mistakes, limits, and an end when the server stops."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from referee.hall.competition import Competition
from referee.rules import registry
from referee.web.play import pages

from ..waiting import PATIENCE, soon
from .conftest import Page, serving

AGAINST = {
    "flip7": ["cautious", "random"],
    "encore": ["random"],
    "stop": ["frugal", "random"],
    "stop_me_go": ["patient"],
}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pause for reading."""
    monkeypatch.setattr(pages, "PAUSE", 0.0)


async def sit_down(page: Page, game: str) -> str:
    answer = await page.post("/play/tables", {"game": game, "against": AGAINST[game]})
    assert answer.status == 201, answer.text
    token: str = answer.json["table"]
    return token


@pytest.mark.parametrize("game", registry.names())
async def test_a_whole_match_of_every_game(page: Page, game: str) -> None:
    token = await sit_down(page, game)
    state: dict[str, Any] = {}
    asked = 0
    async with page.stream(f"/play/tables/{token}/events") as stream:
        while not state.get("ending"):
            state = (await stream.parts())["table"]
            if state["decision"] is None:
                continue
            asked += 1
            assert state["legal"]
            assert state["picture"].startswith("<svg")
            answer = await page.post(
                f"/play/tables/{token}/move", {"decision": state["decision"], "move": state["legal"][0]}
            )
            assert answer.status == 204
        assert (await stream.next())[0] == "over"
    assert asked > 2
    assert len(state["ending"]["ranks"]) == 1 + len(AGAINST[game])
    replay = await page.get(f"/api/v1/replays/{state['match']}?seat={state['seat']}")
    assert replay.json["names"][state["seat"]] == "human"
    assert (await page.get(f"/matches/{state['match']}?seat={state['seat']}")).status == 200
    assert page.competition.store.matches.practice_total() == 0, "nothing that a stranger plays is stored"


async def test_a_house_bot_tells_what_it_would_do(page: Page) -> None:
    token = await sit_down(page, "flip7")
    table = page.server.site.people.find(token) if page.server.site.people else None
    assert table is not None
    await soon(lambda: table.question is not None)
    advice = (await page.post(f"/play/tables/{token}/advice", {"bot": "odds"})).json
    assert advice["bot"] == "odds"
    assert table.question is not None
    assert advice["move"] in table.question.legal
    assert (await page.post(f"/play/tables/{token}/advice", {"bot": "planner"})).status == 404
    assert (await page.post(f"/play/tables/{token}/advice", {"bot": 3})).status == 400


async def test_mistakes_cost_nothing(page: Page) -> None:
    token = await sit_down(page, "flip7")
    async with page.stream(f"/play/tables/{token}/events") as stream:
        state = (await stream.parts())["table"]
        while state["decision"] is None:
            state = (await stream.parts())["table"]
        for _ in range(5):
            await page.post(f"/play/tables/{token}/move", {"decision": state["decision"], "move": "fly"})
            told = (await stream.parts())["table"]
            assert "cannot read" in told["rejected"]
            assert told["legal"] == state["legal"]
            await page.post(f"/play/tables/{token}/move", {"decision": 999, "move": "hit"})
            told = (await stream.parts())["table"]
            assert "asked before" in told["rejected"]
        await page.post(f"/play/tables/{token}/move", {"decision": state["decision"], "move": state["legal"][0]})
        moved = (await stream.parts())["table"]
        assert moved["decisions"] > state["decisions"]


async def test_resigning_ends_the_match_for_the_person(page: Page) -> None:
    token = await sit_down(page, "flip7")
    people = page.server.site.people
    assert people is not None
    table = people.find(token)
    assert table is not None
    await page.post(f"/play/tables/{token}/resign", {})
    await soon(lambda: table.over)
    assert table.match is not None
    assert table.match.ending is not None
    assert table.match.ending.words[table.seat] == "resigned"


async def test_wrong_tables_are_refused_with_a_sentence(page: Page) -> None:
    for given, status in (
        ({"game": "chess", "against": ["random"]}, 404),
        ({"game": "flip7", "against": []}, 404),
        ({"game": "flip7", "against": ["nobody", "random"]}, 404),
        ({"game": "flip7", "against": "random"}, 400),
        ({"game": 3, "against": ["random"]}, 400),
        ({"game": "flip7", "against": ["random", "random"], "seat": 9}, 404),
        ([1], 400),
    ):
        answer = await page.post("/play/tables", given)
        assert answer.status == status, given
        assert answer.json["error"]
    assert (await page.get("/play/tables/none/events")).status == 404
    assert (await page.ask("POST", "/play/tables", {"content-type": "text/plain"}, b"{}")).status == 415
    assert (await page.post("/play/tables", {}, sec_fetch_site="cross-site")).status == 403


async def test_a_game_that_fails_at_the_start_is_told_in_a_sentence(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("a card is missing")

    monkeypatch.setattr(type(registry.find("stop_me_go")), "new", fail)
    for _ in range(9):  # none of them takes up a place
        answer = await page.post("/play/tables", {"game": "stop_me_go", "against": AGAINST["stop_me_go"]})
        assert answer.status == 404
        assert answer.json["error"] == "stop_me_go failed; the host finds the reason in the log"


async def test_there_are_so_many_tables_and_no_more(competition: Competition) -> None:
    async with serving(competition, people=2) as page:
        await sit_down(page, "flip7")
        await sit_down(page, "flip7")
        answer = await page.post("/play/tables", {"game": "flip7", "against": AGAINST["flip7"]})
        assert answer.status == 503
        assert "people are playing already" in answer.json["error"]


async def test_a_server_that_stops_does_not_wait_for_people(competition: Competition) -> None:
    async with serving(competition) as page:
        await sit_down(page, "flip7")
        assert competition.hall.matches
        page.server.drain()
        async with asyncio.timeout(PATIENCE):
            await competition.hall.wait_empty()
        answer = await page.post("/play/tables", {"game": "flip7", "against": AGAINST["flip7"]})
        assert answer.status == 503


async def test_a_table_that_is_left_alone_is_cleared(competition: Competition, page: Page) -> None:
    token = await sit_down(page, "flip7")
    people = page.server.site.people
    assert people is not None
    table = people.find(token)
    assert table is not None
    table.seen -= 10_000
    people._look()
    assert not competition.hall.matches
    assert people.find(token) is None
