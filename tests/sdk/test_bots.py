"""Bots of every kind on the real server."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.errors import BotFailed, Refused
from arena.games.flip7.v1 import flip7_pb2
from arena.settings import Practice, Settings, read
from arena.v1 import result_pb2
from referee.rules import registry

from ..waiting import PATIENCE, soon
from .conftest import Server, first_move

TABLE = Practice("flip7", ("cautious", "cautious"))


def fine(client: Any, matches: int = 1) -> None:
    assert len(client.results) == matches
    for end in client.results:
        assert set(end.result.terminations) == {result_pb2.TERMINATION_FINISHED}


async def test_a_function_plays_with_a_typed_view(server: Server) -> None:
    seen: list[arena.Decision] = []

    def decide(decision: arena.Decision) -> str:
        seen.append(decision)
        assert isinstance(decision.view, flip7_pb2.View)
        assert decision.view.seat == decision.seat
        return decision.legal[0]

    fine(await server.play(decide, practice=TABLE))
    first = seen[0]
    assert (first.game, first.match, first.info.names[first.seat]) == ("flip7", "practice/1", "alice")
    assert (first.budget, first.bank, first.info.limit, first.info.bank) == (20.0, 60.0, 20.0, 60.0)
    assert first.info.options["target_score"] == 200
    assert "rank" in server.heard
    assert repr(first).startswith("<Decision ")


async def test_a_class_gets_an_instance_per_match_with_start_and_end(server: Server) -> None:
    made: list[Any] = []

    class Bot:
        def __init__(self) -> None:
            made.append(self)
            self.ended: list[Any] = []

        def start(self, match: arena.Match) -> None:
            self.match = match

        def decide(self, decision: arena.Decision) -> str:
            assert decision.match == self.match.id
            return decision.legal[0]

        def end(self, end: Any) -> None:
            self.ended.append(end)

    fine(await server.play(Bot, practice=Practice("stop_me_go", ("patient",), 3)), 3)
    assert [bot.match.id for bot in made] == ["practice/1", "practice/2", "practice/3"]
    assert all(len(bot.ended) == 1 for bot in made)


async def test_an_async_bot_thinks_about_several_matches_at_once(server: Server) -> None:
    thinking = 0
    together = asyncio.Event()

    async def decide(decision: arena.Decision) -> str:
        nonlocal thinking
        thinking += 1
        if thinking > 2:
            together.set()
        with suppress(TimeoutError):  # a bot is asked more at once when it has answered a few
            await asyncio.wait_for(together.wait(), 0.05)
        thinking -= 1
        return decision.legal[0]

    clients = [arena.Client(decide, server.settings(name, quiet=True)) for name in ("alice", "bob")]
    work = [asyncio.ensure_future(client.play()) for client in clients]
    await soon(lambda: len(server.competition.presence.bots) == 2)
    game = registry.find("stop_me_go")
    sessions = [server.competition.presence.bots[name] for name in ("alice", "bob")]
    for number in range(6):
        options = game.resolve_options({})
        server.competition.hall.play(f"t/{number}", game, sessions, options, bytes(32), server.competition.control)
    await soon(lambda: all(len(client.results) == 6 for client in clients))
    for client in clients:
        fine(client, 6)
        client.leave()
    await asyncio.gather(*work)
    assert together.is_set()


async def test_run_async_returns_the_results(server: Server) -> None:
    client = await arena.run_async(first_move, server.settings(practice=TABLE, quiet=True))
    fine(client)


async def test_an_error_in_decide_is_shown_and_resigns_only_that_match(server: Server) -> None:
    asked: dict[str, int] = {}

    def decide(decision: arena.Decision) -> str:
        asked[decision.match] = asked.get(decision.match, 0) + 1
        if decision.match == "practice/1":
            raise KeyError("seven")
        return decision.legal[0]

    client = await server.play(decide, practice=Practice("stop_me_go", ("patient",), 2))
    first, second = client.results
    assert list(first.result.terminations) == [result_pb2.TERMINATION_RESIGNED, result_pb2.TERMINATION_FINISHED]
    assert first.result.texts[0] == "resigned: error in decide: KeyError: 'seven'"
    assert set(second.result.terminations) == {result_pb2.TERMINATION_FINISHED}
    assert asked["practice/1"] == 1
    assert 'raise KeyError("seven")' in server.heard
    assert "resigning this match" in server.heard
    assert "against patient (resigned: error in decide: KeyError: 'seven')" in server.heard


async def test_strict_stops_at_the_first_error(server: Server) -> None:
    def decide(decision: arena.Decision) -> str:
        raise KeyError("seven")

    with pytest.raises(BotFailed, match="KeyError: 'seven'"):
        await server.play(decide, practice=TABLE, strict=True)
    assert "Traceback" in server.heard


@pytest.mark.parametrize("answer", [None, 7, ["hit"]])
async def test_an_answer_that_is_no_text_is_explained(server: Server, answer: Any) -> None:
    client = await server.play(lambda decision: answer, practice=TABLE)
    assert client.results[0].result.terminations[0] == result_pb2.TERMINATION_RESIGNED
    assert f"decide returned {answer!r}; a move is a text such as 'hit'" in server.heard


async def test_a_refused_move_says_which_why_and_what_was_legal(server: Server) -> None:
    client = await server.play(lambda decision: "fold", practice=TABLE)
    assert client.results[0].result.terminations[0] == result_pb2.TERMINATION_ILLEGAL
    refusals = [text for text in server.said if "was refused" in text]
    assert len(refusals) == 3
    assert refusals[0].startswith("match practice/1, decision ")
    assert "'fold' was refused: " in refusals[0]
    assert "Legal were: hit | stay. Strikes left: 2." in refusals[0]


async def test_a_bot_that_cannot_start_resigns(server: Server) -> None:
    class Bot:
        def start(self, match: arena.Match) -> None:
            raise RuntimeError("no coffee")

        def decide(self, decision: arena.Decision) -> str:
            return "hit"

    client = await server.play(Bot, practice=TABLE)
    assert client.results[0].result.terminations[0] == result_pb2.TERMINATION_RESIGNED
    assert "no coffee" in server.heard


async def test_a_wrong_token_is_explained(server: Server) -> None:
    settings = Settings(server.referee.address, "wrong")
    with pytest.raises(Refused, match="did not accept the token: check REFEREE_TOKEN or --token"):
        await arena.Client(first_move, settings).play()
    with pytest.raises(Refused, match="give it with --token or REFEREE_TOKEN"):
        await arena.Client(first_move, Settings(server.referee.address)).play()


async def test_a_wrong_name_is_explained(server: Server) -> None:
    with pytest.raises(Refused, match="the token belongs to a bot of another name"):
        await arena.Client(first_move, replace(server.settings("alice"), name="bob")).play()


async def test_a_second_copy_of_a_bot_is_refused(server: Server) -> None:
    settings = server.settings(quiet=True)
    first = arena.Client(first_move, settings)
    work = asyncio.ensure_future(first.play())
    await soon(lambda: bool(server.competition.presence.bots))
    with pytest.raises(Refused, match="alice is connected already: one stream per bot"):
        await arena.Client(first_move, settings).play()
    first.leave()
    await work


async def test_a_server_of_another_kind_is_told_apart(tmp_path: Path) -> None:
    import grpc

    other = grpc.aio.server()
    port = other.add_insecure_port("127.0.0.1:0")
    await other.start()
    with pytest.raises(Refused, match="is a gRPC server, but no Referee server of this version"):
        await arena.Client(first_move, Settings(f"127.0.0.1:{port}", "t")).play()
    await other.stop(0)


@pytest.mark.parametrize("page", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"<!DOCTYPE HTML>\n<html></html>\n"])
async def test_a_web_server_is_told_apart_at_once(page: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(24)
        writer.write(page)
        await writer.drain()
        writer.close()

    web = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = web.sockets[0].getsockname()[1]
    with pytest.raises(Refused, match=r"is a web server|not as a Referee server does"):
        await arena.Client(first_move, Settings(f"127.0.0.1:{port}", "t")).play()
    web.close()


async def test_record_keeps_what_the_bot_saw_and_said(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    await server.play(first_move, practice=TABLE, record=file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["type"] == "start"
    assert lines[-1]["type"] == "end"
    decision = next(line for line in lines if line["type"] == "decide")
    assert decision["move"] == decision["legal"][0]
    assert decision["view"]["players"]
    assert decision["ms"] >= 0


async def test_a_place_that_cannot_be_recorded_to_is_explained(server: Server, tmp_path: Path) -> None:
    with pytest.raises(arena.ArenaError, match="cannot record to"):
        await server.play(first_move, practice=TABLE, record=tmp_path / "no" / "such")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is always full")
async def test_a_full_disk_ends_the_recording_bot_with_a_sentence(server: Server) -> None:
    with pytest.raises(arena.ArenaError, match="cannot record to /dev/full: No space left"):
        await server.play(first_move, practice=TABLE, record=Path("/dev/full"))


async def test_a_game_without_generated_code_can_be_played_from_the_list() -> None:
    decision = arena.Decision(arena.Match("m", "x", 0, (), view_type="no.such.View"), 1, ["a"], b"\x08\x01")
    assert decision.view_bytes == b"\x08\x01"
    with pytest.raises(arena.UnknownView, match="import the game's _pb2 module"):
        _ = decision.view


@pytest.mark.parametrize("bot", [None, 3, "decide", object()])
async def test_what_is_no_bot_is_told(bot: Any) -> None:
    with pytest.raises(arena.NotABot, match="is not a bot: give arena"):
        await arena.run_async(bot, Settings())


async def test_inside_a_running_loop_it_says_what_to_say_instead(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        arena.run(first_move, [])
    assert end.value.code == 2
    assert "await arena.run_async(bot, " in capsys.readouterr().err


# As a program.

FIVE_LINES = """import arena
def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""

# Its first decision takes until it is disturbed; then it plays on.
INTERRUPTED_IN_A_MATCH = """import arena, signal, time
disturbed = False
def decide(decision):
    heard = signal.getsignal(signal.SIGINT)
    def note(*about):
        global disturbed
        disturbed = True
        heard(*about)
    if not disturbed:
        signal.signal(signal.SIGINT, note)
        print("thinking", flush=True)
        while not disturbed:
            time.sleep(0.01)
    return decision.legal[0]

arena.run(decide)
"""

# It never ends, and says when it was disturbed.
DEEP_IN_THOUGHT = """import arena, signal
def decide(decision):
    heard = signal.getsignal(signal.SIGINT)
    def disturbed(*about):
        heard(*about)
        print("disturbed", flush=True)
    signal.signal(signal.SIGINT, disturbed)
    print("thinking", flush=True)
    while True:
        pass

arena.run(decide)
"""


async def run_program(path: Path, *words: str, **environment: str) -> tuple[int, str]:
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(path), *words, stderr=subprocess.PIPE, env={**os.environ, **environment}
    )
    said = (await asyncio.wait_for(child.communicate(), PATIENCE))[1].decode()
    assert child.returncode is not None
    return child.returncode, said


async def test_the_smallest_bot_has_five_lines(server: Server, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(FIVE_LINES)
    token = server.settings().token
    practice = ["--practice", "flip7", "--against", "cautious,cautious"]
    code, said = await run_program(bot, *practice, REFEREE_SERVER=server.referee.address, REFEREE_TOKEN=token)
    assert code == 0, said
    assert "connected to referee" in said
    assert "flip7 practice/1: rank " in said
    code, said = await run_program(bot, *practice, "--server", server.referee.address, "--token", "wrong")
    assert (code, said.count("\n")) == (2, 1)
    assert said.startswith(f"error: {server.referee.address} did not accept the token")


async def test_ctrl_c_lets_a_running_match_end_first(server: Server, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(INTERRUPTED_IN_A_MATCH)
    token = server.settings().token
    words = ["--server", server.referee.address, "--token", token, "--practice", "stop_me_go", "--against", "patient"]
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(bot), *words, "--matches", "500", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    assert await asyncio.wait_for(child.stdout.readline(), PATIENCE) == b"thinking\n"
    child.send_signal(signal.SIGINT)
    said = (await asyncio.wait_for(child.communicate(), PATIENCE))[1].decode()
    assert child.returncode == 0, said
    assert "leaving after the running matches" in said
    assert "rank" in said


async def test_ctrl_c_twice_ends_even_a_bot_that_is_deep_in_thought(server: Server, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(DEEP_IN_THOUGHT)
    words = ["--server", server.referee.address, "--token", server.settings().token]
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(bot), *words, "--practice", "stop_me_go", "--against", "patient",
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    assert await asyncio.wait_for(child.stdout.readline(), PATIENCE) == b"thinking\n"
    child.send_signal(signal.SIGINT)
    assert await asyncio.wait_for(child.stdout.readline(), PATIENCE) == b"disturbed\n"
    child.send_signal(signal.SIGINT)
    said = (await asyncio.wait_for(child.communicate(), PATIENCE))[1].decode()
    assert child.returncode == 130
    assert said.count("\n") == 1, said  # that it is connected, and no story about tasks


async def test_a_bot_that_ends_the_program_ends_it_its_own_way(server: Server, tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import arena, sys\narena.run(lambda d: sys.exit(5))\n")
    words = ["--server", server.referee.address, "--token", server.settings().token]
    code, said = await run_program(bot, *words, "--practice", "stop_me_go", "--against", "patient")
    assert (code, said.count("\n")) == (5, 1), said


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--against", "random"], "--against goes with --practice"),
        (["--matches", "3"], "--matches goes with --practice"),
        (["--options", "{}"], "--options goes with --practice"),
        (["--concurrency", "many"], "not a whole number"),
        (["--concurrency", "9" * 30], "not a whole number"),
        (["--ca", "/no/such/file"], "there is no file"),
        (["--ca", __file__], "holds no certificate"),
        (["--server", ""], "not an address: write HOST:PORT"),
        (["--server", "127.0.0.1"], "not an address: write HOST:PORT"),
        (["--server", "http://127.0.0.1:7700"], "not an address: write HOST:PORT"),
        (["--token", "tökén"], "characters that no token has"),
        (["--name", "\udcff"], "is no text"),
        (["--practice", "flip7", "--matches", "0"], "1 is the least"),
        (["--sever", "x"], "error: --sever: there is no such flag; did you mean --server?"),
        (["--practise=flip7"], "error: --practise: there is no such flag; did you mean --practice?"),
        (["--frobnicate"], "error: --frobnicate: there is no such flag; --help shows all of them"),
        (["flip7"], "error: 'flip7' belongs to no flag"),
        (["--token"], "error: --token: its value is missing; write --token TOKEN"),
    ],
)
def test_wrong_options_are_told(capsys: pytest.CaptureFixture[str], words: list[str], text: str) -> None:
    with pytest.raises(SystemExit) as left:
        read(words, {})
    assert left.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2, "a line of usage, and what is wrong"
    assert said[0].startswith("usage: ")
    assert said[1].startswith("error: ")
    assert text in said[1]


def test_options_come_from_words_then_from_the_environment() -> None:
    environment = {"REFEREE_SERVER": "a:1", "REFEREE_TOKEN": "t", "REFEREE_NAME": "n", "REFEREE_CONCURRENCY": "4"}
    assert read([], environment) == Settings("a:1", "t", "n", concurrency=4)
    assert read(["--server", "b:2"], environment).server == "b:2"
    assert read([], {"REFEREE_TLS": "1"}).tls
    assert not read([], {"REFEREE_TLS": "0"}).tls
    assert read(["--server", "unix:/tmp/s"], {"REFEREE_TOKEN": "t\r\n"}) == Settings("unix:/tmp/s", "t")
    practice = read(["--practice", "flip7", "--against", "random, tidy"], {}).practice
    assert practice == Practice("flip7", ("random", "tidy"), 1)


def test_the_readme_names_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).resolve().parents[2] / "sdk" / "python" / "README.md").read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        read(["--help"], {})
    options = set(re.findall(r"--[a-z]+", capsys.readouterr().out)) - {"--help"}
    assert len(options) >= 13
    assert {option for option in options if option not in text} == set()
    assert FIVE_LINES.replace("arena\ndef", "arena\n\ndef") in text
