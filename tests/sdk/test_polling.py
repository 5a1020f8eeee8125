"""How gRPC waits for the network: chosen where there is a choice, for this process, and never against its user."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena import polling

PING_PONG = """\
import asyncio
import os
import sys

if "arena" in sys.argv:
    import arena
import grpc
import grpc.aio


def runs_of_other_threads():
    count = 0
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/comm") as name, open(f"/proc/self/task/{task}/schedstat") as stat:
            if name.read().startswith("event_engine"):
                count += int(stat.read().split()[2])
    return count


async def play(requests, context):
    while await context.read() is not grpc.aio.EOF:
        await context.write(b"question")


async def main():
    server = grpc.aio.server()
    handlers = {"Play": grpc.stream_stream_rpc_method_handler(play)}
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bare", handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.stream_stream("/bare/Play")()
        for number in range(600):
            if number == 100:
                before = runs_of_other_threads()
            await call.write(b"answer")
            await call.read()
        print(runs_of_other_threads() - before)
        await call.done_writing()
        await call.read()
    await server.stop(0)


asyncio.run(main())
"""


@pytest.fixture(autouse=True)
def undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRPC_EXPERIMENTS", raising=False)


def ping_pong(*words: str) -> int:
    """How often threads of gRPC's own ran during 500 questions and answers."""
    command = [sys.executable, "-c", PING_PONG, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""  # gRPC has nothing against what it is asked for
    return int(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="what runs in a process is read from Linux's /proc")
def test_messages_are_read_by_whoever_waits_for_them() -> None:
    assert ping_pong("arena") < 500 < ping_pong()


def test_the_installed_grpc_has_been_looked_at() -> None:
    """A newer one: see whether it still knows the older way, whether that is still faster, and change KNOWN_TO."""
    version = polling._version()
    assert version is not None
    assert polling.KNOWN_FROM <= version <= polling.KNOWN_TO


@pytest.mark.parametrize("version", [None, (1, 79), (1, 86), (2, 0)])
def test_other_versions_do_as_they_like(version: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polling, "_version", lambda: version)
    polling.choose()
    assert "GRPC_EXPERIMENTS" not in os.environ


def test_the_users_own_choice_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRPC_EXPERIMENTS", "")
    polling.choose()
    assert os.environ["GRPC_EXPERIMENTS"] == ""
