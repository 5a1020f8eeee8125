"""Standings for everybody who watches: made once for all, never too often, and the last word is always heard."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from arena.v1.tournament_pb2 import WatchStandingsResponse
from referee.hall import staggered_wakeups, standings_feed
from referee.hall.standings_feed import StandingsFeed
from referee_leaderboard.changes import applied, by_name, by_rank
from referee_leaderboard.standings import Standings, State

from ..quick_time import in_quick_time
from ..waiting import PATIENCE, soon


class Table:
    """Standings that a test changes."""

    def __init__(self) -> None:
        self.done = 0
        self.state = State.RUNNING
        self.read = 0
        self.cost = 0.0
        self.feed = StandingsFeed(self._read)

    def move_on(self, state: State = State.RUNNING) -> None:
        self.done += 1
        self.state = state
        self.feed.news()

    async def _read(self) -> Standings:
        self.read += 1
        value = Standings("league", "flip7", 3, self.state, matches_done=self.done)
        await asyncio.sleep(self.cost)
        return value


class NoThread(ThreadPoolExecutor):
    """Does at once what it is given: the fake clock does not wait for threads."""

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **named))
        return future


@pytest.fixture
def by_the_loop(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it in a test in quick time: the feed then reads the clock of the loop."""

    def set_up() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(NoThread(1))
        monkeypatch.setattr(standings_feed, "time", SimpleNamespace(monotonic=loop.time))

    return set_up


async def test_many_who_ask_at_once_share_one_answer() -> None:
    table = Table()
    answers = await asyncio.gather(*(table.feed.now() for _ in range(50)))
    assert table.read == 1
    assert len({id(answer) for answer in answers}) == 1
    assert json.loads(answers[0].json)["matches_done"] == 0


@in_quick_time
async def test_nothing_is_read_again_while_nothing_has_changed(by_the_loop: Callable[[], None]) -> None:
    by_the_loop()
    table = Table()
    first = await table.feed.now()
    assert await table.feed.now() is first
    table.move_on()
    assert (await table.feed.now()).standings.matches_done == 1
    assert table.read == 2


@in_quick_time
async def test_whoever_asks_after_a_change_sees_it_even_if_an_answer_was_on_its_way(
    by_the_loop: Callable[[], None],
) -> None:
    by_the_loop()
    table = Table()
    table.cost = 0.05
    early = asyncio.create_task(table.feed.now())
    await asyncio.sleep(0.01)
    assert table.read == 1
    table.move_on(State.FINISHED)
    assert (await table.feed.now()).standings.state is State.FINISHED
    assert (await early).standings.matches_done == 0


@in_quick_time
async def test_a_watcher_hears_the_end_however_quickly_it_comes(by_the_loop: Callable[[], None]) -> None:
    by_the_loop()
    table = Table()
    heard: list[State] = []

    async def watch() -> None:
        async for each in table.feed.watch():
            heard.append(each.standings.state)
            if each.standings.state is State.FINISHED:
                return

    watching = [asyncio.create_task(watch()) for _ in range(3)]
    changes = 200
    for _ in range(changes):
        table.move_on()
        await asyncio.sleep(0.01)
    table.move_on(State.FINISHED)
    await asyncio.gather(*watching)
    assert heard.count(State.FINISHED) == 3
    assert table.read <= changes * 0.01 / standings_feed.LEAST_PAUSE + 2


@in_quick_time
async def test_dear_standings_take_a_tenth_of_the_time_at_most(by_the_loop: Callable[[], None]) -> None:
    by_the_loop()
    table = Table()
    table.cost = 0.3
    await table.feed.now()
    table.move_on()
    began = asyncio.get_running_loop().time()
    await table.feed.now()
    assert asyncio.get_running_loop().time() - began == pytest.approx(10 * 0.3)


async def test_many_watchers_get_the_same_message_a_few_of_them_at_a_time() -> None:
    table = Table()
    heard: list[standings_feed.StandingsSnapshot] = []
    turns: list[int] = []

    async def watch() -> None:
        async for each in table.feed.watch():
            heard.append(each)
            if each.standings.state is State.FINISHED:
                return

    watching = [asyncio.create_task(watch()) for _ in range(200)]
    async with asyncio.timeout(PATIENCE):
        while len(heard) < len(watching):
            await asyncio.sleep(0)
            turns.append(len(heard))
        table.move_on(State.FINISHED)
        await asyncio.gather(*watching)
    assert max(after - before for before, after in pairwise(turns)) <= staggered_wakeups.AT_ONCE
    assert table.read == 2
    assert len({id(each) for each in heard}) == 2
    last = WatchStandingsResponse.FromString(heard[-1].message)
    assert last.standings_json == heard[-1].json


async def test_who_wants_changes_is_sent_the_difference_to_what_it_has_seen_and_else_the_whole() -> None:
    table = Table()
    async with aclosing(table.feed.watch(with_changes=True)) as watching:
        first = await anext(watching)
        table.move_on()
        second = await anext(watching)
        table.move_on()
        third = await anext(watching)
    assert first.message_after(None) == first.message
    assert third.message_after(first) == third.message, "it has missed one"
    value = by_name(json.loads(first.json))
    for seen, shown in ((first, second), (second, third)):
        told = WatchStandingsResponse.FromString(shown.message_after(seen))
        assert not told.standings_json
        assert not told.HasField("standings")
        assert len(told.changes_json) < len(shown.json) / 4
        value = applied(value, json.loads(told.changes_json))
        assert by_rank(value) == json.loads(shown.json)


async def test_changes_are_not_worked_out_for_nobody() -> None:
    table = Table()
    await table.feed.now()
    table.move_on()
    assert (await table.feed.now()).changed is None


async def test_what_goes_wrong_is_told_to_all_who_watch_and_the_next_one_may_try_again() -> None:
    broken = True

    async def read() -> Standings:
        if broken:
            raise RuntimeError("the disk is gone")
        return Standings("league", "flip7", 3, State.FINISHED)

    feed = StandingsFeed(read)

    async def first() -> standings_feed.StandingsSnapshot:
        async for each in feed.watch():
            return each
        raise AssertionError

    answers = await asyncio.gather(*(first() for _ in range(40)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [RuntimeError] * 40
    broken = False
    assert (await first()).standings.state is State.FINISHED


async def test_a_watcher_that_leaves_is_forgotten() -> None:
    table = Table()
    watching = table.feed.watch()
    await anext(watching)
    assert table.feed.watched
    await watching.aclose()
    assert not table.feed.watched


async def test_a_failure_that_nobody_waits_for_any_more_is_no_news() -> None:
    """A server that stops takes away what standings are read with; watchers have gone by then."""
    gone = asyncio.Event()

    async def fail() -> Standings:
        await gone.wait()
        raise RuntimeError("the reader has gone")

    complaints: list[object] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda loop, context: complaints.append(context))
    feed = StandingsFeed(fail)
    watching = asyncio.create_task(feed.now())
    await soon(lambda: feed._making is not None)
    watching.cancel()
    gone.set()
    await soon(lambda: feed._making is None)
    await asyncio.wait([watching])
    gc.collect()
    assert complaints == []
    with pytest.raises(RuntimeError):  # who does wait hears of it
        await StandingsFeed(fail).now()
