"""`arena.testing.Server`: a whole program plays what a test says."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import arena
from arena import testing
from arena.errors import BotFailed, Gone
from arena.games.flip7.v1 import flip7_pb2 as flip7

from ...waiting import PATIENCE

BOT = """import arena
def decide(decision):
    if decision.legal == ["fail"]:
        raise KeyError("seven")
    if decision.legal == ["go"]:
        raise SystemExit(5)
    if decision.rejected:
        return decision.rejected
    if decision.game == "flip7":
        return f"round {decision.view.round}, seat {decision.view.seat}"
    return f"{decision.view['left']} left"
arena.run(decide)
"""
PRACTICE = ("--practice", "flip7", "--against", "other")


@contextmanager
def program(folder: Path, server: testing.Server, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The bot as a program of its own; it is gone afterwards."""
    file = folder / "bot.py"
    file.write_text(BOT)
    command = [sys.executable, str(file), "--server", server.address, *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as child:
        try:
            yield child
        finally:
            child.kill()


def test_a_match_from_hello_to_the_end(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server, *PRACTICE) as bot:
        match = server.start("flip7", ["other", "me"], seat=1)
        assert match.ask(["hit"], {"round": 3}) == "round 3, seat 1"
        assert match.ask(["hit"], flip7.View(round=4, seat=0)) == "round 4, seat 0"
        assert match.reject("try again") == "try again"
        match.end(ranks=[2, 1], scores=[3, 9])
        said = bot.communicate(timeout=PATIENCE)[1]
        assert bot.returncode == 0, said
    assert server.hello().protocol_version == 1
    assert "flip7 test/1: rank 1 of 2, score 9 against other" in said
    assert "'round 4, seat 0' was refused: try again. Legal were: hit. Strikes left: 2." in said


def test_several_matches_and_a_game_with_plain_views(tmp_path: Path) -> None:
    words = (*PRACTICE, "--matches", "2")
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server, *words) as bot:
        nim, other = server.start("nim"), server.start("flip7")
        assert other.ask(["hit"]) == "round 0, seat 0"
        assert nim.ask(["1"], {"left": 7}) == "7 left"
        nim.end()
        assert other.ask(["hit"]) == "round 0, seat 0"
        other.end()
        said = bot.communicate(timeout=PATIENCE)[1]
        assert bot.returncode == 0, said


def test_a_bot_that_waits_for_more_is_refused_at_the_end(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server) as bot:
        server.start("nim").ask(["1"], {"left": 7})
        server.__exit__(None, None, None)
        said = bot.communicate(timeout=PATIENCE)[1]
        assert bot.returncode == 2
    assert said.endswith(f"error: {server.address} refused: the test is over\n")


def test_a_bot_that_resigns_is_told(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server):
        match = server.start("nim")
        with pytest.raises(BotFailed, match="the bot resigned: error in decide: KeyError: 'seven'"):
            match.ask(["fail"])


def test_a_bot_that_is_gone_is_told(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server):
        match = server.start("nim")
        for _ in range(2):
            with pytest.raises(Gone, match="the bot is gone"):
                match.ask(["go"])
        with pytest.raises(Gone, match="the bot is gone"):
            server.start("nim")


def test_nobody_there_is_told() -> None:
    with testing.Server(patience=0.05) as server, pytest.raises(Gone, match="no bot has connected to "):
        server.start("flip7")


def test_the_view_of_another_game_is_told(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server):
        match = server.start("nim")
        with pytest.raises(arena.ArenaError, match="View is not the view of nim"):
            match.ask(["1"], flip7.View())


async def test_a_second_bot_is_refused(tmp_path: Path) -> None:
    with testing.Server(patience=PATIENCE) as server, program(tmp_path, server):
        await asyncio.to_thread(server.hello)
        with pytest.raises(arena.ArenaError, match="for one bot and one connection"):
            await arena.run_async(lambda decision: "hit", arena.Settings(server.address))
