"""The JSON API: what the pages show, read-only, with ETags, and described whole in its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from referee.hall.competition import Competition
from referee.web import api

from .conftest import Page, SlowMatch, play

DOCUMENT = (Path(api.__file__).parent / "API.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [path for path, _ in api.ROUTES])
def test_every_route_is_described(path: str) -> None:
    assert (
        path.replace("{name:path}", "NAME")
        .replace("matches/NAME", "matches/MATCH")
        .replace("replays/NAME", "replays/MATCH")
        .replace("records/NAME", "records/MATCH")
        in DOCUMENT
    )


async def test_a_tournament_from_its_list_to_its_replays(competition: Competition, page: Page) -> None:
    await play(competition, "cup")
    [cup] = (await page.get("/api/v1/tournaments")).json
    assert cup["name"] == "cup"
    assert (cup["state"], cup["matches_done"], cup["matches_total"]) == ("finished", 2, 2)
    assert (await page.get("/api/v1/tournaments/cup")).json == cup
    standings = (await page.get("/api/v1/standings/cup")).json
    assert standings["digest"]
    assert (await page.get("/api/v1/standings")).json["tournament"] == "cup"
    points = (await page.get("/api/v1/history/cup")).json["points"]
    assert points[-1]["matches"] == 2
    for row in standings["rows"]:
        assert points[-1]["ratings"][row["bot"]] == [row["mu"], row["sigma"]], "the history ends in the standings"
    schedule = (await page.get("/api/v1/schedule/cup?offset=1&limit=1")).json
    assert schedule["total"] == 2
    assert [match["match"] for match in schedule["matches"]] == ["cup/1"]
    bot = (await page.get("/api/v1/bots/cautious")).json
    assert bot["tournaments"][0]["as"] == "cautious"
    assert bot["matches_total"] == 2
    match = (await page.get("/api/v1/matches/cup/0")).json
    assert [seat["rank"] for seat in match["seats"]].count(1) >= 1
    assert "live" not in match
    replay = (await page.get("/api/v1/replays/cup/0?seat=1")).json
    assert replay["perspective"] == "seat 1"
    assert len(replay["steps"]) == replay["decisions"] + 1
    assert (await page.get("/api/v1/replays/cup/0?seat=revealed")).json["perspective"] == "revealed"
    assert (await page.get("/api/v1/replays/cup/0?seat=7")).status == 404
    assert (await page.get("/api/v1/replays/cup/0?seat=x")).status == 400
    record = (await page.get("/api/v1/records/cup/0")).body
    assert json.loads(record)["match"] == "cup/0"


async def test_games_and_bots(competition: Competition, page: Page) -> None:
    games = (await page.get("/api/v1/games")).json
    assert "odds" in next(game for game in games if game["name"] == "flip7")["house_bots"]
    assert (await page.get("/api/v1/games/flip7")).json["rules"].startswith("#")
    assert (await page.get("/api/v1/bots")).json == []
    assert (await page.get("/api/v1")).json["routes"]


async def test_what_has_not_changed_is_not_sent_again(competition: Competition, page: Page) -> None:
    await play(competition, "cup")
    for path in ("/api/v1/tournaments", "/api/v1/standings/cup", "/api/v1/replays/cup/0", "/tournaments/cup", "/games"):
        first = await page.get(path)
        again = await page.get(path, if_none_match=first.headers["etag"])
        assert (again.status, again.body) == (304, b""), path
        assert (await page.get(path, if_none_match='"other"')).status == 200


async def test_nothing_can_be_changed_through_it(page: Page) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        answer = await page.ask(method, "/api/v1/tournaments", {"content-type": "application/json"}, b"{}")
        assert answer.status == 405


async def test_mistakes_are_answered_with_a_sentence(page: Page) -> None:
    for path, status in (
        ("/api/v1/tournaments/none", 404),
        ("/api/v1/schedule/none", 404),
        ("/api/v1/matches/none/3", 404),
        ("/api/v1/games/chess", 404),
        ("/api/v1/bots?offset=x", 200),
        ("/api/v1/bots/none?offset=x", 400),
        ("/api/v1/tournaments/" + "x" * 300, 404),
    ):
        answer = await page.get(path)
        assert answer.status == status, path
        assert status == 200 or answer.json["error"]


async def test_a_running_match_for_programs(competition: Competition, page: Page) -> None:
    slow = SlowMatch(competition, "league/0", "flip7")
    slow.move(2)
    value = (await page.get("/api/v1/matches/league/0")).json
    assert value["live"]["decisions"] == 2
    async with page.stream("/api/v1/events/matches/league/0") as stream:
        assert (await stream.parts())["match"]["decisions"] == 2
        slow.finish()
        while (await stream.next())[0] != "over":
            pass


async def test_standings_for_programs_as_they_change(competition: Competition, page: Page) -> None:
    await play(competition, "cup")
    async with page.stream("/api/v1/events/standings/cup") as stream:
        assert (await stream.parts())["standings"]["matches_done"] == 2


async def test_health_and_metrics(competition: Competition, page: Page) -> None:
    assert (await page.get("/health")).json == {"status": "ok"}
    await play(competition, "cup")
    text = (await page.get("/metrics")).text
    figures = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(figures["referee_decisions_total"]) > 0
    assert float(figures['referee_matches_ended_total{game="flip7"}']) == 2
    assert float(figures["referee_decision_seconds_count"]) == float(
        figures['referee_decision_seconds_bucket{le="+Inf"}']
    )
    assert float(figures["referee_decision_seconds_count"]) >= float(figures["referee_decisions_total"])
    assert float(figures["referee_store_transactions_total"]) > 0
    assert float(figures["referee_watchers"]) == 0
    for name in ("referee_store_queue", "referee_loop_lag_worst_seconds", 'referee_faults_total{kind="timeout"}'):
        assert name in figures
