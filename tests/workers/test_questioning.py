"""Questions of a recorded match put to real programs, with an SDK or over pipes: slow, broken, or under a debugger."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.analysis.ask import Interview, Reply
from referee.analysis.replay import RecordedMatch
from referee.hosting.bot.spec import BotSpec, parse
from referee.hosting.sandbox.launch import NoSandbox
from referee.match.clock import TimeControl
from referee.net import listener
from referee.workers.bot_host import BotHost
from referee.workers.questioning import BotAnswers, CannotAsk, Inquiry, ask_at_terminal, ask_hosted

from ..analysis.recording import last, played, seated
from ..waiting import PATIENCE, soon

SHORT = TimeControl(limit=0.01, bank=0.0)
"""What a bot has in a match; it is told so, and may take longer here."""
SDK = """
import arena, os, signal, time
def decide(decision):
    {}
    return decision.legal[-1]
arena.run(decide)
"""
LINES = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        {}
        print(json.dumps({{"decision": message["decision"], "move": message["legal"][-1]}}), flush=True)
"""


@pytest.fixture(scope="module")
def recorded() -> RecordedMatch:
    return played("stop_me_go", seated(2, last))[1]


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., BotSpec]:
    def write(template: str, line: str = "pass") -> BotSpec:
        file = tmp_path / "mybot.py"
        file.write_text(template.format(line))
        prefix = "stdio:" if template is LINES else ""
        return parse(prefix + shlex.join([sys.executable, str(file)]), tmp_path)

    return write


async def in_time(asking: asyncio.Future[BotAnswers] | asyncio.Task[BotAnswers]) -> BotAnswers:
    return await asyncio.wait_for(asking, PATIENCE)


@pytest.mark.parametrize("template", [SDK, LINES], ids=["sdk", "lines"])
async def test_a_hosted_bot_is_asked_everything_and_may_be_slow(
    recorded: RecordedMatch, program: Callable[..., BotSpec], template: str
) -> None:
    heard: list[Reply] = []
    inquiry = Inquiry(recorded, 0, SHORT, told=heard.append)
    spec = program(template, "time.sleep(0.02)")
    answers = await in_time(asyncio.ensure_future(ask_hosted(spec, NoSandbox(), inquiry)))
    assert answers.trouble == ""
    assert heard == answers.replies
    assert len(heard) > 10
    assert all(reply.same for reply in heard)
    assert sum(reply.seconds for reply in heard) > len(heard) * (SHORT.limit + SHORT.bank)


@pytest.mark.parametrize("template", [SDK, LINES], ids=["sdk", "lines"])
async def test_one_question_at_the_terminal_waits_longer_than_any_match_would(
    recorded: RecordedMatch, program: Callable[..., BotSpec], template: str
) -> None:
    inquiry = Inquiry(recorded, 0, SHORT, only=6)
    answers = await in_time(asyncio.ensure_future(ask_at_terminal(program(template, "time.sleep(1)"), inquiry, 2)))
    (reply,) = answers.replies
    assert (reply.decision, reply.same, answers.trouble) == (6, True, "")
    assert reply.seconds > 50 * (SHORT.limit + SHORT.bank)


@pytest.mark.parametrize("template", [SDK, LINES], ids=["sdk", "lines"])
async def test_a_bot_that_dies_says_at_which_decision(
    recorded: RecordedMatch, program: Callable[..., BotSpec], template: str
) -> None:
    spec = program(template, "import os; os._exit(3)")
    inquiry = Inquiry(recorded, 0, SHORT, only=6)
    for asking in (ask_hosted(spec, NoSandbox(), inquiry), ask_at_terminal(spec, inquiry, 2)):
        answers = await in_time(asyncio.ensure_future(asking))
        assert answers.replies == []
        assert answers.trouble == "at decision 6 it ended with crash: the bot exited with code 3"


async def test_a_bot_that_does_not_even_come_is_told_with_what_it_wrote(
    recorded: RecordedMatch, program: Callable[..., BotSpec]
) -> None:
    spec = program("import sys\nsys.exit('no bucket{}')\n", "!")
    with pytest.raises(CannotAsk, match=r"(?s)mybot exited with code 1 before it could be asked.*no bucket!"):
        await in_time(asyncio.ensure_future(ask_hosted(spec, NoSandbox(), Inquiry(recorded, 0, SHORT))))
    with pytest.raises(CannotAsk, match="mybot exited with code 1 before it could be asked"):
        await in_time(asyncio.ensure_future(ask_at_terminal(spec, Inquiry(recorded, 0, SHORT, only=6), 2)))


async def test_a_bot_at_the_terminal_has_the_whole_environment_and_is_gone_afterwards(
    recorded: RecordedMatch, program: Callable[..., BotSpec], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MY_DEBUGGER", "yes")
    seen = tmp_path / "seen"
    write = f"open({str(seen)!r}, 'w').write(os.environ['MY_DEBUGGER'] + ' ' + str(os.getpid()))"
    await in_time(asyncio.ensure_future(ask_at_terminal(program(SDK, write), Inquiry(recorded, 0, SHORT, only=6), 2)))
    word, pid = seen.read_text().split()
    assert word == "yes"
    assert pid not in os.listdir("/proc")


# Standing still, as under a debugger: all threads of the program, so that it answers no ping.

STANDS_STILL = "os.kill(os.getpid(), signal.SIGSTOP)"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that gives up a silent connection after two seconds instead of a minute."""
    quick = {"grpc.keepalive_time_ms": 1000, "grpc.keepalive_timeout_ms": 1000, "grpc.http2.ping_timeout_ms": 1000}
    monkeypatch.setattr(listener, "OPTIONS", list((dict(listener.OPTIONS) | quick).items()))


def standing_still(folder: Path) -> int | None:
    """The process that runs the bot of this folder, if it stands still."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                here = str(folder / "mybot.py").encode() in (entry / "cmdline").read_bytes().split(b"\0")
                if here and (entry / "stat").read_text().rpartition(")")[2].split()[0] == "T":
                    return int(entry.name)
            except OSError:
                continue
    return None


async def test_a_bot_that_stands_still_keeps_its_connection(
    recorded: RecordedMatch,
    program: Callable[..., BotSpec],
    impatient: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lost: list[int] = []
    monkeypatch.setattr(Interview, "away", lambda self, seat, now: lost.append(seat))
    inquiry = Inquiry(recorded, 0, SHORT, only=6)
    asking = asyncio.ensure_future(ask_at_terminal(program(SDK, STANDS_STILL), inquiry, 2))
    await soon(lambda: standing_still(tmp_path) is not None)
    began = time.monotonic()
    await soon(lambda: time.monotonic() - began > 5)  # more than twice as long as an ordinary connection would live
    pid = standing_still(tmp_path)
    assert pid is not None
    assert lost == []
    os.kill(pid, signal.SIGCONT)
    answers = await in_time(asking)
    assert [reply.same for reply in answers.replies] == [True]
    assert answers.replies[0].seconds > 5


async def test_an_ordinary_connection_would_have_been_lost(
    recorded: RecordedMatch, program: Callable[..., BotSpec], impatient: None, tmp_path: Path
) -> None:
    async with BotHost(NoSandbox()) as host:
        hosted = await host.host(program(SDK, STANDS_STILL))
        assert await host.wait_ready(hosted, PATIENCE)
        player = hosted.player
        assert player is not None
        Interview(recorded, 0, player, SHORT, only=6).start()
        await soon(lambda: standing_still(tmp_path) is not None)
        await soon(lambda: hosted.session is None)
        pid = standing_still(tmp_path)
        assert pid is not None
        os.kill(pid, signal.SIGCONT)
