"""What a host decides about bots and matches: the others lose as little as possible, and all of it can be verified."""

from __future__ import annotations

import asyncio
import csv
import io
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from referee.rules.game import WrongUse
from referee.store import Counts, MatchState, NewEntrant, RulingKind, Store, Tournament
from referee.tournament import lifecycle
from referee.tournament.audit.database import check_columns, from_database
from referee.tournament.audit.verify import _schedule
from referee.tournament.moderation import Action, match_number, rule, told
from referee.tournament.plan import LOST
from referee.tournament.running.missed import missed_at_will
from referee.tournament.running.runner import Runner
from referee.tournament.standings import Follower, from_store
from referee_leaderboard import to_csv, to_html
from referee_leaderboard.drawing.versus import versus

from ..waiting import soon
from .conftest import FakeVenue, Started, matches_of, play

NewLeague = Callable[..., Tournament]


def counted(store: Store, *, without: str = "") -> Counter[str]:
    """Matches of each bot that were played and count."""
    return Counter(
        seat.name
        for match in matches_of(store)
        if match.state is MatchState.FINISHED
        for seat in match.seats
        if seat.name != without
    )


def follows(store: Store) -> None:
    """The schedule follows from settings and journal, and every column is what the journal tells."""
    audited = from_database(store, "league")
    drawn = _schedule(audited, audited.plan)
    assert [pairing.seats for pairing in drawn] == [
        tuple(seat.position for seat in match.seats) for match in matches_of(store)
    ]
    check_columns(store, "league")


@pytest.mark.parametrize("annul", [True, False])
async def test_when_a_bot_is_disqualified_nobody_else_loses_more_than_one_match(
    store: Store, new_league: NewLeague, annul: bool
) -> None:
    new_league("ada", "bob", "cy", "dee", "eve", "fay", "gus", players=3, rounds=14)
    venue = FakeVenue("never")
    started = Started(store, venue, concurrency=2)
    for _ in range(8):
        await soon(partial(len, venue.running))
        venue.end(next(iter(venue.running)))
    await started.kill()
    before = Counter(seat.name for match in matches_of(store) for seat in match.seats)
    ruling = rule(store, "league", Action.DISQUALIFY, "bob", "two accounts", annul=annul)
    assert ruling.aside
    await play(store)
    after = counted(store, without="bob")
    assert all(after[bot] >= before[bot] - 1 for bot in before if bot != "bob")
    follows(store)


@pytest.mark.parametrize("cancelled", [True, False])
async def test_a_bot_is_disqualified_once_the_tournament_is_over_and_nothing_is_drawn_in_its_place(
    store: Store, new_league: NewLeague, cancelled: bool
) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=6, seed=None)
    if cancelled:
        lifecycle.cancel(store, "league")
    else:
        await play(store)
    total = store.matches.total(1)
    ruling = rule(store, "league", Action.DISQUALIFY, "bob", "two accounts", annul=True)
    assert bool(ruling.annulled) != cancelled
    assert store.matches.total(1) == total
    follows(store)
    lifecycle.reopen(store, "league")
    lifecycle.extend(store, "league", 3)
    assert store.matches.total(1) > total
    assert all(seat.name != "bob" for match in matches_of(store)[total:] for seat in match.seats)
    follows(store)
    await play(store)
    assert not counted(store)["bob"]
    follows(store)


@pytest.mark.parametrize("comes_back", ["while it is played", "in a later run", "once it is opened again"])
async def test_what_a_disqualified_bot_has_missed_is_not_played_when_it_comes_back(
    store: Store, new_league: NewLeague, comes_back: str
) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.05, seed=None)
    venue = FakeVenue("never")
    venue.leave("cy")
    started = Started(store, venue)
    await soon(lambda: store.tournaments.counts(league.id).absent == 4)
    rule(store, "league", Action.DISQUALIFY, "cy", "two accounts")
    if comes_back == "while it is played":
        venue.come("cy")
        await soon(lambda: len(venue.running) == 2)
    await started.kill()
    await play(store)
    if comes_back == "once it is opened again":
        lifecycle.reopen(store, "league")
        await play(store)
    assert store.tournaments.counts(league.id) == Counts(finished=2, absent=4)
    follows(store)


async def test_what_a_disqualified_bot_has_missed_is_not_played_without_it_either(
    store: Store, new_league: NewLeague
) -> None:
    league = new_league("ada", "bob", "cy", schedule="full", rounds=None, absence=0.05, missed=LOST)
    venue = FakeVenue("never")
    started = Started(store, venue, concurrency=1)
    while not counted(store)["cy"]:
        await soon(partial(len, venue.running))
        venue.end(next(iter(venue.running)))
        await soon(lambda: len(venue.announced) == counted(store).total() // 2)
    await started.kill()
    missed = [
        match
        for match in matches_of(store)
        if match.state is not MatchState.FINISHED and "cy" in [seat.name for seat in match.seats]
    ]
    store.matches.set_all_aside({match.id: "cy not there" for match in missed}, MatchState.ABSENT)
    assert len(missed_at_will(store, league.id, frozenset({"cy"}))[1]) == len(missed)
    rule(store, "league", Action.DISQUALIFY, "cy", "two accounts")
    away = FakeVenue("soon")
    away.leave("cy")
    await play(store, venue=away)
    assert store.tournaments.counts(league.id).absent == len(missed)
    assert not [fixture for fixture in away.fixtures if "cy" in fixture.bots]
    follows(store)


async def test_a_bot_that_joins_after_a_disqualification_meets_only_those_who_are_in(
    store: Store, new_league: NewLeague
) -> None:
    new_league("ada", "bob", "cy", "dee", "eve", rounds=5, allow_join=True)
    rule(store, "league", Action.DISQUALIFY, "cy", "two accounts")
    total = store.matches.total(1)
    lifecycle.join(store, "league", [NewEntrant(store.bots.ensure_house("fay").id, "fay")])
    fresh = [{seat.name for seat in match.seats} for match in matches_of(store)[total:]]
    assert fresh
    assert all("cy" not in bots for bots in fresh)
    await play(store)
    follows(store)


async def test_a_running_match_of_a_disqualified_bot_is_broken_off_and_the_standings_are_rated_anew(
    store: Store, new_league: NewLeague
) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=6)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=2)
    task = asyncio.create_task(runner.run())
    await soon(partial(len, venue.running))
    first = next(iter(venue.running.values()))[0]
    venue.end(first.id)
    await soon(lambda: runner.board.matches)
    gone = first.bots[0]
    rule(store, "league", Action.DISQUALIFY, gone, "it cheats", annul=True)
    await runner.amend()
    assert all(gone not in fixture.bots for fixture, _ in venue.running.values())
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await task
    row = next(row for row in (await runner.standings()).rows if row.bot == gone)
    assert row.matches == 0
    assert runner.board.digest() == from_store(store, "league").digest
    follows(store)


async def test_annulling_a_match_changes_the_standings_as_if_it_had_not_been_played(
    store: Store, new_league: NewLeague
) -> None:
    new_league("ada", "bob", "cy", rounds=6)
    await play(store)
    watching = Follower(store, "league")
    before = watching.update()
    ruling = rule(store, "league", Action.ANNUL, "league/2", "the wrong rules")
    after = watching.update()
    assert after.digest == from_store(store, "league").digest != before.digest
    assert after.matches_set_aside == 1
    assert after.notices[0] == told(ruling) == "match 2 was annulled: the wrong rules"
    follows(store)


async def test_a_match_that_is_replayed_is_dealt_anew_and_counts_once(store: Store, new_league: NewLeague) -> None:
    new_league("ada", "bob", "cy", rounds=3)
    venue = FakeVenue("never")
    started = Started(store, venue, concurrency=1)
    await soon(partial(len, venue.running))
    seed = next(iter(venue.running.values()))[0].seed
    venue.end("league/0")
    await soon(lambda: matches_of(store)[0].state is MatchState.FINISHED)
    await started.kill()
    rule(store, "league", Action.REPLAY, "0", "the server was slow")
    again = FakeVenue()
    await play(store, venue=again)
    (fixture,) = [fixture for fixture in again.fixtures if fixture.id == "league/0"]
    assert fixture.seed != seed
    assert matches_of(store)[0].attempt == 2
    follows(store)


@pytest.mark.parametrize("format", [{"name": "swiss", "rounds": 4}, {"name": "ladder", "rounds": 4}])
async def test_a_drawn_format_goes_on_with_those_who_are_in(
    store: Store, new_league: NewLeague, format: dict[str, Any]
) -> None:
    new_league("ada", "bob", "cy", "dee", "eve", rounds=None, format=format)
    venue = FakeVenue("never")
    started = Started(store, venue, concurrency=4)
    await soon(lambda: len(venue.running) == 2)
    for running in list(venue.running):
        venue.end(running)
    await soon(lambda: store.rounds.count(1) == 2)
    await started.kill()
    rule(store, "league", Action.DISQUALIFY, "ada", "two accounts", annul=True)
    rule(store, "league", Action.WITHDRAW, "bob", "its author asked for it")
    runner = await play(store)
    for match in matches_of(store):
        if (match.round or 0) > 2:
            assert not {"ada", "bob"} & {seat.name for seat in match.seats}
    shown = (await runner.standings()).format
    assert {place.bot: place.out for place in shown.places if place.out} == {"ada": "disqualified", "bob": "withdrawn"}
    assert shown.places[-1].bot == "ada"
    follows(store)


async def test_a_bot_leaves_a_ladder_and_comes_back(store: Store, new_league: NewLeague) -> None:
    new_league("ada", "bob", "cy", rounds=None, format={"name": "ladder", "rounds": 3}, allow_join=True)
    rule(store, "league", Action.WITHDRAW, "cy", "repairs")
    newcomers = [NewEntrant(store.bots.ensure_house(bot).id, bot) for bot in ("cy", "dee")]
    lifecycle.join(store, "league", newcomers)
    assert [ruling.kind for ruling in store.rulings.all(1)] == [RulingKind.WITHDRAWN, RulingKind.RETURNED]
    await play(store)
    assert {"cy", "dee"} <= set(counted(store))
    follows(store)


def test_nobody_joins_a_format_whose_bracket_is_published(store: Store, new_league: NewLeague) -> None:
    new_league("ada", "bob", rounds=None, format={"name": "knockout"}, allow_join=True)
    with pytest.raises(WrongUse, match="nobody can join"):
        lifecycle.join(store, "league", [NewEntrant(store.bots.ensure_house("cy").id, "cy")])


def test_a_match_is_named_by_number_or_with_its_own_tournament(store: Store) -> None:
    assert match_number("league", "12") == match_number("league", "league/12") == 12
    for wrong in ("cup/12", "twelve", "", "/12", "league/-1", "league/٣", "9" * 20, "league/" + "9" * 20, "9" * 5000):
        with pytest.raises(WrongUse):
            match_number("league", wrong)


@pytest.mark.parametrize("order", [{}, {"order": "trueskill"}], ids=["by strength", "by score"])
async def test_a_bot_whose_results_are_all_annulled_has_no_strength_and_takes_no_chance_from_the_others(
    store: Store, new_league: NewLeague, order: dict[str, str]
) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=12, **order)
    await play(store)
    rule(store, "league", Action.DISQUALIFY, "bob", "two accounts", annul=True)
    found = from_store(store, "league")
    assert found.rows[-1].bot == "bob"
    assert found.rows[-1].rank == 4
    assert found.rows[-1].strength is None
    known = found.strengths
    assert {row.bot for row in known.rows} == {"ada", "cy", "dee"} == set(found.crosstable.bots)
    assert sum(row.first for row in known.rows) == pytest.approx(1, abs=1e-3)
    assert all(row.rank_high <= 3 and len(row.chances) == 3 for row in known.rows)
    assert not any("no results link" in note for note in known.notes)
    by_column = {row["bot"]: row for row in csv.DictReader(io.StringIO(to_csv(found)))}
    assert [by_column["bob"][name] for name in ("strength", "rank_low", "first", "strength_low")] == [""] * 4
    page = to_html(found)
    assert "bob" in page[: page.index("<h2>Strengths")]
    assert "bob" not in page[page.index("<h2>Strengths") : page.index("<h2>Seats")]
    assert not [line for line in versus(found, 80, 20).lines if "bob" in line.plain]


async def test_a_match_that_is_broken_off_by_a_ruling_is_not_told_as_dealt_anew(
    store: Store, new_league: NewLeague
) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=6)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=2)
    task = asyncio.create_task(runner.run())
    await soon(partial(len, venue.running))
    gone = next(iter(venue.running.values()))[0].bots[0]
    rule(store, "league", Action.DISQUALIFY, gone, "it cheats", annul=True)
    await runner.amend()
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await task
    assert store.matches.dealt_anew(store.tournaments.get("league").id) == []
    assert not any("dealt more than once" in notice for notice in (await runner.standings()).notices)


async def test_a_match_that_is_played_again_is_told_as_dealt_anew_at_once(store: Store, new_league: NewLeague) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=6)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=1)
    task = asyncio.create_task(runner.run())
    await soon(partial(len, venue.running))
    venue.end(next(iter(venue.running)))
    await soon(lambda: runner.board.matches)
    rule(store, "league", Action.REPLAY, "0", "a mistake of the host")
    await runner.amend()
    told_now = (await runner.standings()).notices
    venue.ends = "soon"
    for match in list(venue.running):
        venue.end(match)
    await task
    assert any("match 0 was dealt more than once" in notice for notice in told_now)
