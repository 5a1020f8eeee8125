"""Submissions over gRPC, to a real `referee serve` with its sandbox: from `referee submit` to a match, or refused."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from tests.hosting.submission.zips import TOML, bot_folder, bot_zip, entry
from tests.workers.submission_plan import plan

from arena.v1 import match_pb2
from arena.v1 import submission_pb2 as pb
from arena.v1.submission_pb2_grpc import SubmissionServiceStub
from arena.v1.tournament_pb2 import WatchStandingsRequest
from arena.v1.tournament_pb2_grpc import TournamentServiceStub
from referee.cli.main import main
from referee.hall.competition import Competition
from referee.net import submission_service
from referee.net.server import RefereeServer, ServerSettings
from referee.store import Store

from ..waiting import PATIENCE
from .conftest import Process, Server
from .raw import Raw

pytestmark = pytest.mark.xdist_group("submissions")  # one worker: what its tests share takes long to make
GAME = ["--game", "stop_me_go", "--rounds", "6"]


@pytest.fixture(scope="module")
def place(bubblewrap: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    process = Process(tmp_path_factory.mktemp("served"), "--submissions")
    yield process
    assert process.stop() == 0, process.said


class Author:
    """One who has a bot's token, at a terminal."""

    def __init__(self, place: Process, name: str) -> None:
        self.place, self.name = place, name
        self.token = place.token(name)

    def types(self, *words: str, token: str | None = None, code: int = 0, admin: bool = False) -> Any:
        out, err = io.StringIO(), io.StringIO()
        given = {"REFEREE_SERVER": self.place.address, "COLUMNS": "200"}
        given |= {"REFEREE_ADMIN_TOKEN": self.place.admin_token} if admin else {}
        given |= {"REFEREE_TOKEN": self.token if token is None else token}
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.delenv("REFEREE_ADMIN_TOKEN", raising=False)
            for key, value in given.items():
                patch.setenv(key, value)
            patch.setattr("sys.stdin", io.StringIO())
            ended = main(words)
        said = out.getvalue() + err.getvalue()
        assert ended == code, said
        return json.loads(out.getvalue()) if "--json" in words and out.getvalue() else said


def stored(place: Process) -> list[str]:
    """The files of the content store, but for those of bots that were taken."""
    folder = place.folder / "test.db-submissions"
    return sorted(path.relative_to(folder).as_posix() for path in (folder / "incoming").rglob("*"))


async def hello(place: Process, token: str) -> tuple[grpc.StatusCode | None, str]:
    """How the server answers a bot that connects: None if it is welcome."""
    stream = Raw(place.address, token)
    try:
        stream.listen()
        await stream.send(hello=match_pb2.Hello(protocol_version=1, concurrency=1))
        welcome, refused = asyncio.create_task(stream.hear("welcome")), asyncio.create_task(stream.status())
        done, _ = await asyncio.wait({welcome, refused}, return_when=asyncio.FIRST_COMPLETED)
        welcome.cancel()
        return refused.result() if refused in done else (None, "")
    finally:
        await stream.close()


async def test_an_author_submits_a_bot_that_plays_and_goes_back_and_takes_it_back(
    place: Process, tmp_path: Path
) -> None:
    ada = Author(place, "ada")
    assert ada.types("submission", "list", "--json") == []
    first = ada.types("submit", str(bot_folder(tmp_path / "one")), "--json")
    assert (first["bot"], first["version"], first["state"], first["reason"]) == ("ada", 1, "active", "")
    assert "ada is fit to play" in ada.types("submission", "log")
    plays = ["tournament", "create", "cup", *GAME, "--bots", "ada,random", "--server", place.address]
    ada.types(*plays, "--start", admin=True)
    async with grpc.aio.insecure_channel(place.address) as channel:
        async with asyncio.timeout(PATIENCE):
            async for told in TournamentServiceStub(channel).WatchStandings(WatchStandingsRequest(tournament="cup")):
                if json.loads(told.standings_json)["state"] == "finished":
                    break
    table = ada.types("export", "cup", "--server", place.address, "--jsonl", "-")
    versions = [json.loads(line)["version"] for line in table.splitlines() if '"bot": "ada"' in line]
    assert versions == [1] * len(versions) != []

    bad = bot_folder(tmp_path / "two")
    (bad / "bot.toml").write_text(TOML + "build = \"sh -c 'echo tired; exit 3'\"\n")
    second = ada.types("submit", str(bad), "--json", code=1)
    assert (second["version"], second["state"]) == (2, "refused")
    assert "cannot be built" in second["reason"]
    assert "tired" in ada.types("submission", "log", "2", "--json")["log"]
    assert "was refused" in ada.types("submission", "rollback", "2", code=2)
    assert [row["state"] for row in ada.types("submission", "list", "--json")] == ["active", "refused"]

    code, said = await hello(place, ada.token)
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "version 1 of ada was submitted and plays here" in said
    ada.types("submission", "retire", "--reason", "holiday")
    assert await hello(place, ada.token) == (None, "")
    assert ada.types("submission", "rollback", "1", "--json")["state"] == "active"
    assert ada.types("submission", "list", "--bot", "ada", "--json", admin=True)[0]["state"] == "active"
    ada.types("submission", "retire", "--bot", "ada", "--reason", "too loud", admin=True)
    ada.types("submission", "rollback", "1", "--bot", "ada", admin=True)
    told = ada.types("events", "--server", place.address, "--kind", "action", "--json", admin=True)["events"]
    done = [event["text"] for event in told if "version" in event["text"]]
    assert done == ["host retired version 1 of ada", "host made active version 1 of ada"]  # the author's own are not


def test_a_bad_zip_is_refused_in_a_sentence_and_leaves_nothing(place: Process, tmp_path: Path) -> None:
    cy = Author(place, "cy")
    for name, mode, said in (
        ("../evil", 0o100644, "leads out of it"),
        ("link", 0o120777, "has a link"),
        ("/etc/x", 0o100644, "absolute path"),
    ):
        bad = bot_zip(tmp_path / "bad.zip", (entry(name, mode), b"x"))
        assert said in cy.types("submit", str(bad), code=2)
    assert cy.types("submission", "list", "--json") == []
    assert stored(place) == []


def test_tokens_come_from_a_file_too_and_wrong_use_is_told(place: Process, tmp_path: Path) -> None:
    dee = Author(place, "dee")
    file = tmp_path / "token"
    file.write_text(f"export REFEREE_TOKEN={dee.token}\n")
    assert dee.types("submission", "list", "--token-file", str(file), "--json", token="") == []
    for words, said in (
        (["submission", "list"], "token is missing"),
        (["submission", "list", "--token-file", str(tmp_path / "none")], "cannot read"),
        (["submission", "list", "--bot", "dee"], "the admin token is missing"),
        (["submit", str(tmp_path / "none"), "--token-file", str(file)], "name the bot's folder"),
        (["submission", "rollback", "7", "--token-file", str(file)], "no version 7"),
        (["submission", "retire", "--token-file", str(file)], "no version of this bot is active"),
    ):
        assert said in dee.types(*words, token="", code=2)
    assert "did not accept the bot's token" in dee.types("submission", "list", token="0" * 64, code=2)


def test_a_token_is_about_its_own_bot_and_a_stranger_gets_nothing(place: Process) -> None:
    eve = Author(place, "eve")
    with grpc.insecure_channel(place.address) as channel:
        call = channel.unary_unary(
            "/arena.v1.SubmissionService/ListVersions",
            request_serializer=pb.ListVersionsRequest.SerializeToString,
            response_deserializer=pb.ListVersionsResponse.FromString,
        )
        for token, bot, code in (
            (eve.token, "ada", grpc.StatusCode.PERMISSION_DENIED),
            ("nonsense", "", grpc.StatusCode.UNAUTHENTICATED),
            (place.admin_token, "", grpc.StatusCode.INVALID_ARGUMENT),
            (place.admin_token, "nobody", grpc.StatusCode.NOT_FOUND),
        ):
            with pytest.raises(grpc.RpcError) as refused:
                call(
                    pb.ListVersionsRequest(bot=bot),
                    metadata=(("authorization", f"Bearer {token}"),),
                    timeout=PATIENCE,
                )
            assert refused.value.code() is code


async def test_a_server_without_submissions_says_so(server: Server) -> None:
    token = await server.token("fay")
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = SubmissionServiceStub(channel).ListVersions(
            pb.ListVersionsRequest(), metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE
        )
        with pytest.raises(grpc.aio.AioRpcError, match="takes no submissions"):
            await call


async def test_an_upload_that_stands_still_gives_its_place_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission_service, "UPLOADS", 1)
    monkeypatch.setattr(submission_service, "UPLOAD_SECONDS", 1.0)
    packed = bot_zip(tmp_path / "bot.zip").read_bytes()
    with Store.open(tmp_path / "test.db", owner="server") as store:
        slow, quick = store.bots.add("slow").token, store.bots.add("quick").token
        server = RefereeServer(Competition(store, submissions=plan(tmp_path)), ServerSettings("127.0.0.1:0"))
        await server.start()
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = SubmissionServiceStub(channel)
            stands_still = stub.Submit(metadata=[("authorization", f"Bearer {slow}")])
            await stands_still.write(pb.SubmitRequest(chunk=packed[:100]))
            assert await asyncio.wait_for(stands_still.code(), PATIENCE) is grpc.StatusCode.DEADLINE_EXCEEDED
            assert "took too long" in await stands_still.details()
            monkeypatch.setattr(submission_service, "UPLOAD_SECONDS", PATIENCE)
            call = stub.Submit(metadata=[("authorization", f"Bearer {quick}")])
            await call.write(pb.SubmitRequest(chunk=packed))
            await call.done_writing()
            assert (await asyncio.wait_for(call.read(), PATIENCE)).version.number == 1
        await server.stop()
        assert [path for path in (tmp_path / "submissions" / "incoming").iterdir() if path.is_file()] == []
