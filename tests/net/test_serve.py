"""`referee serve` as a host runs it: addresses, certificates, tokens, health, and how it stops."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.client import Client
from arena.errors import ArenaError
from arena.settings import Practice, Settings
from arena.v1 import match_pb2 as pb
from arena.v1 import result_pb2, tournament_pb2
from referee.cli.main import main
from referee.hall.competition import Competition
from referee.hall.roster import new_admin_token
from referee.listening import CannotListen, Tls, is_public
from referee.net.health_and_reflection import Health
from referee.net.limits import Limits
from referee.net.listener import Wire
from referee.net.server import RefereeServer, ServerSettings
from referee.store import Store

from ..waiting import PATIENCE, soon
from .conftest import REFEREE, Process, Server, serving
from .raw import Raw


def referee(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """Call the command in this process; its exit code and what it said on stderr."""
    capsys.readouterr()
    code = main(list(words))
    return code, capsys.readouterr().err


# Where it listens.


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("127.0.0.1:7700", False),
        ("localhost:7700", False),
        ("[::1]:7700", False),
        ("unix:/tmp/x", False),
        ("0.0.0.0:7700", True),
        ("[::]:7700", True),
        (":7700", True),
        ("192.168.1.5:7700", True),
        ("arena.example.org:443", True),
    ],
)
def test_an_address_is_public_unless_it_stays_on_this_machine(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["--listen", "0.0.0.0:0"], 2, "can be reached from outside"),
        (["--listen", "127.0.0.1"], 2, "HOST:PORT"),
        (["--listen", "127.0.0.1:99999"], 2, "HOST:PORT"),
        (["--listen", "nonsense"], 2, "HOST:PORT"),
        (["--listen", "no.such.host.invalid:80", "--insecure"], 3, "no such host"),
        (["--listen", "ü..x:80", "--insecure"], 3, "no such host"),
        (["--listen", "unix:"], 3, "needs a path of its own"),
        (["--listen", "unix:no/such/socket"], 3, "there is no folder no/such"),
        (["--listen", "unix:bad.pem"], 3, "bad.pem is a file"),
        (["--tls-cert", "x.pem"], 2, "go together"),
        (["--tls-cert", "x.pem", "--tls-key", "y.pem"], 3, "cannot read"),
        (["--tls-cert", "bad.pem", "--tls-key", "bad.pem"], 3, "not a certificate with its key"),
        (["--time", "soon"], 2, "not a duration"),
        (["--config", "none.toml"], 2, "cannot read none.toml"),
        (["--config", "bad.pem"], 2, "bad.pem"),
        (["--config", "typo.toml"], 2, "unknown key 'listne'"),
        (["--config", "none_at_once.toml"], 2, "concurrency must be at least 1, not 0"),
        (["--time", "0"], 2, "1ms"),
        (["--also", "http://there"], 2, "'http://there' is not an address that bots could try: give HOST:PORT"),
        (["--also", "a:1"] + ["--also", "b:2"] * 8, 2, "9 further addresses are too many: give at most 8"),
        (["--config", "addresses.toml"], 2, "7 is not an address that bots could try"),
        (["--config", "address.toml"], 2, "addresses must be a list, not 'a:1'"),
        (["--grace", "2000h"], 2, "1000h"),
        (["--port", "7"], 2, "--port"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    code: int,
    text: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.pem").write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    (tmp_path / "typo.toml").write_text("listne = 3\n")
    (tmp_path / "none_at_once.toml").write_text("concurrency = 0\n")
    (tmp_path / "addresses.toml").write_text("addresses = ['a:1', 7]\n")
    (tmp_path / "address.toml").write_text("addresses = 'a:1'\n")
    found, said = referee(capsys, "serve", "--db", "test.db", *words)
    assert found == code
    assert text in said
    assert said.count("\n") == 1


def test_a_taken_port_is_said_and_leaves_no_token_behind(
    served: Process, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = referee(capsys, "serve", "--db", str(tmp_path / "test.db"), "--listen", served.address)
    assert code == 3
    assert "taken" in said
    with sqlite3.connect(tmp_path / "test.db") as store:
        assert "admin_token_hash" not in "\n".join(store.iterdump())


async def test_a_taken_unix_socket_is_left_to_who_has_it(tmp_path: Path) -> None:
    first, second = Wire([]), Wire([])
    listen = f"unix:{tmp_path / 's'}"
    await first.start(listen)
    with pytest.raises(CannotListen, match="taken"):
        await second.start(listen)
    async with grpc.aio.insecure_channel(listen) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        await stub.Check(health_pb2.HealthCheckRequest())
    await first.stop()
    await second.stop()


def test_a_server_says_how_to_connect_a_bot(served: Process) -> None:
    assert f"REFEREE_TOKEN=… python mybot/bot.py --server {served.address}" in served.said
    assert "referee bot add mybot" in served.said
    assert len(served.admin_token) == 64


# Certificates.


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    words = f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout {key} -days 2"
    words += f" -out {certificate} -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run(words.split(), check=True, capture_output=True)
    return certificate, key


async def test_with_a_certificate_it_speaks_tls_and_nothing_else(
    tmp_path: Path, certificate: tuple[Path, Path]
) -> None:
    with Store.open(str(tmp_path / "test.db"), owner="server") as store:
        listening = RefereeServer(Competition(store), ServerSettings("0.0.0.0:0", Tls(*certificate)))
        await listening.start()
        port = listening.address.rpartition(":")[2]
        token = store.bots.add("alice").token
        assert token is not None
        practice = Practice("stop_me_go", ("patient",))
        settings = Settings(f"localhost:{port}", token, tls=True, ca=certificate[0], practice=practice, quiet=True)
        client = Client(lambda decision: decision.legal[0], settings)
        await client.play()
        assert len(client.results) == 1
        stranger = replace(settings, ca=None, first_patience=0.5)
        with pytest.raises(ArenaError, match="--ca"):
            await Client(lambda decision: decision.legal[0], stranger, say=lambda text: None).play()
        plain = replace(settings, tls=False, ca=None, first_patience=0.5)
        with pytest.raises(ArenaError, match="--tls"):
            await Client(lambda decision: decision.legal[0], plain, say=lambda text: None).play()
        other = replace(settings, server=f"127.0.0.1:{port}", first_patience=0.5)
        with pytest.raises(ArenaError, match="made out to another name"):
            await Client(lambda decision: decision.legal[0], other, say=lambda text: None).play()
        await listening.stop()


def test_what_keeps_a_command_from_a_server_with_tls_is_said(
    tmp_path: Path, certificate: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    trusted, key = map(str, certificate)
    process = Process(tmp_path, "--listen", "0.0.0.0:0", "--tls-cert", trusted, "--tls-key", key)
    port = process.address.rpartition(":")[2]
    assert f"REFEREE_TOKEN=… python mybot/bot.py --server {socket.gethostname()}:{port} --ca {trusted}" in process.said
    assert f"referee leaderboard --server {socket.gethostname()}:{port} --ca {trusted}" in process.said
    for server, more, code, text in [
        (f"localhost:{port}", ["--ca", trusted], 0, ""),
        (f"localhost:{port}", [], 3, "if it speaks TLS, give --ca FILE"),
        (f"127.0.0.1:{port}", ["--ca", trusted], 3, "made out to another name"),
        (f"localhost:{port}", ["--ca", "/no/such/file"], 2, "cannot read /no/such/file"),
        (f"localhost:{port}", ["--ca", __file__], 2, "holds no certificate"),
    ]:
        words = ["--server", server, "--admin-token", process.admin_token, *more]
        found, said = referee(capsys, "bot", "list", *words)
        assert (found, text in said) == (code, True), said
        assert said.count("\n") == (code != 0), said
    # A public certificate: what gRPC trusts is read once per process, so the command has one of its own.
    words = ["bot", "list", "--server", f"localhost:{port}", "--tls", "--json"]
    trusting = os.environ | {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": trusted, "REFEREE_ADMIN_TOKEN": process.admin_token}
    done = subprocess.run([*REFEREE, *words], env=trusting, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    found, said = referee(capsys, *words, "--admin-token", process.admin_token)
    assert (found, "is not trusted: give the one to trust with --ca FILE" in said) == (3, True), said
    process.stop()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--server", ""], "write HOST:PORT"),
        (["--server", "http://127.0.0.1:7700"], "write HOST:PORT"),
        (["--server", "127.0.0.1:1", "--admin-token", "tökén"], "copy it again"),
    ],
)
def test_what_no_server_can_be_asked_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], text: str
) -> None:
    found, said = referee(capsys, "match", "stop_me_go", "patient", "patient", *words)
    assert found == 2
    assert text in said
    assert said.count("\n") == 1


# Tokens.


@pytest.mark.parametrize(("name", "why"), [("odds", "house bot"), ("anyone", "waiting"), ("a,b", "comma")])
def test_a_bot_gets_no_name_that_means_somebody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, why: str
) -> None:
    code, said = referee(capsys, "bot", "add", name, "--db", str(tmp_path / "test.db"))
    assert code == 2
    assert why in said
    assert said.count("\n") == 1


def test_tokens_have_256_bits_are_kept_as_hashes_and_shown_once(served: Process) -> None:
    token = served.token("tokenbot")
    assert len(bytes.fromhex(token)) == 32 if all(c in "0123456789abcdef" for c in token) else len(token) >= 43
    with sqlite3.connect(served.folder / "test.db") as store:
        dump = "\n".join(store.iterdump())
    assert "tokenbot" in dump
    assert token not in dump
    assert served.admin_token not in dump


async def test_a_new_admin_token_makes_the_old_one_void(server: Server) -> None:
    async def codes(token: str) -> grpc.StatusCode:
        async with grpc.aio.insecure_channel(server.address) as channel:
            method: Any = channel.unary_unary("/arena.v1.AdminService/ListBots")
            code: grpc.StatusCode = await method(b"", metadata=(("authorization", f"Bearer {token}"),)).code()
            return code

    old = server.admin_token
    assert await codes(old) is grpc.StatusCode.OK
    new = new_admin_token(server.store)
    assert await codes(old) is grpc.StatusCode.UNAUTHENTICATED
    assert await codes(new) is grpc.StatusCode.OK


# Standard services.


async def test_health_is_serving_and_not_serving_while_it_drains(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for name in ("", "arena.v1.MatchService", "arena.v1.TournamentService", "arena.v1.AdminService"):
            answer = await stub.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        await server.referee.drain(lambda text: None)
        answer = await stub.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING


async def test_reflection_shows_every_service_with_its_file(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = [
            reflection_pb2.ServerReflectionRequest(list_services=""),
            reflection_pb2.ServerReflectionRequest(file_containing_symbol="arena.v1.MatchService"),
        ]
        answers = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]
    names = {service.name for service in answers[0].list_services_response.service}
    assert names == {
        "arena.v1.MatchService",
        "arena.v1.TournamentService",
        "arena.v1.AdminService",
        "arena.v1.ArchiveService",
        "arena.v1.SubmissionService",
        "arena.v1.AccessService",
        "arena.v1.InvitationService",
        "arena.v1.WebhookService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
    }
    assert files_of(answers[1])[0] == "arena/v1/match.proto"
    assert "arena/v1/result.proto" in files_of(answers[1])


def files_of(answer: Any) -> list[str]:
    files = answer.file_descriptor_response.file_descriptor_proto
    return [descriptor_pb2.FileDescriptorProto.FromString(file).name for file in files]


async def test_reflection_answers_under_its_later_name_too(server: Server) -> None:
    symbols = ("arena.v1.TournamentService", "grpc.reflection.v1.ServerReflection")
    asked = [reflection_pb2.ServerReflectionRequest(list_services="")]
    asked += [reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol) for symbol in symbols]
    async with grpc.aio.insecure_channel(server.address) as channel:
        call: Any = channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
        answers = [
            reflection_pb2.ServerReflectionResponse.FromString(answer)
            async for answer in call(iter([question.SerializeToString() for question in asked]))
        ]
    assert "arena.v1.MatchService" in {service.name for service in answers[0].list_services_response.service}
    assert files_of(answers[1])[0] == "arena/v1/tournament.proto"
    assert {"arena/v1/result.proto", "arena/v1/standings.proto"} <= set(files_of(answers[1]))
    assert files_of(answers[2]) == ["grpc/reflection/v1/reflection.proto"]


async def test_anybody_may_ask_which_games_there_are_and_watch_a_match(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    async with grpc.aio.insecure_channel(server.address) as channel:
        games: Any = channel.unary_unary(
            "/arena.v1.TournamentService/ListGames",
            response_deserializer=tournament_pb2.ListGamesResponse.FromString,
        )
        found = await games(b"")
        assert {"flip7", "encore", "stop", "stop_me_go"} <= {game.name for game in found.games}
        watch: Any = channel.unary_stream(
            "/arena.v1.TournamentService/WatchMatch",
            request_serializer=tournament_pb2.WatchMatchRequest.SerializeToString,
            response_deserializer=tournament_pb2.WatchMatchResponse.FromString,
        )
        call = watch(tournament_pb2.WatchMatchRequest(match_id=match.id))
        seen = aiter(call)
        first = await anext(seen)
        assert (first.decisions, first.over) == (0, False)
        assert first.view == match.table.state.view_bytes(None)
        await asyncio.gather(alice.play(), bob.play())
        last = [view async for view in seen][-1]
        assert last.over
        assert list(last.scores) == match.table.state.scores()


@pytest.mark.parametrize(
    ("limits", "text"),
    [
        (Limits(watchers=2), "2 watch already: try again when some have left"),
        (Limits(watchers_per_address=2), "2 from your address watch already: try again when some have left"),
    ],
)
async def test_only_so_many_may_watch_at_a_time(tmp_path: Path, limits: Limits, text: str) -> None:
    async with serving(tmp_path, limits) as server:
        await _crowd(server, text)


async def _crowd(server: Server, text: str) -> None:
    await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    async with grpc.aio.insecure_channel(server.address) as channel:
        watch: Any = channel.unary_stream(
            "/arena.v1.TournamentService/WatchMatch",
            request_serializer=tournament_pb2.WatchMatchRequest.SerializeToString,
            response_deserializer=tournament_pb2.WatchMatchResponse.FromString,
        )
        request = tournament_pb2.WatchMatchRequest(match_id=match.id)
        first, second = watch(request), watch(request)
        for call in (first, second):
            assert not (await call.read()).over
        third = watch(request)
        assert await third.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert await third.details() == text
        assert dict(await third.trailing_metadata())["retry-after-ms"] == "10000"
        first.cancel()
        await soon(lambda: server.referee._watch._watchers.taken == 1)
        fourth = watch(request)
        assert not (await fourth.read()).over
        for call in (second, fourth):
            call.cancel()


# How it stops.


async def test_asked_to_stop_it_waits_for_running_matches_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "host.toml").write_text('listen = "127.0.0.1:1"\ntime = "3s"\n')
    process = Process(tmp_path, "--config", "host.toml")  # options given on the command line win
    bot = Raw(process.address, process.token("alice"))
    await bot.hello()
    await bot.send(practice=pb.Practice(game="stop_me_go", against=["patient"], matches=5))
    question = await bot.hear("decide")
    assert question.budget_ms == 3000
    process.child.send_signal(signal.SIGTERM)
    assert "stopping" in (await bot.hear("drain")).text
    assert "waiting for 1 running match (Ctrl-C again stops at once)" in await asyncio.to_thread(
        process.read_until, "waiting for"
    )
    await bot.act(question)
    end = await bot.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED] * 2
    assert await bot.status() == (grpc.StatusCode.UNAVAILABLE, "the server is stopping: come back in a while")
    await bot.close()
    assert await asyncio.to_thread(process.child.wait, PATIENCE) == 0
    process.stop()
    assert process.said.rstrip().endswith("stopped")
    assert "Traceback" not in process.said
    with sqlite3.connect(tmp_path / "test.db") as store:
        assert "finished" in "\n".join(line for line in store.iterdump() if "matches" in line).lower()


async def test_bots_are_told_further_addresses(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("addresses = ['arena.example.org:7700']\n")
    for words, told in (
        (["--config", "config.toml"], ["arena.example.org:7700"]),
        (["--config", "config.toml", "--also", "localhost:1", "--also", "[::1]:2"], ["localhost:1", "[::1]:2"]),
    ):
        process = Process(tmp_path, "--new-admin-token", *words)
        bot = Raw(process.address, process.token(f"bot{len(told)}"))
        assert list((await bot.hello()).addresses) == told
        await bot.close()
        assert process.stop() == 0


async def test_asked_twice_it_stops_at_once(tmp_path: Path) -> None:
    process = Process(tmp_path, "--time", f"{10 * PATIENCE:g}s")  # the match would go on for longer than we wait
    bot = Raw(process.address, process.token("alice"))
    await bot.hello()
    await bot.send(practice=pb.Practice(game="stop_me_go", against=["patient"]))
    await bot.hear("decide")
    process.child.send_signal(signal.SIGINT)
    await bot.hear("drain")
    process.child.send_signal(signal.SIGINT)
    assert await asyncio.to_thread(process.child.wait, PATIENCE) == 0
    assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
    await bot.close()
    process.stop()
    assert "Traceback" not in process.said


async def test_without_matches_it_stops_at_once_and_bots_are_told(server: Server) -> None:
    bot = await server.bot("alice")
    said: list[str] = []
    await server.referee.drain(said.append)
    assert said == []
    await bot.hear("drain")
    server.referee.play.close_all()
    assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE
    await soon(lambda: not server.competition.presence.bots)


async def test_health_has_the_methods_of_later_versions_of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation may have a later grpcio-health-checking, which looks for `List` when the server starts."""
    listed: dict[str, Any] = {}
    monkeypatch.setattr(health_pb2, "HealthListResponse", lambda statuses: listed.update(statuses), raising=False)
    health = Health()
    health.say("arena.v1.MatchService", health_pb2.HealthCheckResponse.SERVING)
    await health.List(None, None)
    assert {name: answer.status for name, answer in listed.items()} == {
        "arena.v1.MatchService": health_pb2.HealthCheckResponse.SERVING
    }
