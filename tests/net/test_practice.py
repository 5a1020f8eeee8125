"""Practice: asked for by a bot in the lobby, or arranged by the host."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.v1 import admin_pb2, result_pb2
from arena.v1 import match_pb2 as pb
from referee.cli.main import main
from referee.match.clock import TimeControl
from referee.store import MatchState, Store

from ..waiting import PATIENCE, soon
from .conftest import Server
from .raw import Raw


def wish(*against: str, game: str = "stop_me_go", **fields: Any) -> pb.Practice:
    return pb.Practice(game=game, against=against, **fields)


async def settled(server: Server, bot: Raw) -> list[str]:
    """Wait until the server has started whatever it starts for this bot; what the bot has heard until then."""
    heard = await bot.until_now()
    await soon(lambda: not server.competition.lobby._tasks)
    return heard + await bot.until_now()


async def test_a_bot_practises_against_house_bots_and_every_match_is_kept(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(practice=wish("cautious", "cautious", game="flip7", matches=3))
    seats = []
    for _ in range(3):
        start = await bot.hear("match_start")
        seats.append(start.seat)
        assert sorted(start.names) == ["alice", "cautious", "cautious-2"]
        await bot.play()
    assert seats == [0, 2, 1]
    kept = [server.store.matches.get(number) for number in (1, 2, 3)]
    assert [match.state for match in kept] == [MatchState.FINISHED] * 3
    assert server.store.matches.record(1) is not None


async def test_two_bots_that_want_anyone_meet(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    await alice.send(practice=wish("anyone"))
    assert (await alice.hear("notice")).text == "waiting for 1 more at stop_me_go"
    await bob.send(practice=wish("anyone"))
    start = await alice.hear("match_start")
    assert sorted(start.names) == ["alice", "bob"]
    await asyncio.gather(alice.play(), bob.play())


async def test_bots_that_want_something_else_do_not_meet(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    await alice.send(practice=wish("anyone"))
    await bob.send(practice=wish("anyone", "patient"))
    assert (await bob.hear("notice")).code == pb.NOTICE_CODE_WAITING
    assert not server.competition.hall.matches


async def test_anyone_and_house_bots_share_a_table(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    for bot in (alice, bob):
        await bot.send(practice=wish("anyone", "patient"))
    start = await bob.hear("match_start")
    assert sorted(start.names) == ["alice", "bob", "patient"]


async def test_who_is_left_behind_waits_for_somebody_else(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    await alice.send(practice=wish("anyone", matches=2))
    await bob.send(practice=wish("anyone", matches=1))
    await asyncio.gather(alice.play(), bob.play())
    assert (await alice.hear("notice")).code == pb.NOTICE_CODE_WAITING
    carol = await server.bot("carol")
    await carol.send(practice=wish("anyone"))
    assert "carol" in (await alice.hear("match_start")).names


async def test_who_goes_while_waiting_is_not_waited_for(server: Server) -> None:
    alice = await server.bot("alice")
    await alice.send(practice=wish("anyone"))
    await alice.hear("notice")
    await alice.close()
    await soon(lambda: "alice" not in server.competition.presence.bots)
    bob = await server.bot("bob")
    await bob.send(practice=wish("anyone"))
    assert (await bob.hear("notice")).code == pb.NOTICE_CODE_WAITING


async def test_a_new_wish_replaces_the_old_one(server: Server) -> None:
    bot = await server.bot("alice", concurrency=1)
    await bot.send(practice=wish("patient", matches=100))
    await bot.hear("match_start")
    await bot.send(practice=wish("cautious", "cautious", game="flip7", matches=1))
    await bot.play()
    assert (await bot.hear("match_start")).game == "flip7"
    await bot.play()
    assert await settled(server, bot) == []


async def test_no_more_matches_than_a_bot_takes(server: Server) -> None:
    bot = await server.bot("alice", concurrency=1)
    await server.bot("bob")
    running = server.sit("alice", "bob")
    await bot.send(practice=wish("patient"))
    await settled(server, bot)
    assert list(server.session("alice").seats) == [running.id]
    running.break_off("enough")
    await bot.play(1)
    assert (await bot.hear("match_start")).match_id == "practice/1"


async def test_a_bot_with_room_for_many_practises_one_match_after_the_other(server: Server) -> None:
    bot = await server.bot("alice", concurrency=1000)
    wishes = [pb.BotBody(practice=wish("cautious", "cautious", game="flip7", matches=2)) for _ in range(400)]
    await bot.send_all(*wishes)
    await bot.hear("decide")
    await bot.send_all(*wishes[:50])
    await settled(server, bot)
    assert len(server.session("alice").seats) == 1
    assert len(server.competition.hall.matches) == 1
    await bot.send(resign=pb.Resign(match_id="practice/1"))
    assert (await bot.hear("match_start")).match_id == "practice/2"


async def test_options_of_the_game_are_taken_along(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(practice=wish("cautious", "cautious", game="flip7", options_json='{"target_score": 50}'))
    assert json.loads((await bot.hear("match_start")).options_json)["target_score"] == 50


async def test_a_bot_of_another_game_is_not_seated(server: Server) -> None:
    bot = await server.bot("alice", games=["encore"])
    await bot.send(practice=wish("patient"))
    notice = await bot.hear("notice")
    assert (notice.code, notice.text) == (pb.NOTICE_CODE_REFUSED, "this bot said it does not play stop_me_go")


async def test_a_house_bot_that_is_a_program_of_its_own_is_refused_with_what_to_do(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(practice=wish("awk", "awk", game="flip7"))
    notice = await bot.hear("notice")
    assert notice.code == pb.NOTICE_CODE_REFUSED
    assert "referee bridge" in notice.text


async def test_a_registered_bot_does_not_stand_in_for_a_house_bot_of_the_same_name(server: Server) -> None:
    await server.token("patient")
    bot = await server.bot("alice")
    await bot.send(practice=wish("patient"))
    notice = await bot.hear("notice")
    assert notice.code == pb.NOTICE_CODE_REFUSED
    assert "patient" in notice.text


async def test_while_the_server_drains_no_practice_begins(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(practice=wish("patient", matches=50))
    await bot.hear("match_start")
    draining = asyncio.ensure_future(server.referee.drain(lambda text: None))
    await bot.play()
    await asyncio.wait_for(draining, PATIENCE)
    await bot.send(practice=wish("patient"))
    assert (await bot.hear("notice")).code == pb.NOTICE_CODE_CLOSED
    assert server.store.matches.get(1).state is MatchState.FINISHED


async def test_a_house_bot_that_raises_costs_only_itself_the_match(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def decide(decision: Any) -> str:
        raise SystemExit("enough")

    monkeypatch.setitem(server.competition.roster._loaded, "patient", decide)
    bot = await server.bot("alice")
    await bot.send(practice=wish("patient"))
    end = await bot.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED, result_pb2.TERMINATION_CRASH]
    assert end.result.texts[1] == "SystemExit in decide: enough"


async def test_a_house_bot_that_cannot_start_costs_only_itself_the_match(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Bot:
        def __init__(self) -> None:
            raise RuntimeError("no coffee")

        def decide(self, decision: Any) -> str:
            return "go"

    monkeypatch.setitem(server.competition.roster._loaded, "patient", Bot)
    bot = await server.bot("alice")
    await bot.send(practice=wish("patient"))
    end = await bot.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED, result_pb2.TERMINATION_CRASH]
    assert "no coffee" in end.result.texts[1]


async def test_a_house_bot_that_cheats_forfeits_at_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(server.competition.roster._loaded, "patient", lambda decision: "win")
    bot = await server.bot("alice")
    await bot.send(practice=wish("patient"))
    assert (await bot.play()).result.terminations[1] == result_pb2.TERMINATION_ILLEGAL


# Arranged by the host.


async def arranged(server: Server, request: admin_pb2.PlayMatchRequest) -> list[Any]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        method: Any = channel.unary_stream(
            "/arena.v1.AdminService/PlayMatch",
            request_serializer=admin_pb2.PlayMatchRequest.SerializeToString,
            response_deserializer=admin_pb2.PlayMatchResponse.FromString,
        )
        call = method(request, metadata=(("authorization", f"Bearer {server.admin_token}"),))
        return [played async for played in call]


async def test_the_host_has_a_bot_play_house_bots(server: Server) -> None:
    alice = await server.bot("alice")
    playing = asyncio.ensure_future(alice.play(2))
    played = await arranged(server, admin_pb2.PlayMatchRequest(game="stop_me_go", bots=["alice", "patient"], matches=2))
    await playing
    assert [list(one.bots) for one in played] == [["alice", "patient"], ["patient", "alice"]]
    assert all(set(one.result.terminations) == {result_pb2.TERMINATION_FINISHED} for one in played)


async def test_the_same_seed_is_the_same_deal(server: Server) -> None:
    request = admin_pb2.PlayMatchRequest(game="stop_me_go", bots=["patient", "patient"], seed="ab" * 32, matches=1)
    first = await arranged(server, request)
    second = await arranged(server, request)
    assert (first[0].result, first[0].decisions) == (second[0].result, second[0].decisions)


@pytest.mark.parametrize(
    ("fields", "code", "text"),
    [
        ({"game": "chess", "bots": ["a"]}, grpc.StatusCode.INVALID_ARGUMENT, "chess"),
        ({"game": "stop_me_go", "bots": ["patient"]}, grpc.StatusCode.INVALID_ARGUMENT, "2 to 6 players"),
        ({"game": "stop_me_go", "bots": ["patient", "nobody"]}, grpc.StatusCode.INVALID_ARGUMENT, "nobody"),
        ({"game": "stop_me_go", "bots": ["patient", "absent"]}, grpc.StatusCode.FAILED_PRECONDITION, "not connected"),
        ({"game": "stop_me_go", "bots": ["absent", "absent"]}, grpc.StatusCode.INVALID_ARGUMENT, "one bot"),
        ({"game": "stop_me_go", "bots": ["patient"] * 2, "seed": "xyz"}, grpc.StatusCode.INVALID_ARGUMENT, "hex"),
        (
            {"game": "stop_me_go", "bots": ["patient"] * 2, "seed": "01"},
            grpc.StatusCode.INVALID_ARGUMENT,
            "the seed has 1 bytes and could be guessed from its commitment: give at least 32",
        ),
        (
            {"game": "stop_me_go", "bots": ["patient", "absent"], "seed": "ab" * 32, "matches": 2},
            grpc.StatusCode.INVALID_ARGUMENT,
            "every match has the same deal, and absent would know it after the first",
        ),
        (
            {"game": "stop_me_go", "bots": ["patient"] * 2, "options_json": "{"},
            grpc.StatusCode.INVALID_ARGUMENT,
            "JSON",
        ),
        (
            {"game": "stop_me_go", "bots": ["patient"] * 2, "options_json": "[" * 100_000},
            grpc.StatusCode.INVALID_ARGUMENT,
            "JSON",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
async def test_what_the_host_cannot_have(
    server: Server, fields: dict[str, Any], code: grpc.StatusCode, text: str
) -> None:
    await server.token("absent")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await arranged(server, admin_pb2.PlayMatchRequest(**fields))
    assert refused.value.code() is code
    assert text in (refused.value.details() or "")


async def test_referee_match_prints_results(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "stop_me_go", "patient", "patient", "--server", server.address, "--matches", "2"]

    def call(*more: str) -> int:
        return main([*words, "--admin-token", server.admin_token, *more])

    assert await asyncio.to_thread(call, "--json") == 0
    results = json.loads(capsys.readouterr().out)
    assert [result["bots"] for result in results] == [["patient", "patient-2"], ["patient-2", "patient"]]
    assert await asyncio.to_thread(call) == 0
    assert capsys.readouterr().out.count("1. patient") >= 2
    assert await asyncio.to_thread(main, [*words, "--admin-token", "wrong"]) == 2
    assert "admin token" in capsys.readouterr().err


async def test_referee_match_prints_a_line_per_match_however_narrow_the_terminal(
    server: Server, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    words = ["match", "stop_me_go", "patient", "patient", "--server", server.address, "--matches", "2"]
    assert await asyncio.to_thread(main, [*words, "--admin-token", server.admin_token]) == 0
    assert capsys.readouterr().out.count("\n") == 2


@pytest.mark.parametrize(
    ("words", "text"),
    [(["--time", "2000h"], "1000h"), (["--time", "0"], "1ms"), (["--matches", "99999999999"], "1000000")],
)
def test_what_no_match_can_have_is_said_before_a_server_is_asked(
    capsys: pytest.CaptureFixture[str], words: list[str], text: str
) -> None:
    assert main(["match", "stop_me_go", "patient", "patient", "--server", "127.0.0.1:1", *words]) == 2
    assert text in capsys.readouterr().err


async def test_the_host_may_give_a_limit_and_no_bank(server: Server) -> None:
    bot = await server.bot("alice")
    request = admin_pb2.PlayMatchRequest(game="stop_me_go", bots=["alice", "patient"], limit_ms=5000)
    arranging = asyncio.ensure_future(arranged(server, request))
    control = (await bot.hear("match_start")).time_control
    assert (control.limit_ms, control.bank_ms) == (5000, 0)
    await bot.play()
    await arranging


async def test_a_practice_match_that_was_interrupted_is_void_after_a_restart(tmp_path: Path) -> None:
    path = str(tmp_path / "test.db")
    with Store.open(path, owner="server") as store:
        server = Server(store, TimeControl())
        await server.referee.start()
        bot = await server.bot("alice")
        await bot.send(practice=wish("patient"))
        await bot.hear("decide")
        await server.close()
    with Store.open(path, owner="server") as store:
        server = Server(store, TimeControl())
        await server.referee.start()
        assert store.matches.get(1).state is MatchState.VOID
        await server.close()


async def test_house_bots_think_beside_the_loop(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = set()

    def decide(decision: Any) -> str:
        threads.add(threading.current_thread().name)
        return str(decision.legal[0])

    monkeypatch.setitem(server.competition.roster._loaded, "patient", decide)
    bot: Raw = await server.bot("alice")
    await bot.send(practice=wish("patient"))
    await bot.play()
    assert threads == {"house bots"}


@pytest.mark.alone
async def test_a_house_bot_that_never_answers_loses_its_match_and_holds_up_no_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def stuck(decision: Any) -> str:
        release.wait(30)
        return "go"

    monkeypatch.setitem(server.competition.roster._loaded, "patient", stuck)
    alice, bob = await server.bots("alice", "bob")
    server.competition.lobby._control = TimeControl(1.5, 0.5)
    await alice.send(practice=wish("patient"))
    await alice.act(await alice.hear("decide"))
    await bob.send(practice=wish("cautious", "cautious", game="flip7"))
    end, other = await asyncio.gather(alice.play(), bob.play())
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED, result_pb2.TERMINATION_TIMEOUT]
    assert list(other.result.terminations) == [result_pb2.TERMINATION_FINISHED] * 3
    release.set()
