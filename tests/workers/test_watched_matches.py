"""Matches that workers play can be watched: their decisions are told as they are played, and only while watched."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from referee.hall.public_match import PublicMatch
from referee.hosting.bot.spec import parse
from referee.match.clock import TimeControl
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers import watched_matches
from referee.workers.watched_matches import WatchedMatches
from referee.workers.worker_pool import Hosting, WorkersVenue

from ..waiting import PATIENCE, soon

PATIENT = """
import json, os, sys, time
answered = 0
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "decide":
        answered += 1
        while os.path.getsize(sys.argv[1]) < answered:
            time.sleep(0.005)
        answer = {"match": asked["match"], "decision": asked["decision"], "move": asked["legal"][0]}
        print(json.dumps(answer), flush=True)
"""
"""A bot that may answer as often as a file has bytes."""
ENDING = Ending((1, 2), (5, 3), (Termination.FINISHED,) * 2, ("", ""), "done")


def fixture(*bots: str) -> Fixture:
    game = registry.find("stop_me_go")
    control = TimeControl(3600.0, 3600.0)
    return Fixture("cup/0", game.name, bots, game.resolve_options(), seed_bytes("watched"), control, "cup", 1)


async def test_a_watched_match_of_a_worker_is_told_decision_by_decision_to_its_end(tmp_path: Path) -> None:
    leave, bot = tmp_path / "leave", tmp_path / "patient.py"
    leave.write_bytes(b"")
    bot.write_text(PATIENT)
    bots = {"patient": f"stdio:python3 {bot} {leave}", "random": "random"}
    hosting = Hosting({name: parse(text, tmp_path) for name, text in bots.items()}, sandbox=False)
    venue = WorkersVenue(hosting)
    await venue.open()
    ended: list[Played | None] = []
    try:
        venue.play(fixture("patient", "random"), ended.append)
        match = await venue.watched.find("cup/0")
        assert match is not None
        await soon(lambda: venue.scores("cup/0") is not None)
        before = len(match.moves)
        moved = venue.watched.watch("cup/0")
        leave.write_bytes(b"x" * 3)
        async with asyncio.timeout(PATIENCE):
            while len(match.moves) < before + 3:
                moved.clear()
                await moved.wait()
        assert match.outcome is None
        public = PublicMatch(match, 0)
        await public.catch_up()
        assert public.decisions == len(match.moves)
        leave.write_bytes(b"x" * 10_000)
        await soon(lambda: ended)
        assert ended[0] is not None
        assert match.outcome is None, "its result is not stored"
        assert match.moves == json.loads(ended[0].record)["record"]["moves"], "whole, before the end was told"
        await public.catch_up()
        assert public.decisions == len(match.moves) - 1, "what the last decision led to is told when it is stored"
        moved.clear()
        ended[0].announce()
        assert moved.is_set()
        assert match.outcome == ended[0].ending
        await public.catch_up()
        assert public.over
        assert await venue.watched.find("cup/0") is None
        assert not venue.watched.is_running("cup/0")
    finally:
        await venue.close()


class Told:
    """Orders that workers would get."""

    def __init__(self) -> None:
        self.orders: list[dict[str, Any]] = []
        self.watched = WatchedMatches(lambda match, order: self.orders.append(order))
        self.watched.started(fixture("a", "b"))


async def test_nothing_is_asked_of_a_worker_before_somebody_looks_and_once_nobody_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = Told()
    assert told.orders == []
    event = told.watched.watch("cup/0")
    assert told.orders == [{"do": "watch", "match": "cup/0"}]
    told.watched.moved("cup/0", [])
    monkeypatch.setattr(watched_matches, "LEFT_ALONE_SECONDS", -1.0)
    told.watched.moved("cup/0", [])
    assert len(told.orders) == 1, "it is still watched"
    told.watched.unwatch("cup/0", event)
    told.watched.moved("cup/0", [])
    assert told.orders[1:] == [{"do": "unwatch", "match": "cup/0"}]


async def test_a_match_that_is_interrupted_ends_for_those_who_watch_and_can_be_watched_anew() -> None:
    told = Told()
    event = told.watched.watch("cup/0")
    told.watched.moved("cup/0", [])
    first = await told.watched.find("cup/0")
    assert first is not None
    told.watched.ended("cup/0", None)
    assert first.outcome is not None
    assert first.outcome.void
    assert event.is_set()
    assert await told.watched.find("cup/0") is None
    told.watched.started(fixture("a", "b"))
    told.watched.watch("cup/0")
    told.watched.moved("cup/0", [])
    again = await told.watched.find("cup/0")
    assert again is not None
    assert again is not first
    told.watched.ended("cup/0", ENDING)
    assert again.outcome == ENDING


async def test_scores_are_asked_for_at_most_once_a_moment_and_forgotten_with_their_match() -> None:
    told = Told()
    assert [told.watched.scores("cup/0") for _ in range(20)] == [None] * 20
    assert told.orders == [{"do": "scores"}]
    told.watched.scored({"cup/0": [3, 4], "cup/9": [1, 1]})
    assert told.watched.scores("cup/0") == [3, 4]
    assert told.watched.scores("cup/9") is None, "it is not being played"
    told.watched.ended("cup/0", ENDING)
    assert told.watched.scores("cup/0") is None
