"""The bots of a worker: more than have a place take turns, a match waits for all its bots, and blame is just."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.hosting.admission.machines import Starved

from referee.hosting.admission.capacity import WorkerShare
from referee.hosting.admission.process_slots import ProcessSlots
from referee.hosting.admission.starting import StartQueue
from referee.hosting.bot.spec import parse
from referee.match.clock import TimeControl
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers import bot_host, bot_pool, worker
from referee.workers.orders import play_order
from referee.workers.worker_pool import MOST_TRIES, Hosting, WorkersFailed, WorkersVenue

from ..waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
AWK = str(ROOT / "bots" / "awk")
RANDOM = str(ROOT / "bots" / "random")


def fixture(number: int, *bots: str, fresh: bool = False) -> Fixture:
    seed = number.to_bytes(32, "big")
    return Fixture(f"cup/{number}", "stop_me_go", bots, {}, seed, TimeControl(10.0, 60.0), "cup", 1, fresh)


@asynccontextmanager
async def workers(bots: dict[str, str], share: WorkerShare) -> AsyncIterator[WorkersVenue]:
    specs = {name: parse(text, ROOT) for name, text in bots.items()}
    venue = WorkersVenue(Hosting(specs, sandbox=False, share=share))
    await venue.open()
    try:
        yield venue
    finally:
        await venue.close()


async def played(venue: WorkersVenue, fixtures: list[Fixture]) -> tuple[dict[str, Played | None], int]:
    """Play all, and tell how many bots were seen to be alive at once."""
    results: dict[str, Played | None] = {}
    most = 0

    def done(one: Fixture, result: Played | None) -> None:
        results[one.id] = result
        if result is not None:
            result.announce()

    for one in fixtures:
        venue.play(one, partial(done, one))
    while len(results) < len(fixtures):
        most = max(most, bots_alive())
        await asyncio.sleep(0.02)
    return results, most


def bots_alive() -> int:
    """Bots of the workers of this process, each counted once by the program around it."""
    return sum(len(children(one)) for one in children(os.getpid()) if b"referee.workers.worker" in command(one))


def children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        return [
            int(word) for thread in threads for word in Path(f"/proc/{pid}/task/{thread}/children").read_text().split()
        ]
    except OSError:
        return []


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def faultless(results: dict[str, Played | None]) -> bool:
    return all(
        result is not None and {how.name for how in result.ending.terminations} == {"FINISHED"}
        for result in results.values()
    )


async def test_many_more_bots_than_places_all_play_and_never_too_many_run() -> None:
    names = [f"awk-{number}" for number in range(40)]
    async with workers(dict.fromkeys(names, AWK), WorkerShare(1, 8, 2)) as venue:
        # Each bot meets its neighbour, then the one across the table: the second time it has to be started again.
        near = [fixture(number, *names[2 * number : 2 * number + 2]) for number in range(20)]
        far = [fixture(20 + number, names[number], names[number + 20]) for number in range(2)]
        results, most = await played(venue, near + far)
    assert faultless(results)
    assert 2 <= most <= 8
    assert venue.notices == []


async def test_fresh_processes_never_exceed_the_places_and_nobody_is_blamed() -> None:
    bots = {"ada": RANDOM, "bob": AWK, "cyd": AWK}
    async with workers(bots, WorkerShare(1, 6, 1)) as venue:
        results, most = await played(venue, [fixture(number, *bots, fresh=True) for number in range(6)])
    assert faultless(results)
    assert 3 <= most <= 6


async def test_a_bot_that_cannot_be_had_gives_its_place_back(tmp_path: Path) -> None:
    (tmp_path / "leaky.py").write_text("raise SystemExit(1)\n")
    bots = {"leaky": str(tmp_path / "leaky.py"), "ada": AWK, "bob": AWK, "cyd": AWK}
    async with workers(bots, WorkerShare(1, 2, 2)) as venue:
        results, most = await played(venue, [fixture(1, "leaky", "ada"), fixture(2, "ada", "bob")])
        blamed = results["cup/1"]
        assert blamed is not None
        assert [how.name for how in blamed.ending.terminations] == ["CRASH", "FINISHED"]
        assert "leaky is benched" in blamed.ending.texts[0]
        again, most = await played(venue, [fixture(3, "leaky", "cyd"), fixture(4, "bob", "cyd")])
    assert most <= 2
    assert again["cup/3"] is not None
    assert "leaky is benched" in again["cup/3"].ending.texts[0]
    assert faultless({"cup/2": results["cup/2"], "cup/4": again["cup/4"]})


async def test_a_match_in_line_is_broken_off_at_once(tmp_path: Path) -> None:
    (tmp_path / "mute.py").write_text("import time\ntime.sleep(300)\n")
    bots = {"mute": str(tmp_path / "mute.py"), "ada": AWK, "bob": AWK}
    over: dict[str, asyncio.Future[Played | None]] = {}
    async with workers(bots, WorkerShare(1, 2, 2)) as venue:
        for one in (fixture(1, "mute", "ada"), fixture(2, "ada", "bob")):
            over[one.id] = asyncio.get_running_loop().create_future()
            venue.play(one, over[one.id].set_result)
        for match in over:
            venue.break_off(match)
        assert await asyncio.wait_for(asyncio.gather(*over.values()), 20) == [None, None]
    assert not venue.failed.done()
    assert venue.notices == []


class Heard:
    """What a worker in this process says."""

    def __init__(self) -> None:
        self.news: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    def write(self, line: bytes) -> None:
        value = json.loads(line)
        if "say" in value:
            self.news.put_nowait(value)


@asynccontextmanager
async def one_worker(bots: dict[str, str]) -> AsyncIterator[tuple[Callable[[Fixture], None], Heard]]:
    """A worker in this process: what to give it, and what it says."""
    orders, heard = asyncio.StreamReader(), Heard()
    specs = {name: parse(text, ROOT).to_value() for name, text in bots.items()}
    order = {"bots": specs, "sandbox": False, "concurrency": 8, "running": 8, "starting": 1}
    running = asyncio.create_task(worker.Worker(order, heard).run(orders))  # type: ignore[arg-type]

    def play(one: Fixture) -> None:
        orders.feed_data(json.dumps(play_order(one)).encode() + b"\n")

    try:
        yield play, heard
    finally:
        orders.feed_eof()
        await running


@pytest.fixture
def mute(tmp_path: Path) -> str:
    (tmp_path / "mute.py").write_text("import time\ntime.sleep(300)\n")
    return str(tmp_path / "mute.py")


@pytest.mark.parametrize("fresh", [False, True])
async def test_a_bot_that_never_connects_is_blamed_and_only_it(
    mute: str, monkeypatch: pytest.MonkeyPatch, fresh: bool
) -> None:
    monkeypatch.setattr(bot_pool, "ARRIVAL_SECONDS", 1.0)
    async with one_worker({"mute": mute, "ada": AWK}) as (play, heard):
        play(fixture(1, "mute", "ada", fresh=fresh))
        news = await asyncio.wait_for(heard.news.get(), PATIENCE)
    assert (news["say"], news["played"]["ending"]["terminations"]) == ("played", ["crash", "finished"])
    assert news["played"]["ending"]["texts"][0] == "was not there within 1 seconds of its start"


@pytest.mark.parametrize("fresh", [False, True])
async def test_a_match_that_the_machine_could_not_start_comes_back_without_a_result(
    mute: str, monkeypatch: pytest.MonkeyPatch, fresh: bool
) -> None:
    monkeypatch.setattr(bot_pool, "ARRIVAL_SECONDS", 0.5)
    monkeypatch.setattr(bot_host, "OVERLOADED_SECONDS", 1.0)
    monkeypatch.setattr(worker, "StartQueue", lambda at_once: StartQueue(at_once, Starved))
    async with one_worker({"slow": mute, "ada": RANDOM, "bob": AWK}) as (play, heard):
        play(fixture(1, "slow", "ada", fresh=fresh))
        news = await asyncio.wait_for(heard.news.get(), 60)
        assert (news["say"], news["match"]) == ("unplayed", "cup/1")
        assert "was not there after" in news["why"]


OVERLOADED_WORKER = """\
#!/bin/sh
read order
while read -r order; do
  match=${order#*'"match":"'}
  printf '{"say":"unplayed","match":"%s","why":"ada had no time"}\\n' "${match%%'"'*}"
done
"""


@pytest.fixture
def overloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers on a machine that never starts a bot."""
    script = tmp_path / "overloaded"
    script.write_text(OVERLOADED_WORKER)
    script.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(script))


async def test_after_a_few_tries_the_run_is_given_up_and_no_match_has_a_result(overloaded: None) -> None:
    async with workers({}, WorkerShare(1, 4, 1)) as venue:
        for number in range(MOST_TRIES):
            assert not venue.failed.done()
            assert len(venue.notices) == min(number, 1)
            over: asyncio.Future[Played | None] = asyncio.get_running_loop().create_future()
            venue.play(fixture(1, "ada", "bob"), over.set_result)
            assert await asyncio.wait_for(over, PATIENCE) is None
        with pytest.raises(WorkersFailed, match=r"too busy to start bots .ada had no time., 3 times for cup/1"):
            await venue.failed


async def test_nobody_overtakes_and_a_large_table_gets_its_places() -> None:
    places, order = ProcessSlots(3), []

    async def sit(name: str, count: int) -> None:
        await places.take(lambda: count)
        order.append(name)

    await sit("first", 2)
    waiting = [asyncio.create_task(sit("large", 3)), asyncio.create_task(sit("small", 1))]
    await asyncio.sleep(0)
    assert order == ["first"]
    places.free(2)
    await waiting[0]
    assert (order, places.taken) == (["first", "large"], 3)
    places.free(3)
    await waiting[1]
    assert order == ["first", "large", "small"]
