"""A tournament's place on a worker machine: bots arrive, are built, play in real processes, and are gone afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from referee.hosting.bot.spec import parse
from referee.match.clock import TimeControl
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster import site as sites
from referee.workers.cluster import tasks
from referee.workers.cluster.bot_cache import BotCache
from referee.workers.cluster.packing import pack
from referee.workers.cluster.results import read_answer, still_played
from referee.workers.cluster.site import Machine
from referee.workers.orders import play_order

from ...waiting import PATIENCE, soon

BOT = "import arena\narena.run(lambda decision: decision.legal[0])\n"


@pytest.fixture
async def machine(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Machine]:
    (open_folder / "cache").mkdir(mode=0o755)
    made = Machine(BotCache(open_folder / "cache"), 1, sandbox=False)
    monkeypatch.setattr(tasks, "machine", made)
    yield made
    await made.close_all()


def order(bots: dict[str, dict[str, str]], **more: Any) -> bytes:
    usual = {"seats": 3, "sandbox": False, "build_network": False, "concurrency": None, "fresh": False}
    return json.dumps({"bots": bots, **usual, **more}).encode()


def house(*names: str) -> dict[str, dict[str, str]]:
    return {name: {"text": name, "digest": ""} for name in names}


HOUSE = {name: {"text": "cautious", "digest": ""} for name in ("cautious", "hasty")}


class ManualVenue:
    """Plays nothing by itself: a test ends its matches."""

    def __init__(self) -> None:
        self.running: dict[str, Callable[[Played | None], object]] = {}
        self.started: list[str] = []
        self.notices: list[str] = []
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        self.started.append(fixture.id)
        self.running[fixture.id] = done

    async def close(self) -> None: ...


def flip7(match: str, number: int) -> Fixture:
    options = registry.find("flip7").resolve_options({})
    return Fixture(
        match, "flip7", ("cautious", "hasty"), options, bytes([number]) * 32, TimeControl(9.0, 9.0), "cup", 0
    )


async def test_a_bot_is_sent_built_and_played_and_its_record_holds(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "source.py").write_text(BOT)
    (folder / "bot.toml").write_text(
        'name = "mine"\ngames = ["flip7"]\nabout = "x"\nmain = "made.py"\nbuild = "cp source.py made.py"\n'
    )
    packed = pack(parse("mine", tmp_path), tmp_path)
    met = json.loads(await tasks.meet(json.dumps({"digests": [packed.digest]}).encode()))
    assert met["missing"] == [packed.digest]
    assert json.loads(await tasks.take(packed.digest, 0, packed.data)) == {}
    bots = {**house("cautious", "hasty"), "mine": {"text": packed.text, "digest": packed.digest}}
    bots["hasty"]["text"] = "cautious"
    opened = json.loads(await tasks.open_run("cup", order(bots)))
    assert opened["matches"] >= 1, opened
    game = registry.find("flip7")
    names = ("cautious", "mine", "hasty")
    fixture = Fixture(
        "cup/1", "flip7", names, game.resolve_options({}), b"s" * 32, TimeControl(1000.0, 1000.0), "cup", 0
    )
    said = [await tasks.play("cup", json.dumps([play_order(fixture)]).encode())]
    while still_played(said[-1]):
        said.append(await tasks.play("cup", b"[]"))
    [result] = [one for each in said for one in read_answer(each, {fixture.id: fixture}).results]
    assert result.played is not None
    assert result.played.ending.words == ("finished",) * 3
    await tasks.announce("cup", b'["cup/1"]')
    await tasks.close_run("cup")
    assert await tasks.play("cup", b"[]") == tasks.NOT_OPEN
    assert machine.cache.missing([packed.digest]) == []


async def test_an_answer_comes_when_half_of_the_matches_are_over_and_the_next_tells_of_the_rest(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "TASK_SECONDS", 1000.0)
    assert "error" not in json.loads(await tasks.open_run("cup", order(HOUSE, seats=2)))
    [site] = machine.sites.values()
    assert site._venue is not None
    venue = ManualVenue()
    monkeypatch.setattr(site, "_venue", venue)
    matches = {f"cup/{number}": flip7(f"cup/{number}", number) for number in range(6)}
    orders = [play_order(fixture) for fixture in matches.values()]
    first = asyncio.ensure_future(tasks.play("cup", json.dumps(orders).encode()))
    await soon(lambda: len(venue.running) == 6)
    for match in ("cup/0", "cup/1"):
        venue.running[match](None)
    await asyncio.sleep(0.01)
    assert not first.done()
    venue.running["cup/2"](None)
    said = await asyncio.wait_for(first, PATIENCE)
    assert [one.match for one in read_answer(said, matches).results] == ["cup/0", "cup/1", "cup/2"]
    assert still_played(said) == 3
    # An order that comes twice is played once; one of the same match on another deal is another.
    again = [orders[3], play_order(flip7("cup/0", 77))]
    second = asyncio.ensure_future(tasks.play("cup", json.dumps(again).encode()))
    await soon(lambda: len(venue.started) == 7)
    assert venue.started[6] == "cup/0"
    for match in ("cup/3", "cup/4", "cup/5", "cup/0"):
        venue.running[match](None)
    said = await asyncio.wait_for(second, PATIENCE)
    told = [one.match for one in read_answer(said, matches).results]
    while still_played(said):
        said = await asyncio.wait_for(tasks.play("cup", b"[]"), PATIENCE)
        told += [one.match for one in read_answer(said, matches).results]
    assert sorted(told) == ["cup/0", "cup/3", "cup/4", "cup/5"]


async def test_a_task_without_results_ends_after_about_a_second_and_says_what_is_left(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "TASK_SECONDS", 0.01)
    assert "error" not in json.loads(await tasks.open_run("cup", order(HOUSE, seats=2)))
    [site] = machine.sites.values()
    monkeypatch.setattr(site, "_venue", ManualVenue())
    said = await asyncio.wait_for(tasks.play("cup", json.dumps([play_order(flip7("cup/1", 1))]).encode()), PATIENCE)
    assert (still_played(said), read_answer(said, {}).results) == (1, [])


async def test_what_cannot_be_opened_is_an_answer_and_not_an_error(machine: Machine) -> None:
    async def said(bots: dict[str, dict[str, str]], **more: Any) -> str:
        return str(json.loads(await tasks.open_run("cup", order(bots, **more)))["error"])

    assert "nosuchbot" in await said(house("nosuchbot")) or "neither a house bot" in await said(house("nosuchbot"))
    assert "is no house bot" in await said({"sh": {"text": "stdio:sh", "digest": ""}})
    assert "has not arrived" in await said({"gone": {"text": ".", "digest": "0" * 64}})
    assert "is no SHA-256" in await said({"evil": {"text": ".", "digest": "../.."}})
    assert not machine.sites


async def test_a_machine_that_insists_on_the_sandbox_plays_no_bot_without_it(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "lone.py").write_text(BOT)
    machine.sandbox = True
    packed = pack(parse("lone.py", tmp_path), tmp_path)
    await tasks.take(packed.digest, 0, packed.data)
    said = json.loads(await tasks.open_run("cup", order({"lone": {"text": packed.text, "digest": packed.digest}})))
    assert "referee worker --no-sandbox" in said["error"]


async def test_a_run_that_nobody_asks_for_any_more_ends_by_itself(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "IDLE_SECONDS", 0.05)
    opened = json.loads(await tasks.open_run("cup", order(house("cautious"), seats=1)))
    assert "error" not in opened
    await soon(lambda: not machine.sites)


async def test_a_dask_worker_of_somebody_else_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "machine", None)
    assert "referee worker" in json.loads(await tasks.meet(b'{"digests":[]}'))["error"]
    await asyncio.gather(tasks.announce("cup", b"[]"), tasks.break_off("cup", b"[]"), tasks.close_run("cup"))
