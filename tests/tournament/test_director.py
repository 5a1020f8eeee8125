"""The director of a server: one runner per tournament, whoever asks for what, and however often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from referee.net.app import App, ServerSettings
from referee.rules.game import WrongUse
from referee.store import Counts, Store, Tournament, TournamentState
from referee.tournament.plan import Plan
from referee.tournament.standings import from_store

from ..waiting import PATIENCE, soon

PLAN = Plan(game="stop_me_go", players=2, rounds=300)
BOTS = ["random", "patient", "random"]


@pytest.fixture
async def app(store: Store) -> AsyncIterator[App]:
    """A server that does not listen."""
    opened = App(store, ServerSettings(concurrency=4))
    beat = asyncio.create_task(opened.hall.beat())
    yield opened
    await opened.director.abandon()
    beat.cancel()
    opened.room.close()


async def create(app: App, name: str = "league", plan: Plan = PLAN, start: bool = False) -> Tournament:
    return await app.director.create(name, plan, BOTS, "s", start)


async def ended(app: App, name: str = "league") -> None:
    await soon(lambda: name not in app.director.runners, patience=60)


async def test_asked_twice_at_once_it_starts_a_tournament_once(app: App, store: Store) -> None:
    league = await create(app)
    states = await asyncio.gather(*(app.director.control("league", "start") for _ in range(5)))
    assert set(states) == {TournamentState.RUNNING}
    assert len(app.director.runners) == 1
    await app.director.control("league", "cancel")
    assert store.tournaments.counts(league.id).playing == 0


async def test_an_order_is_carried_out_even_if_whoever_gave_it_hangs_up(app: App, store: Store) -> None:
    await create(app, start=True)
    order = asyncio.create_task(app.director.control("league", "pause"))
    await asyncio.sleep(0)
    order.cancel()
    await soon(lambda: store.tournaments.get("league").state is TournamentState.PAUSED)
    await ended(app)
    assert await app.director.control("league", "resume") is TournamentState.RUNNING


async def test_paused_and_resumed_without_a_breath_it_is_played_to_its_end(app: App, store: Store) -> None:
    league = await create(app, plan=Plan(game="stop_me_go", players=2, rounds=30), start=True)
    for _ in range(8):
        if "league" in app.director.runners:
            try:
                await app.director.control("league", "pause")
            except WrongUse as error:
                assert "is finished" in str(error)  # noqa: PT017 - it was quicker, which is nobody's mistake
                break
            await asyncio.sleep(0.003)  # any moment will do
            await app.director.control("league", "resume")
    await ended(app)
    assert store.tournaments.counts(league.id) == Counts(finished=30)
    shown = await app.director.standings("league")
    assert shown.digest == from_store(store, "league").digest != ""


async def test_what_cannot_go_on_does_not_keep_the_others_from_it(app: App, store: Store) -> None:
    small = Plan(game="stop_me_go", players=2, rounds=3)
    for name in ("outdated", "hosted", "fine"):
        made = await create(app, name, small)
        store.tournaments.set_state(made.id, TournamentState.RUNNING)
    with store.writer._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE tournaments SET game_version = '99' WHERE name = 'outdated'")
        hosted = """json_set(settings, '$.hosted', json('{"a": "b"}'))"""
        connection.exec_driver_sql(f"UPDATE tournaments SET settings = {hosted} WHERE name = 'hosted'")
    assert await app.director.resume_all() == ["fine"]
    await ended(app, "fine")
    with pytest.raises(WrongUse, match="version 99"):
        await app.director.control("outdated", "start")
    with pytest.raises(WrongUse, match="referee run"):
        await app.director.control("hosted", "start")


async def test_a_watcher_sees_a_tournament_from_its_creation_to_its_end(app: App) -> None:
    await create(app, plan=Plan(game="stop_me_go", players=2, rounds=12))
    seen: list[str] = []

    async def watch() -> None:
        async for text in app.director.watch(""):
            seen.append(text)
            if '"state": "finished"' in text:
                return

    watching = asyncio.create_task(watch())
    await soon(lambda: bool(seen))
    assert '"state": "created"' in seen[0]
    await app.director.control("league", "start")
    async with asyncio.timeout(PATIENCE):
        await watching


async def test_a_finished_tournament_leaves_nothing_behind(app: App) -> None:
    for number in range(3):
        await create(app, f"cup {number}", Plan(game="stop_me_go", players=2, rounds=3), start=True)
        await ended(app, f"cup {number}")
    assert app.play.on_change == []
    assert app.director._tasks == {}
    assert app.hall.matches == {}


async def test_stopped_it_starts_nothing_more(app: App) -> None:
    await create(app)
    await app.director.stop()
    with pytest.raises(WrongUse, match="the server is stopping"):
        await app.director.control("league", "start")
