"""Options never make a server open a file: a bot's wish that names one is refused, a sheet itself is played on."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import grpc
import pytest

from arena.v1 import admin_pb2, result_pb2
from arena.v1 import match_pb2 as pb
from arena.v1.standings_pb2 import TABLE_ORDER_PLACES
from referee.cli.main import main
from referee.rules import registry

from .conftest import NAMES, Process, Server
from .raw import Raw
from .steady import Steady

pytestmark = pytest.mark.xdist_group("option files")  # one worker: what its tests share takes long to make

SHEET = Path(__file__).parents[1] / "scenarios" / "encore" / "harlequin_sheet.json"
CONTENT: dict[str, Any] = json.loads(SHEET.read_text(encoding="utf-8"))
REFUSED = (
    "encore: option 'sheet': must be 'standard' or the sheet itself as a table, not 'PATH'; "
    "a sheet file is read only where a person names it on the command line"
)


def wish(sheet: Any) -> pb.Practice:
    return pb.Practice(game="encore", against=["tidy"], options_json=json.dumps({"sheet": sheet}))


@pytest.fixture
def paths(served: Process) -> list[str]:
    """Names of a sheet, of some other JSON, of nothing, and of what is never read to its end."""
    if not (served.folder / "pipe").exists():
        os.mkfifo(served.folder / "pipe")
    (served.folder / "sheet.json").write_bytes(SHEET.read_bytes())
    (served.folder / "secret.json").write_text('{"password": 1}')
    return ["pipe", "/dev/zero", "/dev/random", "sheet.json", "secret.json", "nowhere.json", ".", "/etc/passwd"]


async def test_a_wish_that_names_a_file_is_refused_whatever_there_is(
    served: Process, good: Steady, paths: list[str]
) -> None:
    bad = Raw(served.address, served.token(next(NAMES)))
    await bad.hello()
    before = served.memory
    for path in paths:
        await bad.send(practice=wish(path))
        notice = await bad.hear("notice")
        assert (notice.code, notice.text) == (pb.NOTICE_CODE_REFUSED, REFUSED.replace("PATH", path))
        await good.plays_on(3)
    assert served.memory < before + 20
    await bad.close()


async def test_the_sheet_itself_is_played_on(served: Process, good: Steady) -> None:
    bot = Raw(served.address, served.token(next(NAMES)))
    await bot.hello()
    await bot.send(practice=wish(CONTENT))
    assert json.loads((await bot.hear("match_start")).options_json) == {"sheet": CONTENT}
    end = await bot.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED] * 2
    await bot.close()


async def test_a_match_or_tournament_of_the_host_names_no_file_of_the_server(
    served: Process, good: Steady, paths: list[str]
) -> None:
    token = (("authorization", f"Bearer {served.admin_token}"),)
    async with grpc.aio.insecure_channel(served.address) as channel:
        create: Any = channel.unary_unary("/arena.v1.AdminService/CreateTournament")
        play: Any = channel.unary_stream("/arena.v1.AdminService/PlayMatch")
        for path in paths:
            options = json.dumps({"sheet": path})
            league = admin_pb2.CreateTournamentRequest(
                name="league", game="encore", players=2, rounds=1, bots=["tidy", "tidy"], options_json=options
            )
            match = admin_pb2.PlayMatchRequest(game="encore", bots=["tidy", "tidy"], options_json=options)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await create(league.SerializeToString(), metadata=token, timeout=120)
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert refused.value.details() == REFUSED.replace("PATH", path)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await play(match.SerializeToString(), metadata=token, timeout=120).read()
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert refused.value.details() == REFUSED.replace("PATH", path)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ("{" + " " * 16_384, "the options are too large: at most 16,384 bytes of JSON are read"),
        ('{"sheet": ' + "[" * 20 + "]" * 20 + "}", "the options are nested too deeply"),
        ('{"sheet": {"name": "\\ud800"}}', "half a character"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_the_host_too_sends_options_within_bounds(server: Server, options: str, text: str) -> None:
    token = (("authorization", f"Bearer {server.admin_token}"),)
    league = admin_pb2.CreateTournamentRequest(
        name="league", game="encore", players=2, rounds=1, bots=["tidy", "tidy"], options_json=options
    )
    async with grpc.aio.insecure_channel(server.address) as channel:
        create: Any = channel.unary_unary("/arena.v1.AdminService/CreateTournament")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await create(league.SerializeToString(), metadata=token)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert text in (refused.value.details() or "")


async def test_a_sheet_named_on_the_command_line_is_read_there_and_sent(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.json").write_bytes(SHEET.read_bytes())
    monkeypatch.chdir(tmp_path / "here")
    to = ("--server", server.address, "--admin-token", server.admin_token, "--json")
    league = ("tournament", "create", "league", "--game", "encore", "--bots", "tidy,tidy", "--rounds", "1")

    async def referee(*words: str) -> int:
        return await asyncio.to_thread(main, [*words, *to])

    assert await referee("match", "encore", "tidy", "tidy", "--option", "sheet=mine.json") == 0
    settings = server.store.matches.get(1).settings
    assert settings is not None
    assert settings["options"] == {"sheet": CONTENT}
    assert await referee(*league, "--option", "sheet=mine.json") == 0
    assert server.store.tournaments.get("league").settings["options"] == {"sheet": CONTENT}
    capsys.readouterr()
    assert await referee("match", "encore", "tidy", "tidy", "--option", "sheet=nowhere.json") == 2
    assert "there is no sheet file" in capsys.readouterr().err


async def test_the_order_of_the_table_and_openings_are_told_to_the_server(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    to = ("--server", server.address, "--admin-token", server.admin_token)
    league = ("--game", "stop_me_go", "--bots", "patient,random", "--rounds", "1")
    words = [
        "tournament",
        "create",
        "league",
        *league,
        "--order",
        "trueskill",
        "--openings",
        "2",
        "--missed",
        "lost",
        *to,
    ]
    assert await asyncio.to_thread(main, words) == 0
    settings = server.store.tournaments.get("league").settings
    assert (settings["order"], settings["missed"], settings["options"]) == (
        "trueskill",
        "lost",
        registry.find("stop_me_go").resolve_options() | {"openings": 2},
    )
    assert await asyncio.to_thread(main, ["tournament", "create", "cup", *league, "--order", "elo", *to]) == 2
    assert "there is no order 'elo'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"order": TABLE_ORDER_PLACES}, "the order must be TRUESKILL or STRENGTH"),
        ({"schedule": 3}, "the schedule must be BALANCED or FULL"),
        ({"missed": 3}, "missed matches must be ASIDE or LOST"),
    ],
)
async def test_a_number_that_the_settings_of_a_tournament_do_not_have_is_refused(
    server: Server, wrong: dict[str, Any], said: str
) -> None:
    league = admin_pb2.CreateTournamentRequest(
        name="league", game="stop_me_go", players=2, rounds=1, bots=["patient", "random"], **wrong
    )
    async with grpc.aio.insecure_channel(server.address) as channel:
        create: Any = channel.unary_unary("/arena.v1.AdminService/CreateTournament")
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await create(league.SerializeToString(), metadata=(("authorization", f"Bearer {server.admin_token}"),))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert said in (refused.value.details() or "")


async def test_options_of_a_game_that_only_the_server_has_are_left_to_it(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["match", "chess", "tidy", "--option", "clock=5", "--server", server.address]
    assert await asyncio.to_thread(main, [*words, "--admin-token", server.admin_token]) == 2
    assert "unknown game 'chess'" in capsys.readouterr().err
