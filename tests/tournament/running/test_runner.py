"""A tournament is played to its end, every match once, whatever happens to bots, matches and the one who runs it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random

import pytest

from referee.store import (
    Counts,
    DiskFull,
    MatchState,
    NewEntrant,
    Store,
    StoreError,
    Tournament,
    TournamentState,
)
from referee.tournament import lifecycle
from referee.tournament.running.runner import Runner
from referee.tournament.seeds import match_seed
from referee.tournament.standings import from_store

from ...waiting import soon
from ..conftest import BOTS, FakeVenue, Started, matches_of, play

League = Callable[..., Tournament]


@pytest.mark.parametrize("ends", ["at once", "soon", "shuffled"])
async def test_every_match_is_played_once_and_the_root_is_revealed(store: Store, new_league: League, ends: str) -> None:
    league = new_league()
    venue = FakeVenue(ends)
    runner = await play(store, venue=venue)
    played = [fixture.id for fixture in venue.fixtures]
    assert sorted(played) == sorted(f"league/{match.ordinal}" for match in matches_of(store))
    assert store.tournaments.counts(league.id) == Counts(finished=len(played))
    over = store.tournaments.get("league")
    assert over.state is TournamentState.FINISHED
    assert over.root == store.tournaments.root(league.id)
    assert (await runner.standings()).digest == from_store(store, "league").digest != ""


async def test_the_same_deals_give_the_same_digest_however_many_are_played_at_once(
    store: Store, new_league: League
) -> None:
    digests = set()
    for concurrency, ends, places in ((1, "soon", 1), (8, "shuffled", 4), (64, "at once", 9), (3, "shuffled", 1)):
        league = new_league(players=3, rounds=12, name="league")
        runner = await play(store, venue=FakeVenue(ends, places), concurrency=concurrency)
        digests.add((await runner.standings()).digest)
        digests.add(from_store(store, "league").digest)
        set_free(store, league)
    assert len(digests) == 1


async def test_a_result_is_on_disk_before_anybody_hears_of_it(store: Store, new_league: League) -> None:
    new_league()
    venue = FakeVenue("shuffled")
    stored: list[MatchState] = []

    def look(fixture: object) -> None:
        [match] = [each for each in matches_of(store) if f"league/{each.ordinal}" == fixture.id]  # type: ignore[attr-defined]
        stored.append(match.state)

    venue.before_announcement = look
    await play(store, venue=venue)
    assert stored == [MatchState.FINISHED] * len(venue.fixtures)


async def test_no_more_matches_at_once_than_allowed_and_than_bots_take(store: Store, new_league: League) -> None:
    new_league(rounds=10)
    venue = FakeVenue("shuffled", places=9)
    await play(store, venue=venue, concurrency=3)
    assert venue.most == 3
    new_league(name="second", rounds=10)
    modest = FakeVenue("shuffled", places=1)
    await play(store, "second", modest, concurrency=50)
    assert modest.most == 2  # five bots, one match each


async def test_a_match_that_was_interrupted_is_played_again_on_a_new_deal(store: Store, new_league: League) -> None:
    league = new_league(*BOTS[:2], rounds=1)
    venue = FakeVenue("never")
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: bool(venue.running))
    venue.interrupt("league/0")
    await soon(lambda: bool(venue.running))
    venue.end("league/0")
    await running
    root = store.tournaments.root(league.id)
    assert [fixture.seed for fixture in venue.fixtures] == [match_seed(root, "league", 0, n) for n in (1, 2)]
    [match] = matches_of(store)
    assert (match.attempt, match.seed) == (2, venue.fixtures[1].seed.hex())


async def test_where_bots_start_anew_it_is_the_same_deal(store: Store, new_league: League) -> None:
    new_league(*BOTS[:2], rounds=1)
    venue = FakeVenue("never")
    venue.keeps_deal = True
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: bool(venue.running))
    venue.interrupt("league/0")
    await soon(lambda: bool(venue.running))
    venue.break_off("league/0")  # these bots live on, and have been told the seed
    await soon(lambda: bool(venue.running))
    venue.end("league/0")
    await running
    first, second, third = (fixture.seed for fixture in venue.fixtures)
    assert first == second != third
    assert venue.announced == ["league/0", "league/0"]


async def test_only_the_bots_of_a_match_decide_whether_it_needs_a_new_deal(store: Store, new_league: League) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=1)

    class Remembering(FakeVenue):
        def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
            return "ada" not in bots

    venue = Remembering("never")
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: len(venue.running) == 2)
    first = {fixture.bots: fixture.seed for fixture in venue.fixtures}
    for match in list(venue.running):
        venue.interrupt(match)
    await soon(lambda: len(venue.running) == 2)
    for fixture in venue.fixtures[2:]:
        assert (fixture.seed == first[fixture.bots]) == ("ada" not in fixture.bots)
        venue.end(fixture.id)
    await running


async def test_a_match_whose_game_always_fails_is_set_aside(store: Store, new_league: League) -> None:
    league = new_league(*BOTS[:2], rounds=2)
    venue = FakeVenue("never")
    running = asyncio.create_task(play(store, venue=venue))
    for _ in range(3):
        await soon(lambda: "league/0" in venue.running)
        venue.break_off("league/0", "the game failed")
    await soon(lambda: "league/1" in venue.running)
    venue.end("league/1")
    runner = await running
    assert store.tournaments.counts(league.id) == Counts(finished=1, void=1)
    standings = await runner.standings()
    assert standings.notices == (
        "match 0 was dealt more than once: an earlier deal came to nothing",
        "match 0 was not played: the game failed",
    )
    assert not standings.provisional


async def test_stopped_it_ends_what_is_played_and_starts_nothing(store: Store, new_league: League) -> None:
    league = new_league()
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=2)
    running = asyncio.create_task(runner.run())
    await soon(lambda: len(venue.running) == 2)
    runner.stop("paused")
    venue.end("league/0")
    await soon(lambda: venue.announced)  # there would be a place for another match now
    assert not running.done()
    for match in list(venue.running):
        venue.end(match)
    await running
    assert store.tournaments.counts(league.id).finished == len(venue.fixtures) == 2
    assert store.tournaments.get("league").state is TournamentState.RUNNING  # for the next one to go on with
    assert not runner.carry_on()


async def test_a_stop_can_be_taken_back_while_matches_run(store: Store, new_league: League) -> None:
    new_league()
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=2)
    running = asyncio.create_task(runner.run())
    await soon(lambda: len(venue.running) == 2)
    runner.stop("paused")
    venue.end("league/0")
    await soon(lambda: venue.announced)  # it has gone on in the meantime, without a new match
    assert runner.carry_on()
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await running
    assert store.tournaments.get("league").state is TournamentState.FINISHED


async def test_cancelled_while_matches_are_claimed_none_is_left_being_played(store: Store, new_league: League) -> None:
    for delay in (0.0, 0.001, 0.004, 0.01, 0.03):
        name = f"league {delay}"
        league = new_league(name=name, rounds=30)
        venue = FakeVenue("never", places=20)
        runner = Runner(store, name, venue)
        running = asyncio.create_task(runner.run())
        await runner.started.wait()
        await asyncio.sleep(delay)  # any moment will do
        lifecycle.close(store, league)
        runner.stop("cancelled")
        runner.break_off()
        await running
        counts = store.tournaments.counts(league.id)
        assert (counts.playing, counts.finished) == (0, 0)
        assert len(venue.announced) == len(venue.fixtures)
        assert from_store(store, name).digest  # what was not played never will be


async def test_an_absent_bot_is_waited_for_and_then_its_matches_are_set_aside(store: Store, new_league: League) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.3)
    venue = FakeVenue("soon")
    venue.leave("cy")
    runner = await play(store, venue=venue)
    assert store.tournaments.counts(league.id) == Counts(finished=2, absent=4)
    assert not [fixture for fixture in venue.fixtures if "cy" in fixture.bots]
    standings = await runner.standings()
    assert not standings.provisional
    assert len(standings.notices) == 4
    assert standings.notices[0].endswith("was not played: cy not there")
    assert {row.bot: row.absent for row in standings.rows} == {"ada": False, "bob": False, "cy": True}
    assert standings.digest == from_store(store, "league").digest


async def test_a_bot_that_comes_back_before_the_end_gets_its_matches_back(store: Store, new_league: League) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.05)
    venue = FakeVenue("never")
    venue.leave("cy")
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: store.tournaments.counts(league.id).absent == 4)
    venue.come("cy")
    await soon(lambda: store.tournaments.counts(league.id).absent == 0)
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    runner = await running
    assert store.tournaments.counts(league.id) == Counts(finished=6)
    assert all(match.attempt == 1 for match in matches_of(store))
    assert (await runner.standings()).digest == from_store(store, "league").digest


async def test_what_an_earlier_run_set_aside_is_played_if_the_bot_is_there_now(
    store: Store, new_league: League
) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.05)
    venue = FakeVenue("never")
    venue.leave("cy")
    started = Started(store, venue)
    await soon(lambda: store.tournaments.counts(league.id).absent == 4 and len(venue.running) == 2)
    await started.kill()
    await play(store)
    assert store.tournaments.counts(league.id) == Counts(finished=6)


async def test_a_bot_may_join_while_the_tournament_runs(store: Store, new_league: League) -> None:
    league = new_league(allow_join=True, rounds=4)
    before = matches_of(store)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue)
    running = asyncio.create_task(runner.run())
    await soon(lambda: bool(venue.running))
    added = lifecycle.join(store, "league", [NewEntrant(store.bots.ensure_house("zoe").id, "zoe")])
    await runner.refresh()
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await running
    after = matches_of(store)
    assert [(match.id, match.round, match.table) for match in after[: len(before)]] == [
        (match.id, match.round, match.table) for match in before
    ]
    assert len(after) == len(before) + added
    assert store.tournaments.counts(league.id) == Counts(finished=len(after))
    assert "zoe" in {row.bot for row in (await runner.standings()).rows}
    assert (await runner.standings()).digest == from_store(store, "league").digest


async def test_a_bot_that_joins_at_the_very_end_still_gets_its_matches(store: Store, new_league: League) -> None:
    league = new_league(*BOTS[:2], allow_join=True, rounds=3)
    venue = FakeVenue("never")
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: len(venue.running) == 3)
    added = lifecycle.join(
        store, "league", [NewEntrant(store.bots.ensure_house("zoe").id, "zoe")]
    )  # unseen by the runner
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await running
    assert added > 0
    assert store.tournaments.counts(league.id) == Counts(finished=3 + added)


async def test_when_results_cannot_be_stored_nobody_hears_of_them(
    store: Store, new_league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_league()
    venue = FakeVenue("never")
    running = asyncio.create_task(play(store, venue=venue))
    await soon(lambda: len(venue.running) > 3)

    def full(*_: object) -> object:
        raise DiskFull("no room left")

    monkeypatch.setattr(store.matches, "report_later", full)
    venue.end("league/0")
    with pytest.raises(StoreError, match="no room left"):
        await running
    assert "league/0" not in venue.announced
    monkeypatch.undo()
    await play(store)
    assert store.tournaments.get("league").state is TournamentState.FINISHED


async def test_killed_again_and_again_it_ends_as_if_nothing_had_happened(store: Store, new_league: League) -> None:
    digests = set()
    for seed in range(4):
        league = new_league(players=3, rounds=12)
        chance = Random(seed)
        for _ in range(seed * 3):  # the first time it is left alone
            venue = FakeVenue("shuffled", places=chance.randint(1, 5))
            venue.keeps_deal = True
            started = Started(store, venue, concurrency=chance.randint(1, 8))
            await asyncio.sleep(chance.uniform(0.0, 0.03))  # any moment will do
            await started.kill()
            if store.tournaments.get("league").state is TournamentState.FINISHED:  # quicker than its killer
                break
        else:
            last = FakeVenue("shuffled")
            last.keeps_deal = True
            await play(store, venue=last)
        matches = matches_of(store)
        assert store.tournaments.counts(league.id) == Counts(finished=len(matches))
        assert {match.attempt for match in matches} == {1}
        digests.add(from_store(store, "league").digest)
        set_free(store, league)
    assert len(digests) == 1


def set_free(store: Store, league: Tournament) -> None:
    """The name of a tournament is part of its deals: make it free for another that is to have the same."""
    with store.writer._engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE tournaments SET name = 'old {league.id}' WHERE id = {league.id}")
