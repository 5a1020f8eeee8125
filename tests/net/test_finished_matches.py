"""What everybody may see of matches that are over, and of practice: a final view, a typed record, a list."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import grpc
import pytest

from arena.games.stop_me_go.v1 import stop_me_go_pb2
from arena.v1 import match_pb2, result_pb2, standings_pb2, tournament_pb2_grpc
from arena.v1 import tournament_pb2 as pb
from referee.cli.main import main
from referee.rules.record import Record
from referee.tournament.audit.replay import replay

from .conftest import Server

PLAYED = "practice/1"


@pytest.fixture
async def stub(server: Server) -> Any:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield tournament_pb2_grpc.TournamentServiceStub(channel)


async def practise(server: Server, matches: int = 1) -> match_pb2.MatchEnd:
    bot = await server.bot("alice")
    await bot.send(practice=match_pb2.Practice(game="stop_me_go", against=["patient"], matches=matches))
    end = await bot.play(matches)
    await bot.until_now()
    return end


async def test_a_finished_match_shows_its_end_and_nothing_more(server: Server, stub: Any) -> None:
    end = await practise(server)
    [shown] = [state async for state in stub.WatchMatch(pb.WatchMatchRequest(match_id=PLAYED))]
    assert (shown.over, shown.result, shown.game, list(shown.bots)) == (
        True,
        end.result,
        "stop_me_go",
        ["alice", "patient"],
    )
    assert shown.view_type == "arena.games.stop_me_go.v1.View"
    view = stop_me_go_pb2.View.FromString(shown.view)
    assert list(view.ranks) == list(end.result.ranks)
    assert not view.HasField("seat")
    assert list(shown.scores) == list(end.result.scores)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("practice/7", grpc.StatusCode.NOT_FOUND),
        ("league/0", grpc.StatusCode.NOT_FOUND),
        ("practice/" + "9" * 40, grpc.StatusCode.NOT_FOUND),
        ("", grpc.StatusCode.NOT_FOUND),
        ("practice/2", grpc.StatusCode.FAILED_PRECONDITION),
    ],
)
async def test_what_is_not_there_or_came_to_nothing_is_said(
    server: Server, stub: Any, name: str, code: grpc.StatusCode
) -> None:
    await practise(server)
    bot = await server.bot("bob")
    await bot.send(practice=match_pb2.Practice(game="stop_me_go", against=["patient"]))
    await bot.hear("match_start")
    server.competition.hall.matches["practice/2"].break_off("enough")
    await bot.hear("match_end")
    assert await stub.WatchMatch(pb.WatchMatchRequest(match_id=name)).code() is code


async def test_a_running_match_says_at_first_what_is_played_and_by_whom_and_at_last_how_it_ended(
    server: Server, stub: Any
) -> None:
    await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    watching = aiter(stub.WatchMatch(pb.WatchMatchRequest(match_id=match.id)))
    first = await anext(watching)
    assert (first.game, list(first.bots), first.HasField("result")) == ("stop_me_go", ["alice", "bob"], False)
    match.break_off("enough")
    states = [state async for state in watching]
    assert {state.game for state in states} == {""}
    assert (states[-1].over, list(states[-1].result.terminations)) == (True, [result_pb2.TERMINATION_VOID] * 2)


async def test_practice_matches_are_listed_newest_first_with_the_running_ones(server: Server, stub: Any) -> None:
    end = await practise(server, 2)
    bob = await server.bot("bob")
    await bob.send(practice=match_pb2.Practice(game="flip7", against=["cautious", "cautious"]))
    await bob.hear("match_start")
    found = await stub.ListMatches(pb.ListMatchesRequest())
    assert [(one.match_id, one.game, one.state) for one in found.matches] == [
        ("practice/3", "flip7", pb.MATCH_STATE_PLAYING),
        ("practice/2", "stop_me_go", pb.MATCH_STATE_FINISHED),
        ("practice/1", "stop_me_go", pb.MATCH_STATE_FINISHED),
    ]
    assert found.total == 3
    assert not found.matches[0].HasField("result")
    assert list(found.matches[1].result.ranks) == list(end.result.ranks)
    page = await stub.ListMatches(pb.ListMatchesRequest(offset=1, limit=1))
    assert [one.match_id for one in page.matches] == ["practice/2"]


async def test_a_record_is_typed_beside_its_bytes(server: Server, stub: Any) -> None:
    end = await practise(server)
    answer = await stub.GetRecord(pb.GetRecordRequest(match_id=PLAYED))
    played: Record = replay(answer.record_json).record
    record = answer.record
    assert (record.game, record.game_version, record.players) == (played.game, played.version, played.players)
    assert (record.seed, tuple(record.decisions)) == (end.seed, played.moves)
    assert played.result is not None
    assert (tuple(record.ranks), tuple(record.scores), record.reason) == (
        played.result.ranks,
        played.result.scores,
        played.result.reason,
    )


async def test_standings_are_typed_beside_their_json(server: Server, stub: Any) -> None:
    from referee.tournament.plan import Plan

    plan = Plan(game="stop_me_go", players=2, rounds=2)
    await server.competition.director.create("league", plan, ["patient", "random"], "x", True, repeatable=True)
    request = pb.WatchStandingsRequest(tournament="league")
    async for answer in stub.WatchStandings(request):
        if answer.standings.state == standings_pb2.TOURNAMENT_STATE_FINISHED:
            break
    table = answer.standings
    assert (table.tournament, table.game, table.players, table.provisional) == ("league", "stop_me_go", 2, False)
    assert table.matches_done == table.matches_total > 0
    assert {row.bot for row in table.rows} == {"patient", "random"}
    assert all(abs(row.score - (row.mu - 3 * row.sigma)) < 1e-9 and row.HasField("mean_rank") for row in table.rows)
    assert set(table.latest[0].result.terminations) == {result_pb2.TERMINATION_FINISHED}
    assert table.order == standings_pb2.TABLE_ORDER_STRENGTH  # it is finished
    assert sum(row.wins_split for row in table.rows) == table.matches_done
    assert table.rows[0].strength >= table.rows[1].strength
    assert all(row.strength_error > 0 for row in table.rows)
    asked = await stub.GetStandings(pb.GetStandingsRequest(tournament="league"))
    assert (asked.standings.digest, asked.standings.rows) == (table.digest, table.rows)
    assert f'"digest": "{table.digest}"' in asked.standings_json


async def test_watchers_of_changes_end_with_the_same_standings_as_all_others(server: Server, stub: Any) -> None:
    from referee.tournament.plan import Plan
    from referee_leaderboard.changes import applied, by_name, by_rank

    plan = Plan(game="stop_me_go", players=2, rounds=30)
    await server.competition.director.create("league", plan, ["patient", "random"], "x", True, repeatable=True)
    value: Any = None
    whole = 0
    async for answer in stub.WatchStandings(pb.WatchStandingsRequest(tournament="league", changes=True)):
        whole += bool(answer.standings_json)
        assert bool(answer.standings_json) != bool(answer.changes_json)
        if answer.changes_json:
            value = applied(value, json.loads(answer.changes_json))
        else:
            value = by_name(json.loads(answer.standings_json))
        if value["state"] == "finished":
            break
    assert whole >= 1
    asked = json.loads((await stub.GetStandings(pb.GetStandingsRequest(tournament="league"))).standings_json)
    assert by_rank(value) == asked


async def test_why_explains_a_match_of_a_server(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    await practise(server)
    words = ["why", PLAYED, "--bot", "alice", "--server", server.address, "--rollouts", "4", "--workers", "1", "--json"]
    assert await asyncio.to_thread(main, words) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["match"], told["name"], told["rollouts"]) == (PLAYED, "alice", 4)
