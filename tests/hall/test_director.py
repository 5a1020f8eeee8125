"""The director of a server: one runner per tournament, whoever asks for what, and however often."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from referee.hall import director
from referee.hall.competition import Competition
from referee.rules.game import WrongUse
from referee.store import Counts, DiskFull, Store, Tournament, TournamentState, Unreachable
from referee.tournament.plan import Plan
from referee.tournament.standings import from_store

from ..waiting import PATIENCE, soon

PLAN = Plan(game="stop_me_go", players=2, rounds=300)
BOTS = ["random", "patient", "random"]


@pytest.fixture
async def competition(store: Store) -> AsyncIterator[Competition]:
    opened = Competition(store, concurrency=4)
    opened.start()
    yield opened
    await opened.stop()


async def create(competition: Competition, name: str = "league", plan: Plan = PLAN, start: bool = False) -> Tournament:
    return await competition.director.create(name, plan, BOTS, "s", start)


async def ended(competition: Competition, name: str = "league") -> None:
    await soon(lambda: name not in competition.director.runners, patience=60)


async def test_asked_twice_at_once_it_starts_a_tournament_once(competition: Competition, store: Store) -> None:
    league = await create(competition)
    states = await asyncio.gather(*(competition.director.control("league", "start") for _ in range(5)))
    assert set(states) == {TournamentState.RUNNING}
    assert len(competition.director.runners) == 1
    await competition.director.control("league", "cancel")
    assert store.tournaments.counts(league.id).playing == 0


async def test_an_admin_who_is_as_quick_as_the_start_of_the_server_does_not_have_a_tournament_played_twice(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = await create(competition)
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    begun = 0

    async def at_start(*_: object) -> None:
        nonlocal begun
        begun += 1
        await asyncio.sleep(0.05)

    monkeypatch.setattr(competition.director._nonces, "at_start", at_start)
    resumed, state = await asyncio.gather(
        competition.director.resume_all(), competition.director.control("league", "resume")
    )
    assert (resumed, state) == (["league"], TournamentState.RUNNING)
    assert begun == 1


@pytest.mark.parametrize("after", ["the start of the server", "a fault of the database"])
async def test_a_tournament_that_was_paused_meanwhile_does_not_go_on(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch, after: str
) -> None:
    monkeypatch.setattr(director, "LOOK_AGAIN", 0.0)
    league = await create(competition)
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    async with competition.director._lock:  # an admin's order is being carried out
        if after == "the start of the server":
            going_on: asyncio.Task[Any] = asyncio.create_task(competition.director.resume_all())
        else:
            going_on = asyncio.create_task(competition.director._go_on("league", Unreachable("for a moment")))
        await soon(lambda: competition.director._chores)
        store.tournaments.set_state(league.id, TournamentState.PAUSED)
    async with asyncio.timeout(PATIENCE):
        await going_on
    assert store.tournaments.get("league").state is TournamentState.PAUSED
    assert competition.director.runners == {}


async def test_an_order_is_carried_out_even_if_whoever_gave_it_hangs_up(competition: Competition, store: Store) -> None:
    await create(competition, start=True)
    order = asyncio.create_task(competition.director.control("league", "pause"))
    await asyncio.sleep(0)
    order.cancel()
    await soon(lambda: store.tournaments.get("league").state is TournamentState.PAUSED)
    await ended(competition)
    assert await competition.director.control("league", "resume") is TournamentState.RUNNING


async def test_paused_and_resumed_without_a_breath_it_is_played_to_its_end(
    competition: Competition, store: Store
) -> None:
    league = await create(competition, plan=Plan(game="stop_me_go", players=2, rounds=30), start=True)
    for _ in range(8):
        if "league" in competition.director.runners:
            try:
                await competition.director.control("league", "pause")
            except WrongUse as error:
                assert "is finished" in str(error)  # noqa: PT017 - it was quicker, which is nobody's mistake
                break
            await asyncio.sleep(0.003)  # any moment will do
            await competition.director.control("league", "resume")
    await ended(competition)
    assert store.tournaments.counts(league.id) == Counts(finished=30)
    shown = await competition.director.standings("league")
    assert shown.digest == from_store(store, "league").digest != ""


async def test_what_cannot_go_on_does_not_keep_the_others_from_it(competition: Competition, store: Store) -> None:
    small = Plan(game="stop_me_go", players=2, rounds=3)
    for name in ("outdated", "hosted", "fine"):
        made = await create(competition, name, small)
        store.tournaments.set_state(made.id, TournamentState.RUNNING)
    with store.writer._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE tournaments SET game_version = '99' WHERE name = 'outdated'")
        hosted = """json_set(settings, '$.hosted', json('{"a": "b"}'))"""
        connection.exec_driver_sql(f"UPDATE tournaments SET settings = {hosted} WHERE name = 'hosted'")
    assert await competition.director.resume_all() == ["fine"]
    await ended(competition, "fine")
    with pytest.raises(WrongUse, match="version 99"):
        await competition.director.control("outdated", "start")
    with pytest.raises(WrongUse, match="referee run"):
        await competition.director.control("hosted", "start")


async def test_a_watcher_sees_a_tournament_from_its_creation_to_its_end(competition: Competition) -> None:
    await create(competition, plan=Plan(game="stop_me_go", players=2, rounds=12))
    seen: list[str] = []

    async def watch() -> None:
        async for text in competition.director.watch(""):
            seen.append(text)
            if '"state": "finished"' in text:
                return

    watching = asyncio.create_task(watch())
    await soon(lambda: bool(seen))
    assert '"state": "created"' in seen[0]
    await competition.director.control("league", "start")
    async with asyncio.timeout(PATIENCE):
        await watching


async def test_a_finished_tournament_leaves_nothing_behind(competition: Competition) -> None:
    for number in range(3):
        await create(competition, f"cup {number}", Plan(game="stop_me_go", players=2, rounds=3), start=True)
        await ended(competition, f"cup {number}")
    assert competition.presence._calls == [competition.lobby.look]
    assert competition.director._tasks == {}
    assert competition.hall.matches == {}


async def test_stopped_it_starts_nothing_more(competition: Competition) -> None:
    await create(competition)
    await competition.director.stop()
    with pytest.raises(WrongUse, match="the server is stopping"):
        await competition.director.control("league", "start")


async def test_a_database_that_is_out_of_reach_is_waited_for_and_the_tournament_goes_on(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(director, "LOOK_AGAIN", 0.01)
    competition.director.patience = PATIENCE
    failed: list[BaseException] = []
    competition.director.on_failure = failed.append
    real, failures = store.matches.in_schedule_order, iter(range(4))

    def out_of_reach(*arguments: Any, **named: Any) -> Any:
        if next(failures, None) is not None:
            raise Unreachable("cannot reach it: check that it runs.")
        return real(*arguments, **named)

    monkeypatch.setattr(store.matches, "in_schedule_order", out_of_reach)
    league = await create(competition, plan=Plan(game="stop_me_go", players=2, rounds=6), start=True)
    await soon(lambda: store.tournaments.get("league").state is TournamentState.FINISHED)
    assert store.tournaments.counts(league.id) == Counts(finished=6)
    assert next(failures, None) is None
    assert not failed


async def test_a_fault_that_will_not_pass_is_told_at_once(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition.director.patience = PATIENCE
    failed: list[BaseException] = []
    competition.director.on_failure = failed.append

    def full(*arguments: Any, **named: Any) -> Any:
        raise DiskFull("No room left.")

    monkeypatch.setattr(store.matches, "in_schedule_order", full)
    await create(competition, plan=Plan(game="stop_me_go", players=2, rounds=6), start=True)
    await soon(lambda: failed)
    assert isinstance(failed[0], DiskFull)
