"""Answers of workers are read in processes beside the host, with the same outcome as in it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from referee.tournament.running.venue import Fixture
from referee.workers.cluster.reading import MOST_DEATHS, Readers
from referee.workers.cluster.results import Answer, Untrue, read_answer
from referee.workers.orders import play_order

from ...waiting import eventually
from .scripted_cluster import ScriptedWorker, fixture
from .test_venue import other_ranks

FIXTURES: dict[str, Fixture] = {fixture(number).id: fixture(number) for number in range(3)}
JUST_ONE = {"cup/0": FIXTURES["cup/0"]}


async def said(worker: ScriptedWorker | None = None) -> bytes:
    """What a worker tells of these matches."""
    orders = [json.loads(json.dumps(play_order(one))) for one in FIXTURES.values()]
    return b'{"say":"notice","text":"hello"}\n' + await (worker or ScriptedWorker("one")).play(orders)


@asynccontextmanager
async def readers(processes: int = 1, worth_it: int = 0) -> AsyncIterator[Readers]:
    made = Readers(processes, worth_it)
    try:
        yield made
    finally:
        await made.close()


def told(answer: Answer) -> list[Any]:
    return [answer.notices, *((each.match, each.played, each.course) for each in answer.results)]


async def test_a_process_finds_what_a_thread_finds() -> None:
    text = await said()
    async with readers() as reading:
        found = await reading.read(text, FIXTURES)
        assert len(reading.pids) == 1
    assert told(found) == told(read_answer(text, FIXTURES))
    assert [result.match for result in found.results] == list(FIXTURES)


async def test_what_is_not_so_is_told_alike_and_the_process_reads_on() -> None:
    liar = ScriptedWorker("liar")
    liar.twist = other_ranks
    lies, text = await said(liar), await said()
    with pytest.raises(Untrue) as here:
        read_answer(lies, FIXTURES)
    async with readers() as reading:
        with pytest.raises(Untrue) as there:
            await reading.read(lies, FIXTURES)
        [pid] = reading.pids
        assert (await reading.read(text, FIXTURES)).results
        assert reading.pids == [pid]
    assert str(there.value) == str(here.value)


async def test_a_process_that_dies_costs_no_result() -> None:
    text = await said()
    async with readers() as reading:
        for _ in range(MOST_DEATHS):
            await reading.read(text, FIXTURES)
            [pid] = reading.pids
            os.kill(pid, signal.SIGKILL)
            assert len((await reading.read(text, FIXTURES)).results) == len(FIXTURES)
        assert len((await reading.read(text, FIXTURES)).results) == len(FIXTURES)
        assert not reading.pids  # threads do from now on


async def test_a_short_tournament_starts_no_process() -> None:
    text = await said()
    async with readers(worth_it=2 * len(FIXTURES)) as reading:
        for _ in range(2):
            await reading.read(text, FIXTURES)
            assert not reading.pids
        await reading.read(text, FIXTURES)
        assert reading.pids


async def test_answers_of_many_workers_are_read_side_by_side_and_none_is_mixed_up() -> None:
    text = await said()
    async with readers(processes=2) as reading:
        many = [reading.read(text, FIXTURES if number % 2 else JUST_ONE) for number in range(8)]
        found = await asyncio.gather(*many, return_exceptions=True)
        assert len(reading.pids) == 2
    for number, one in enumerate(found):
        assert isinstance(one, Answer if number % 2 else Untrue)  # of a match that it was not given


async def test_an_answer_that_nobody_waits_for_is_not_taken_for_the_next() -> None:
    text = await said()
    async with readers() as reading:
        await reading.read(text, FIXTURES)
        dropped = asyncio.ensure_future(reading.read(b"", FIXTURES))
        await asyncio.sleep(0)
        dropped.cancel()
        await asyncio.gather(dropped, return_exceptions=True)
        assert len((await reading.read(text, FIXTURES)).results) == len(FIXTURES)


async def test_a_record_that_is_far_too_long_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    text = await said()
    monkeypatch.setattr("referee.workers.cluster.results.MOST_RECORD", 100)
    with pytest.raises(Untrue, match=r"cup/0: its record has [\d,]+ bytes"):
        read_answer(text, FIXTURES)


HOST = """
import asyncio
from referee.workers.cluster.reading import Readers

async def main():
    reading = Readers(1, 0)
    await reading.read(b"", {})
    print(reading.pids[0], flush=True)
    await asyncio.sleep(3600)

asyncio.run(main())
"""


def test_processes_end_with_a_host_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", HOST], stdout=subprocess.PIPE, text=True) as host:
        assert host.stdout is not None
        pid = int(host.stdout.readline())
        assert is_there(pid)
        host.kill()
    eventually(lambda: not is_there(pid))


def is_there(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
