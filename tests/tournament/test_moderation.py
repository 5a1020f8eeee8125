"""What a host decides about bots and matches: the others lose as little as possible, and all of it can be verified."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from referee.rules.game import WrongUse
from referee.store import MatchState, NewEntrant, RulingKind, Store, Tournament
from referee.tournament import lifecycle
from referee.tournament.audit.database import check_columns, from_database
from referee.tournament.audit.verify import _schedule
from referee.tournament.moderation import Action, match_number, rule, told
from referee.tournament.running.runner import Runner
from referee.tournament.standings import Follower, from_store

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
    for wrong in ("cup/12", "twelve", "", "league/-1", "league/٣"):
        with pytest.raises(WrongUse):
            match_number("league", wrong)
