"""Rounds that a format draws while the tournament runs: stored before they are played, the same whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from referee.store import MatchState, NewEntrant, Store, Tournament
from referee.tournament import lifecycle
from referee.tournament.audit.database import check_columns, from_database
from referee.tournament.audit.drawn_rounds import drawn_again
from referee.tournament.plan import Plan
from referee.tournament.running import drawing
from referee.tournament.standings import from_store
from referee_leaderboard import final_table, to_text
from referee_leaderboard.standings import Order

from ...waiting import soon
from ..conftest import FakeVenue, Started, matches_of, play

NewLeague = Callable[..., Tournament]
GAUNTLET = {"name": "gauntlet", "challengers": [0, 1], "rounds": 3}
UNTIL = {"name": "until", "question": "first", "budget": 60}
FORMATS: list[dict[str, Any]] = [GAUNTLET, {"name": "swiss", "rounds": 3}, UNTIL]
names = pytest.mark.parametrize("format", FORMATS, ids=lambda format: format["name"])


def new(new_league: NewLeague, format: dict[str, Any], name: str = "league", **settings: Any) -> Tournament:
    return new_league(name=name, rounds=None, format=format, **settings)


def tables(store: Store, name: str = "league") -> list[tuple[int, tuple[int, ...]]]:
    return [(match.round or 0, tuple(seat.position or 0 for seat in match.seats)) for match in matches_of(store, name)]


async def test_a_gauntlet_is_drawn_round_by_round_and_ends(store: Store, new_league: NewLeague) -> None:
    tournament = new(new_league, GAUNTLET)
    assert matches_of(store) == []
    runner = await play(store)
    rounds = store.rounds.all(tournament.id)
    assert [(each.number, each.first, each.matches, each.stage) for each in rounds] == [
        (number, 6 * (number - 1), 6, f"round {number} of 3") for number in (1, 2, 3)
    ]
    for _, seats in tables(store):
        assert len({0, 1} & set(seats)) == 1
    assert (await runner.standings()).digest == runner.board.digest() != ""


async def test_no_match_of_a_round_is_stored_before_all_of_the_round_before_are_settled(
    store: Store, new_league: NewLeague
) -> None:
    new(new_league, GAUNTLET)
    venue = FakeVenue("shuffled")
    seen: list[tuple[int, int]] = []
    venue.before_announcement = lambda fixture: seen.append((fixture.round, max(r for r, _ in tables(store))))
    await play(store, venue=venue, concurrency=16)
    assert seen
    assert all(own == last for own, last in seen)


@names
async def test_the_digest_is_the_same_at_any_concurrency(
    store: Store, new_league: NewLeague, format: dict[str, Any]
) -> None:
    digests = set()
    drawn = set()
    for number, concurrency in enumerate((1, 3, 16)):
        # The name goes into the seeds: the same one in a file of its own each time.
        with Store.open(store.address.path.with_name(f"{number}.db")) as own:  # type: ignore[union-attr]
            plan = Plan("stop_me_go", 2, rounds=None, format=format)
            bots = [NewEntrant(own.bots.ensure_house(bot).id, bot) for bot in "abcdefgh"]
            lifecycle.create(own, "league", plan, bots, "s", repeatable=True)
            runner = await play(own, venue=FakeVenue("shuffled"), concurrency=concurrency)
            digests.add(runner.board.digest())
            drawn.add(tuple(tables(own)))
    assert len(digests) == len(drawn) == 1


@names
async def test_a_killed_tournament_goes_on_to_the_same_digest(
    store: Store, new_league: NewLeague, format: dict[str, Any]
) -> None:
    new(new_league, format)
    whole = await play(store, venue=FakeVenue("soon"))
    expected, order = whole.board.digest(), tables(store)
    with Store.open(store.address.path.with_name("killed.db")) as own:  # type: ignore[union-attr]
        bots = [NewEntrant(own.bots.ensure_house(bot).id, bot) for bot in ("ada", "bob", "cy", "dee", "eve")]
        lifecycle.create(own, "league", Plan("stop_me_go", 2, rounds=None, format=format), bots, "s", repeatable=True)
        for ended in (1, 2, 1):
            venue = FakeVenue("never")
            venue.keeps_deal = True
            started = Started(own, venue, concurrency=4)
            for _ in range(ended):
                await soon(partial(len, venue.running))
                venue.end(next(iter(venue.running)))
            await started.kill()
        venue = FakeVenue("soon")
        venue.keeps_deal = True
        runner = await play(own, venue=venue)
        assert (runner.board.digest(), tables(own)) == (expected, order)


async def test_every_round_can_be_drawn_again_from_results_and_root(store: Store, new_league: NewLeague) -> None:
    new(new_league, GAUNTLET)
    await play(store)
    audited = from_database(store, "league")
    again = drawn_again(audited, audited.plan)
    assert [(each.round, each.seats) for each in again] == tables(store)
    check_columns(store, "league")


async def test_a_match_that_lacks_a_bot_is_set_aside_and_the_next_round_is_drawn_without_it(
    store: Store, new_league: NewLeague
) -> None:
    new(new_league, GAUNTLET, absence=0.0)
    venue = FakeVenue("soon")
    venue.leave("eve")
    await play(store, venue=venue)
    missing = [match for match in matches_of(store) if "eve" in {seat.name for seat in match.seats}]
    assert {match.state for match in missing} == {MatchState.ABSENT}
    assert {match.round for match in missing} == {1, 2, 3}
    check_columns(store, "league")


async def test_a_ladder_waits_while_fewer_bots_are_there_than_a_table_needs(
    store: Store, new_league: NewLeague, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would draw one round after the other for nobody, each set aside at once."""
    tournament = new(new_league, {"name": "ladder"}, players=3, absence=0)
    venue = FakeVenue()
    venue.leave("cy", "dee", "eve")
    told: list[str] = []
    monkeypatch.setattr(drawing, "log", SimpleNamespace(info=lambda _, **words: told.append(words.get("why", ""))))

    def waits(here: int) -> bool:
        return any(why.startswith(f"{here} of the 3 bots") for why in told)

    started = Started(store, venue)
    await soon(lambda: waits(2))
    assert store.rounds.all(tournament.id) == []
    venue.come("cy")
    await soon(lambda: len(venue.announced) >= 3)
    before = len(store.rounds.all(tournament.id))
    venue.leave("bob", "cy")
    await soon(lambda: waits(1))
    drawn = len(store.rounds.all(tournament.id))
    assert drawn <= before + 1  # one may have been drawn just then
    venue.come("eve", "dee")
    await soon(lambda: len(store.rounds.all(tournament.id)) > drawn)
    await started.kill()


async def test_the_table_of_a_ladder_is_ordered_by_its_own_places_which_seasons_move(
    store: Store, new_league: NewLeague
) -> None:
    season = {"name": "ladder", "rounds": 7, "season": 3, "keep": 0.0}
    new(new_league, season)
    new(new_league, season, name="all", order="trueskill")
    await play(store)
    await play(store, name="all")
    shown, plain = from_store(store, "league"), from_store(store, "all")
    assert (shown.order, plain.order) == (Order.PLACES, Order.TRUESKILL)
    assert {row.bot: row.rank for row in shown.rows} == {place.bot: place.place for place in shown.format.places}
    own = {place.bot: place.points for place in shown.format.places}
    # The last season has one round: with nothing kept, nobody can have shown what seven rounds show.
    assert all(own[row.bot] != pytest.approx(row.score) for row in shown.rows)
    assert " Ladder " in to_text(final_table(shown))
    assert " Ladder " not in to_text(final_table(plain))


@pytest.mark.parametrize(
    ("format", "most"),
    [({"name": "ladder"}, 0), (UNTIL, 60), ({"name": "ladder", "rounds": 9}, None), (GAUNTLET, None)],
)
async def test_how_many_matches_there_will_be_is_told_only_where_it_is_known(
    store: Store, new_league: NewLeague, format: dict[str, Any], most: int | None
) -> None:
    new(new_league, format)
    venue = FakeVenue("never")
    started = Started(store, venue)
    await soon(lambda: venue.running)
    venue.end(next(iter(venue.running)))
    await soon(lambda: venue.announced)
    shown = await started.runner.standings()
    assert shown.format.most == most
    assert (shown.eta is None) == (most is not None)
    await started.kill()
    lifecycle.cancel(store, "league")
    assert from_store(store, "league").format.most is None
