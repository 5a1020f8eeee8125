"""A tournament's place on a worker machine: bots arrive, are built, play in real processes, and are gone afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from referee.hosting.bot.spec import parse
from referee.match.clock import TimeControl
from referee.rules import registry
from referee.tournament.running.venue import Fixture
from referee.workers.cluster import site as sites
from referee.workers.cluster import tasks
from referee.workers.cluster.bot_cache import BotCache
from referee.workers.cluster.packing import pack
from referee.workers.cluster.results import read_answer
from referee.workers.cluster.site import Machine
from referee.workers.orders import play_order

from ...waiting import soon

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
    said = await tasks.play("cup", json.dumps([play_order(fixture)]).encode())
    [result] = read_answer(said, {fixture.id: fixture}).results
    assert result.played is not None
    assert result.played.ending.words == ("finished",) * 3
    await tasks.announce("cup", b'["cup/1"]')
    await tasks.close_run("cup")
    assert await tasks.play("cup", b"[]") == tasks.NOT_OPEN
    assert machine.cache.missing([packed.digest]) == []


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
