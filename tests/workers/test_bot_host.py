"""A place to play for hosted bots: who is there, who is gone, and what is left when it closes."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.spec import parse
from referee.hosting.process.bot_process import RestartPolicy
from referee.hosting.sandbox.launch import NoSandbox
from referee.match.clock import TimeControl
from referee.match.result import Termination
from referee.workers.bot_host import BotHost, clear_away

from ..waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

UNHURRIED = TimeControl(limit=30.0, bank=30.0)


async def test_a_program_with_an_sdk_that_dies_forfeits_at_once_instead_of_being_waited_for(host: Host) -> None:
    started = await host.start_bot(parse("builtin:random"), restart_policy=RestartPolicy(first_rest=0.02))
    over = host.seat(started, game="encore", control=TimeControl(limit=5.0, bank=5.0, grace=600.0))
    started.process.kill("was shot in this test")
    match = await asyncio.wait_for(over, PATIENCE)
    assert match.ending is not None
    assert match.ending.terminations[0] is Termination.CRASH
    assert match.ending.texts[0] == "the bot was ended: it was shot in this test"
    await host.until(lambda: started.process.runs == 2)
    assert await host.bot_host.wait_ready(started)
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.FINISHED


async def test_everybody_who_waits_for_a_bot_hears_of_its_arrival(host: Host) -> None:
    started = await host.bot_host.host(parse("builtin:random"))
    assert started.player is None
    assert started.free == 0
    assert await asyncio.gather(*(host.bot_host.wait_ready(started, PATIENCE) for _ in range(3))) == [True, True, True]
    assert started.free > 0


async def test_nothing_is_left_of_a_bot_host_that_closes() -> None:
    async with BotHost(NoSandbox()) as house:
        folder = house.socket.parent
        started = await house.host(parse("builtin:awk"))
        assert folder.stat().st_mode & 0o077 == 0, "others on this machine cannot get to the socket"
    assert started.process.pid is None
    assert not folder.exists()


async def test_nothing_is_left_of_a_bot_host_whose_closing_is_broken_off(host: Host) -> None:
    house = BotHost(NoSandbox())
    await house.__aenter__()
    started = await house.host(host.shell("trap '' TERM; echo here >&2; while :; do sleep 0.1; done"))
    await host.until(lambda: started.process.stderr.lines())
    closing = asyncio.ensure_future(house.__aexit__(None, None, None))
    await asyncio.sleep(0.01)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert started.process.pid is None
    assert not house.socket.parent.exists()


def test_what_a_killed_bot_host_left_is_cleared_away_and_a_living_one_stays(tmp_path: Path) -> None:
    sockets = {}
    for name in ("referee-dead", "referee-alive", "referee-young"):
        (tmp_path / name).mkdir()
        sockets[name] = socket.socket(socket.AF_UNIX)
        sockets[name].bind(str(tmp_path / name / "socket"))
        if name != "referee-young":
            os.utime(tmp_path / name / "socket", (0, 0))
    sockets["referee-alive"].listen()
    sockets["referee-dead"].close()
    (tmp_path / "referee-run-other").mkdir()
    clear_away(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["referee-alive", "referee-run-other", "referee-young"]
    for one in sockets.values():
        one.close()


async def test_a_long_path_of_temporary_files_leaves_room_for_the_socket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("long-" * 20)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    async with BotHost(NoSandbox()) as house:
        assert house.socket.is_socket()
        folder = house.socket.parent
    assert not folder.exists()
    assert list(long.iterdir()) == []
