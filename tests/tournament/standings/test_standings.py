"""Standings read from the store are those of the one who plays, at every moment and at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from referee.rules import registry
from referee.rules.game import WrongUse
from referee.store import Store, Tournament, TournamentState
from referee.store.connections import wall_clock
from referee.tournament import lifecycle
from referee.tournament.running.runner import Runner
from referee.tournament.standings import Follower, from_store
from referee_leaderboard.standings import State

from ...waiting import soon
from ..conftest import FakeVenue, play

League = Callable[..., Tournament]


async def test_who_follows_the_file_sees_what_the_runner_sees(store: Store, new_league: League) -> None:
    new_league(rounds=8)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=4)
    running = asyncio.create_task(runner.run())
    follower = Follower(store, "league")
    ended: list[str] = []
    while not running.done():
        await soon(lambda: len(venue.running) > 3 or running.done() or len(venue.fixtures) == 16)
        for match in list(venue.running)[::-1][:3]:  # the later ones first
            venue.end(match)
            ended.append(match)
        await soon(lambda: len(venue.announced) == len(ended))
        # A result is rated beside the loop: the board may be a moment behind what is announced.
        await soon(lambda: runner.board.matches == len(ended))
        here, there = await runner.standings(), follower.update()
        assert [(row.rank, row.bot, row.mu, row.sigma, row.matches) for row in there.rows] == [
            (row.rank, row.bot, row.mu, row.sigma, row.matches) for row in here.rows
        ]
        assert there.provisional == here.provisional
        assert there.crosstable == here.crosstable
        await asyncio.sleep(0)
    await running
    final = follower.update()
    assert final == from_store(store, "league") or final.digest == from_store(store, "league").digest
    assert (final.state, final.provisional, final.matches_done) == (State.FINISHED, False, 16)


async def test_matches_that_are_not_shown_are_counted_among_those_being_played(
    store: Store, new_league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.tournament.running.runner.MOST_SHOWN", 2)
    new_league(rounds=8)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=4)
    running = asyncio.create_task(runner.run())
    await soon(lambda: len(venue.running) == 4)
    standings = await runner.standings()
    assert (len(standings.playing), standings.matches_playing) == (2, 4)
    running.cancel()
    await asyncio.wait([running])


async def test_a_follower_notices_that_matches_were_given_back(store: Store, new_league: League) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.05)
    venue = FakeVenue("never")
    venue.leave("cy")
    runner = Runner(store, "league", venue)
    running = asyncio.create_task(runner.run())
    await soon(lambda: store.tournaments.counts(league.id).absent == 4)
    follower = Follower(store, "league")
    before = follower.update()
    assert (before.matches_done, before.matches_set_aside) == (4, 4)
    assert len(before.notices) == 4
    venue.ends = "soon"
    venue.come("cy")
    await soon(lambda: store.tournaments.counts(league.id).finished >= 1)
    follower.update()
    for match in list(venue.running):
        venue.end(match)
    await running
    after = follower.update()
    assert after.digest == from_store(store, "league").digest != before.digest
    assert (after.matches_done, after.notices) == (6, ())


async def test_the_latest_results_are_the_latest_even_after_a_restart(store: Store, new_league: League) -> None:
    new_league(rounds=3)
    venue = FakeVenue("never", places=9)
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: len(venue.running) == 6)
    order = [2, 0, 5, 1, 4, 3]
    for number, ordinal in enumerate(order, 1):
        venue.end(f"league/{ordinal}")
        await soon(lambda number=number: len(venue.announced) == number)  # type: ignore[misc]
        announced = wall_clock()
        await soon(lambda announced=announced: wall_clock() > announced)  # type: ignore[misc]  # kept in milliseconds
    await running
    latest = [outcome.match for outcome in from_store(store, "league").latest]
    assert latest == [f"league/{ordinal}" for ordinal in reversed(order)]


async def test_who_goes_on_with_a_tournament_goes_on_with_its_clock(
    store: Store, new_league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    league = new_league()
    for after in (100.0, 200.0):  # the first one is broken off, as by a crash
        runner = Runner(store, "league", FakeVenue("never"), concurrency=3)
        running = asyncio.create_task(runner.run())
        await runner.started.wait()
        started = store.tournaments.get(league.id).started
        assert started is not None
        monkeypatch.setattr("time.time", lambda at=started / 1000 + after: at)
        assert (await runner.standings()).elapsed == pytest.approx(after)
        assert from_store(store, "league").elapsed == pytest.approx(after)
        running.cancel()
        await asyncio.wait([running])


async def test_a_cancelled_tournament_has_final_standings(store: Store, new_league: League) -> None:
    new_league()
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=3)
    running = asyncio.create_task(runner.run())
    await soon(lambda: len(venue.running) == 3)
    venue.end("league/0")
    await soon(lambda: "league/0" in venue.announced)
    runner.stop("cancelled")
    lifecycle.cancel(store, "league")
    runner.break_off()
    await running
    standings = from_store(store, "league")
    assert (standings.state, standings.provisional) == (State.CANCELLED, False)
    assert standings.digest == (await runner.standings()).digest != ""
    assert standings.matches_done < standings.matches_total


async def test_standings_need_no_game_only_what_is_stored(
    store: Store, new_league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_league()
    await play(store)
    digest = from_store(store, "league").digest

    def gone(name: str) -> None:
        raise WrongUse(f"unknown game {name!r}")

    monkeypatch.setattr(registry, "find", gone)
    assert from_store(store, "league").digest == digest


def test_before_the_first_match_everybody_is_listed_at_the_prior(store: Store, new_league: League) -> None:
    league = new_league("ada", "bob")
    standings = from_store(store, "league")
    assert [(row.rank, row.bot, row.mu) for row in standings.rows] == [(1, "ada", 25.0), (1, "bob", 25.0)]
    assert (standings.provisional, standings.digest) == (True, "")
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    assert from_store(store, "league").state is State.RUNNING
