"""Which rating orders the table: TrueSkill while it is played, strength once it is finished, or as the host says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from referee.rules.game import WrongUse
from referee.store import Store, Tournament
from referee.tournament.plan import Plan, checked
from referee.tournament.standings import from_store
from referee.tournament.standings.ordering import by_strength, order_of
from referee_leaderboard.standings import Order, Standing, Standings

from ...waiting import PATIENCE
from ..conftest import FakeVenue, Started, play

League = Callable[..., Tournament]


def by(standings: Standings, *names: str) -> list[float]:
    """The figures that order the rows, as they stand."""
    return [getattr(row, names[0]) or 0.0 for row in standings.rows]


async def test_a_finished_tournament_is_ordered_by_strength_unless_it_says_otherwise(
    store: Store, new_league: League
) -> None:
    new_league(rounds=20)
    new_league(rounds=20, name="fixed", order="trueskill")
    await play(store)
    await play(store, "fixed")
    free, fixed = from_store(store, "league"), from_store(store, "fixed")
    assert (free.order, fixed.order) == (Order.STRENGTH, Order.TRUESKILL)
    assert by(free, "strength") == sorted(by(free, "strength"), reverse=True)
    assert by(fixed, "score") == sorted(by(fixed, "score"), reverse=True)
    assert [row.rank for row in free.rows] == [1, 2, 3, 4, 5]
    assert {row.bot: row.strength for row in free.rows} == {row.bot: row.value for row in free.strengths.rows}
    assert free.digest  # of TrueSkill's ratings, whatever orders the table


async def test_a_running_tournament_is_ordered_by_trueskill_unless_it_says_otherwise(
    store: Store, new_league: League
) -> None:
    new_league(rounds=20, order="strength")
    venue = FakeVenue("never", places=1)
    started = Started(store, venue)
    await started.runner.started.wait()
    async with asyncio.timeout(PATIENCE):
        while (shown := await started.runner.standings()).matches_done < 12:
            for match in list(venue.running):
                venue.end(match)
            await asyncio.sleep(0)
    assert (shown.provisional, shown.order) == (True, Order.STRENGTH)
    assert by(shown, "strength") == sorted(by(shown, "strength"), reverse=True)
    await started.kill()
    plan = Plan("stop_me_go", 2, rounds=1)
    assert order_of(plan, final=False) is Order.TRUESKILL


def test_bots_without_a_result_come_last_whatever_is_thought_of_them() -> None:
    rows = [
        Standing(1, "idle", 25, 8, strength=0.0, strength_error=5.0),
        Standing(2, "weak", 20, 2, matches=9, strength=-1.0, strength_error=0.5),
        Standing(3, "strong", 22, 2, matches=9, strength=1.0, strength_error=0.5),
        Standing(4, "twin", 21, 2, matches=9, strength=1.0, strength_error=0.5),
    ]
    ordered = by_strength(rows)
    assert [(row.rank, row.bot) for row in ordered] == [(1, "strong"), (1, "twin"), (3, "weak"), (4, "idle")]


@pytest.mark.parametrize(
    ("plan", "wanted"),
    [
        (Plan("stop_me_go", 2, rounds=1), Order.STRENGTH),
        (Plan("encore", 1, rounds=1), Order.POINTS),
        (Plan("stop_me_go", 2, format={"name": "swiss"}), Order.PLACES),
        (Plan("stop_me_go", 2, format={"name": "ladder"}), Order.PLACES),
        (Plan("stop_me_go", 2, format={"name": "ladder"}, order="trueskill"), Order.TRUESKILL),
        (Plan("stop_me_go", 2, format={"name": "ladder"}, order="strength"), Order.STRENGTH),
    ],
)
def test_what_orders_the_final_table(plan: Plan, wanted: Order) -> None:
    assert order_of(plan, final=True) is wanted


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (Plan("stop_me_go", 2, rounds=1, order="elo"), "there is no order 'elo': the table is ordered by trueskill or"),
        (Plan("encore", 1, rounds=1, order="strength"), "ordered by points: leave out --order"),
        (Plan("stop_me_go", 2, format={"name": "swiss"}, order="strength"), "by its own places: leave out --order"),
    ],
)
def test_an_order_that_cannot_be_is_refused(plan: Plan, says: str) -> None:
    with pytest.raises(WrongUse, match=says):
        checked(plan, 4)


def test_the_order_is_stored_where_it_was_chosen_and_nothing_is_where_it_was_not(new_league: League) -> None:
    assert "order" not in new_league(name="silent").settings
    assert new_league(order="strength").settings["order"] == "strength"
