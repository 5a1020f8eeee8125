"""A venue of several machines: nothing is lost or counted twice, whatever workers do, and lies are found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster.connection import TaskFailed
from referee.workers.cluster.results import Answer, read_answer
from referee.workers.cluster.trust import Trust
from referee.workers.cluster.venue import MOST_TRIES
from referee.workers.worker_pool import WorkersFailed

from ...waiting import PATIENCE, soon
from .scripted_cluster import QUICK, ScriptedCluster, ScriptedWorker, Tournament

NUMBERS = range(12)
found_alone: dict[str, Any] = {}


@asynccontextmanager
async def playing(*workers: ScriptedWorker, **more: Any) -> AsyncIterator[tuple[ScriptedCluster, Tournament]]:
    cluster = ScriptedCluster(*workers)
    tournament = Tournament(cluster, **more)
    await tournament.venue.open()
    try:
        yield cluster, tournament
    finally:
        await tournament.venue.close()


def endings(results: dict[str, Played | None]) -> dict[str, Any]:
    return {match: played and played.ending for match, played in results.items()}


async def truth() -> dict[str, Any]:
    """What one worker alone makes of all matches."""
    if not found_alone:
        async with playing(ScriptedWorker("alone")) as (_, tournament):
            tournament.give(*NUMBERS)
            found_alone.update(endings(await tournament.done()))
    return found_alone


async def test_matches_are_spread_over_all_workers_and_end_as_on_one() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    async with playing(one, two) as (_, tournament):
        await soon(lambda: one.opened and two.opened)
        tournament.give(*NUMBERS)
        assert endings(await tournament.done()) == await truth()
    assert one.given
    assert two.given
    assert one.closed == two.closed == 1


async def test_what_a_dead_worker_had_in_hand_is_played_by_another() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    one.may_answer.clear()
    async with playing(one, two) as (cluster, tournament):
        tournament.give(*NUMBERS)
        await soon(lambda: one.given)
        del cluster.there[one.address]
        assert endings(await tournament.done()) == await truth()


async def test_a_worker_that_comes_back_starts_its_bots_anew_before_it_plays() -> None:
    one = ScriptedWorker("one")
    one.may_answer.clear()
    async with playing(one) as (cluster, tournament):
        tournament.give(*NUMBERS)
        await soon(lambda: one.given)
        del cluster.there[one.address]
        await soon(lambda: not tournament.venue.workers)
        one.may_answer.set()
        cluster.there[one.address] = one
        assert endings(await tournament.done()) == await truth()
        assert one.opened == 2


async def test_a_hanging_worker_costs_nothing_but_time_and_its_late_answer_is_ignored() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    one.may_answer.clear()
    patient = replace(QUICK, silent=0.1)
    async with playing(one, two, patience=patient) as (_, tournament):
        tournament.give(*NUMBERS)
        await soon(lambda: one.given)
        one.silent = True
        results = await tournament.done()
        one.may_answer.set()
        one.silent = False
        await soon(lambda: len(tournament.venue.workers) == 2)
        assert endings(results) == await truth()
        assert all(len(ended) == 1 for ended in tournament.results.values())


async def test_a_task_beyond_its_deadline_is_taken_back_and_its_bots_start_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.workers.cluster.venue._longest", lambda fixture: 0.0)
    one = ScriptedWorker("one")
    one.hangs = 1
    async with playing(one, patience=replace(QUICK, play=1.0)) as (_, tournament):
        tournament.give(1)
        assert (await tournament.done())["cup/1"] is not None
        assert any("one: it did not answer in time" in text for text in tournament.venue.notices)
        assert one.opened >= 2


async def test_a_scheduler_that_is_started_anew_finds_the_run_going_on() -> None:
    one = ScriptedWorker("one")
    one.may_answer.clear()
    async with playing(one) as (cluster, tournament):
        tournament.give(*NUMBERS)
        await soon(lambda: one.given)
        cluster.down = True
        await soon(lambda: not tournament.venue.workers)
        one.may_answer.set()
        cluster.down = False
        assert endings(await tournament.done()) == await truth()
        assert cluster.connected > 1
        assert any("does not answer" in text for text in tournament.venue.notices)


async def test_bots_hear_of_a_result_only_when_it_is_stored() -> None:
    one = ScriptedWorker("one")
    async with playing(one) as (_, tournament):
        tournament.give(1, 2)
        results = await tournament.done()
        assert not one.announced
        played = results["cup/1"]
        assert played is not None
        played.announce()
        await soon(lambda: one.announced == ["cup/1"])


def other_ranks(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    """A result that the moves do not lead to, told alike in both places."""
    ranks = value["ending"]["ranks"][1:] + value["ending"]["ranks"][:1]
    told = {**json.loads(record), "ranks": ranks}
    return {**value, "ending": {**value["ending"], "ranks": ranks}}, json.dumps(told).encode() + b"\n"


def other_seed(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    return value, record.replace(json.loads(record)["record"]["seed"].encode(), b"ab" * 32)


def no_record(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    return value, b"{}\n"


def other_times(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    return {**value, "seats": [[count, strikes + 1, ms] for count, strikes, ms in value["seats"]]}, record


def other_ending(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    """The record as it is, and beside it another result."""
    ranks = value["ending"]["ranks"][1:] + value["ending"]["ranks"][:1]
    return {**value, "ending": {**value["ending"], "ranks": ranks}}, record


def with_time(value: dict[str, Any], record: bytes, ms: int) -> tuple[dict[str, Any], bytes]:
    """The first decision of the first seat took so long, told alike in both places."""
    told = json.loads(record)
    told["times_ms"][0][0] = ms
    took = map(sum, told["times_ms"])
    seats = [[count, strikes, time] for (count, strikes, _), time in zip(value["seats"], took, strict=True)]
    return {**value, "seats": seats}, json.dumps(told).encode() + b"\n"


def endless_time(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    """A number that no database takes."""
    return with_time(value, record, 10**30)


def negative_time(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    return with_time(value, record, -(10**6))


def log_that_is_no_text(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    return {**value, "logs": [[0, 5]]}, record


LIES = [other_ranks, other_ending, other_seed, no_record, other_times]
LIES += [endless_time, negative_time, log_that_is_no_text]


@pytest.mark.parametrize("twist", LIES)
async def test_a_worker_whose_records_do_not_hold_is_set_aside(
    twist: Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]],
) -> None:
    liar, honest = ScriptedWorker("liar"), ScriptedWorker("honest")
    liar.twist = twist
    async with playing(liar, honest) as (_, tournament):
        tournament.give(*NUMBERS)
        assert endings(await tournament.done()) == await truth()
        assert list(tournament.venue.aside) == ["liar"]
        [told] = [text for text in tournament.venue.notices if "liar is set aside" in text]
        assert "Ending(" not in told  # a sentence, not a value of the program


async def test_a_worker_that_lies_later_has_its_earlier_results_purged_before_any_match_ends() -> None:
    liar, honest = ScriptedWorker("liar"), ScriptedWorker("honest")
    purged: list[str] = []
    may_purge = asyncio.Event()

    async def purge(matches: Sequence[str], why: str) -> None:
        await may_purge.wait()
        purged.extend(matches)

    async with playing(liar) as (cluster, tournament):
        tournament.venue.on_purge = purge
        tournament.give(1, 2, 3)
        await tournament.done()
        liar.twist = other_ranks
        tournament.give(4)
        await soon(lambda: tournament.venue.aside)
        cluster.there[honest.address] = honest
        await soon(lambda: "cup/4" in honest.given)
        assert not tournament.results["cup/4"]
        may_purge.set()
        await tournament.done()
        assert sorted(purged) == ["cup/1", "cup/2", "cup/3"]


async def test_a_worker_that_plays_with_other_bots_differs_from_two_others_and_is_set_aside() -> None:
    liar = ScriptedWorker("liar")
    liar.last = True  # legal moves, and not those of the bots
    purged: list[str] = []

    async def purge(matches: Sequence[str], why: str) -> None:
        purged.extend(matches)

    async with playing(liar, ScriptedWorker("two"), ScriptedWorker("three"), one_in=3) as (_, tournament):
        await soon(lambda: sum(worker.ready for worker in tournament.venue.workers) == 3)
        tournament.venue.on_purge = purge
        tournament.give(*NUMBERS)
        results = endings(await tournament.done())
        assert list(tournament.venue.aside) == ["liar"]
        true = await truth()
        assert {match for match in true if results[match] != true[match]} <= set(purged)


async def test_of_two_workers_that_differ_neither_is_blamed_and_it_is_told() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    two.last = True
    async with playing(one, two, one_in=1) as (_, tournament):
        await soon(lambda: sum(worker.ready for worker in tournament.venue.workers) == 2)
        tournament.give(1)
        await tournament.done()
        assert not tournament.venue.aside
        assert any("went differently" in text for text in tournament.venue.notices)
        assert sorted([*one.given, *two.given]) == ["cup/1", "cup/1"]


async def test_workers_that_cannot_play_are_named_and_a_run_without_any_other_fails() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    one.open_error, two.version = "there is no program 'node' on the PATH", "0.0.1"
    async with playing(one, two) as (_, tournament):
        tournament.give(1)
        with pytest.raises(WorkersFailed, match="no worker can play"):
            await asyncio.wait_for(asyncio.shield(tournament.venue.failed), PATIENCE)
        assert any("one cannot play: there is no program 'node'" in text for text in tournament.venue.notices)
        assert any("two cannot play: it has version 0.0.1" in text for text in tournament.venue.notices)


async def test_a_match_that_is_broken_off_while_it_waits_ends_without_a_result() -> None:
    async with playing() as (_, tournament):
        tournament.give(1)
        tournament.venue.break_off("cup/1")
        assert await tournament.done() == {"cup/1": None}
        await soon(lambda: any("no worker is there yet" in text for text in tournament.venue.notices))


async def test_a_worker_that_never_tells_of_a_match_loses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers, and says that nothing is left, but a match is missing."""
    monkeypatch.setattr("referee.workers.cluster.venue._longest", lambda fixture: 0.0)
    monkeypatch.setattr("referee.workers.cluster.venue.TASK_SECONDS", 0.02)
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    one.forgets = True
    async with playing(one, patience=replace(QUICK, play=0.2)) as (cluster, tournament):
        tournament.give(1)
        await soon(lambda: any("one: it did not answer in time" in text for text in tournament.venue.notices))
        one.forgets = False
        cluster.there[two.address] = two
        assert (await tournament.done())["cup/1"] is not None


async def test_a_worker_gets_matches_while_its_answer_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    may_read = asyncio.Event()

    async def slowly(said: bytes, fixtures: Mapping[str, Fixture]) -> Answer:
        await may_read.wait()
        return read_answer(said, fixtures)

    one = ScriptedWorker("one")
    async with playing(one) as (_, tournament):
        await soon(lambda: one.opened)
        monkeypatch.setattr(tournament.venue.readers, "read", slowly)
        tournament.give(*NUMBERS)
        await soon(lambda: len(one.given) > len(NUMBERS) // 2)
        assert not any(tournament.results.values())
        may_read.set()
        assert endings(await tournament.done()) == await truth()


async def test_workers_hear_of_the_last_results_before_the_run_ends() -> None:
    one = ScriptedWorker("one")
    async with playing(one) as (_, tournament):
        tournament.give(1)
        played = (await tournament.done())["cup/1"]
        assert played is not None
        played.announce()
    assert one.announced == ["cup/1"]


def void(value: dict[str, Any], record: bytes) -> tuple[dict[str, Any], bytes]:
    """The match came to nothing."""
    return {**value, "ending": {**value["ending"], "reason": "void"}}, record


async def test_a_match_that_comes_to_nothing_on_one_worker_is_played_by_another() -> None:
    liar, honest = ScriptedWorker("liar"), ScriptedWorker("honest")
    liar.twist = void
    honest.may_answer.clear()
    async with playing(liar, honest) as (_, tournament):
        await soon(lambda: sum(worker.ready for worker in tournament.venue.workers) == 2)
        tournament.give(*NUMBERS)
        await soon(lambda: liar.given and honest.given)
        await asyncio.sleep(0.2)  # the liar could have had what it voided again and again
        honest.may_answer.set()
        assert endings(await tournament.done()) == await truth()
        assert len(liar.given) == len(set(liar.given))


async def test_a_match_that_comes_to_nothing_on_every_worker_is_void() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    one.twist = two.twist = void
    async with playing(one, two) as (_, tournament):
        await soon(lambda: sum(worker.ready for worker in tournament.venue.workers) == 2)
        tournament.give(1)
        played = (await tournament.done())["cup/1"]
        assert played is not None
        assert played.ending.void
        assert set(one.given) == set(two.given) == {"cup/1"}


class Fragile(ScriptedWorker):
    """A worker that plays all matches but one, with which it dies as often as it is allowed to."""

    def __init__(self, name: str, deadly: str) -> None:
        super().__init__(name)
        self.deadly = deadly
        self.has_it = False
        self.deaths = self.allowed = 0

    async def play(self, orders: list[dict[str, Any]]) -> bytes:
        others = [order for order in orders if order["match"] != self.deadly]
        self.has_it = self.has_it or len(others) < len(orders)
        if self.has_it and self.deaths < self.allowed:
            self.has_it = False
            self.deaths += 1
            raise TaskFailed("it died")
        return await super().play(others)


async def test_a_match_may_be_lost_again_and_again_while_others_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.workers.cluster.venue.TASK_SECONDS", 0.02)
    often = 3 * MOST_TRIES
    worker = Fragile("one", "cup/0")
    async with playing(worker) as (_, tournament):
        tournament.give(0)
        for number in range(1, often):
            tournament.give(number)
            await soon(partial(tournament.results.get, f"cup/{number}"))
            worker.allowed = number
            await soon(lambda: worker.deaths == worker.allowed)
        assert not tournament.venue.failed.done()


async def test_a_match_that_is_lost_again_and_again_while_nothing_else_ends_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("referee.workers.cluster.venue.TASK_SECONDS", 0.02)
    worker = Fragile("one", "cup/0")
    worker.allowed = 1000
    async with playing(worker) as (_, tournament):
        tournament.give(0)
        with pytest.raises(WorkersFailed, match="was lost with its worker 13 times, and no other match has ended"):
            await asyncio.wait_for(asyncio.shield(tournament.venue.failed), PATIENCE)


async def test_of_bots_that_vary_it_is_told_once_that_two_workers_differ() -> None:
    one, two = ScriptedWorker("one"), ScriptedWorker("two")
    two.last = True
    async with playing(one, two, one_in=1) as (_, tournament):
        await soon(lambda: sum(worker.ready for worker in tournament.venue.workers) == 2)
        tournament.give(*NUMBERS)
        await tournament.done()
        assert len([text for text in tournament.venue.notices if "went differently" in text]) == 1


async def test_a_venue_that_goes_on_for_another_believes_no_more_than_that_one_and_ends_its_purge() -> None:
    """The database was away: the run has opened its venue anew."""
    liar, honest = ScriptedWorker("liar"), ScriptedWorker("honest")
    trust = Trust()
    asked: list[list[str]] = []

    async def half(matches: list[str], why: str) -> None:
        asked.append(list(matches))
        matches.remove("cup/1")
        await asyncio.Event().wait()

    async with playing(liar, trust=trust) as (_, tournament):
        tournament.venue.on_purge = half
        tournament.give(1, 2)
        await tournament.done()
        liar.twist = other_ranks
        tournament.give(3)
        await soon(lambda: asked)
    liar.twist = lambda value, record: (value, record)

    async def rest(matches: list[str], why: str) -> None:
        asked.append(list(matches))

    async with playing(liar, honest, trust=trust) as (_, tournament):
        tournament.venue.on_purge = rest
        given = len(liar.given)
        tournament.give(*NUMBERS)
        assert endings(await tournament.done()) == await truth()
        assert len(liar.given) == given
        assert list(tournament.venue.aside) == ["liar"]
    assert [sorted(each) for each in asked] == [["cup/1", "cup/2"], ["cup/2"]]
    assert not trust.purges


async def test_a_purge_that_fails_ends_the_run_instead_of_keeping_what_is_not_believed() -> None:
    liar, honest = ScriptedWorker("liar"), ScriptedWorker("honest")

    async def fails(matches: Sequence[str], why: str) -> None:
        raise OSError("the disk is full")

    async with playing(liar) as (cluster, tournament):
        tournament.venue.on_purge = fails
        tournament.give(1)
        await tournament.done()
        liar.twist = other_ranks
        tournament.give(2)
        cluster.there[honest.address] = honest
        with pytest.raises(OSError, match="the disk is full"):
            await asyncio.wait_for(asyncio.shield(tournament.venue.failed), PATIENCE)
        await soon(lambda: "cup/2" in honest.given)
        assert not tournament.results["cup/2"]
