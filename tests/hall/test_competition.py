"""A competition without a network: started, drained and stopped in this process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.hall.competition import Competition
from referee.hall.practice_request import PracticeRequest
from referee.rules import registry
from referee.store import Counts, MatchState, Store, TournamentState
from referee.tournament.plan import Plan

from ..waiting import soon
from .conftest import LocalBot

ALONE = """
import asyncio, sys
from referee.hall.competition import Competition
from referee.store import Store
from referee.tournament.plan import Plan

async def play(store):
    competition = Competition(store)
    await competition.prepare()
    competition.start()
    plan = Plan(game="stop_me_go", players=2, rounds=3)
    made = await competition.director.create("league", plan, ["random", "patient"], "s", True)
    while competition.director.runners:
        await asyncio.sleep(0.01)
    await competition.stop()
    return store.tournaments.counts(made.id).finished

with Store.open(sys.argv[1], owner="server") as store:
    print(asyncio.run(play(store)))
print([name for name in sys.modules if name.split(".")[0].startswith("grpc") or name.startswith("referee.net")])
"""


def test_house_bots_play_a_tournament_and_grpc_is_never_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ALONE, str(tmp_path / "alone.db")], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "3\n[]\n"), done.stderr


async def test_drained_it_ends_what_is_being_played_and_starts_nothing_more(
    competition: Competition, store: Store
) -> None:
    store.bots.add("ada")
    ada = LocalBot(competition, "ada")
    competition.presence.arrived(ada)
    plan = Plan(game="stop_me_go", players=2, rounds=500)
    league = await competition.director.create("league", plan, ["random", "patient"], "s", True)
    await soon(lambda: bool(competition.hall.matches))
    said: list[str] = []
    await competition.drain(said.append)
    assert competition.idle
    counts = store.tournaments.counts(league.id)
    assert counts.open == 500 - counts.finished > 0
    assert store.tournaments.get("league").state is TournamentState.RUNNING  # the next server goes on with it
    assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",)))
    assert ada.notices == [("closed", "the server is stopping; no more practice matches")]


async def test_practice_that_a_stopped_server_left_behind_is_set_aside_first(store: Store) -> None:
    before = Competition(store)
    entrants = before.roster.entrants(["random", "patient"], "stop_me_go")
    left = store.matches.add_practice("stop_me_go", "1", entrants, {})
    await before.stop()  # it was never started
    competition = Competition(store)
    await competition.prepare()
    assert store.matches.get(left.id).state is MatchState.VOID
    await competition.stop()


async def test_a_bot_joins_a_tournament_that_is_being_played(competition: Competition, store: Store) -> None:
    store.bots.add("ada")
    store.bots.add("bob")
    plan = Plan(game="stop_me_go", players=2, rounds=2, allow_join=True)
    league = await competition.director.create("league", plan, ["ada", "random"], "s", True)
    added = await competition.director.join("league", "bob")
    assert added > 0
    for name in ("ada", "bob"):
        competition.presence.arrived(LocalBot(competition, name, concurrency=2))
    await soon(lambda: "league" not in competition.director.runners)
    assert store.tournaments.counts(league.id) == Counts(finished=2 + added)


async def test_a_game_that_fails_at_the_start_leaves_nobody_waiting(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.bots.add("ada")
    ada = LocalBot(competition, "ada")
    competition.presence.arrived(ada)

    def fail(*arguments: Any) -> Any:
        raise RuntimeError("a card is missing")

    with monkeypatch.context() as failing:
        failing.setattr(type(registry.find("stop_me_go")), "new", fail)
        assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",)))
        await soon(lambda: ada.endings)
        league = await competition.director.create(
            "league", Plan(game="stop_me_go", players=2, rounds=1), ["random", "patient"], "s", True
        )
        await soon(lambda: "league" not in competition.director.runners)
    assert ada.endings[0].texts[0] == "stop_me_go failed; the host finds the reason in the log"
    assert store.matches.practice_page(0, 9)[0].state is MatchState.VOID
    assert store.tournaments.get("league").state is TournamentState.FINISHED
    assert store.tournaments.counts(league.id) == Counts(void=1)
    assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",)))
    await soon(lambda: len(ada.endings) == 2)
    assert not ada.endings[1].void


async def test_a_practice_match_that_cannot_be_started_leaves_nobody_waiting(
    competition: Competition, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.bots.add("ada")
    ada = LocalBot(competition, "ada")
    competition.presence.arrived(ada)

    def fail(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError("whatever it is")

    with monkeypatch.context() as failing:
        failing.setattr(competition.hall, "play", fail)
        assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",)))
        await soon(lambda: ada.notices)
    assert ada.notices == [("refused", "the match could not be started; the host finds the reason in the log")]
    assert competition.lobby.wish(ada, PracticeRequest("stop_me_go", ("random",)))
    await soon(lambda: ada.endings)
