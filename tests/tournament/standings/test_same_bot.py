"""A bot entered several times has a line of its own: on the board of whoever plays, and of whoever follows."""

from __future__ import annotations

import pytest

from referee.store import Entrant, NewEntrant, Store
from referee.tournament import lifecycle
from referee.tournament.plan import Plan
from referee.tournament.standings import from_store
from referee.tournament.standings.same_bot import entries_by_bot

from ..conftest import play


def entrants(**bots: int) -> list[Entrant]:
    return [Entrant(place, place, bot, name, 0) for place, (name, bot) in enumerate(bots.items())]


def test_entrants_of_one_registered_bot_are_one_bot() -> None:
    found = entries_by_bot(Plan("stop_me_go", 2), entrants(odds=7, ada=8, odds2=7, cy=9))
    assert found == {"odds": ("odds", "odds2")}


def test_a_field_of_one_bot_alone_is_not_pooled() -> None:
    assert entries_by_bot(Plan("stop_me_go", 2), entrants(odds=7, odds2=7, odds3=7)) == {}


def test_a_program_started_twice_is_one_bot_whatever_it_is_called() -> None:
    hosted = {"random": "random", "mine": "mine=random", "lua": "stdio:lua a=1.lua", "x": "stdio:lua b.lua"}
    found = entries_by_bot(Plan("stop_me_go", 2, hosted=hosted), entrants(random=1, mine=2, lua=3, x=4))
    assert found == {"random": ("random", "mine")}


async def test_the_running_board_and_the_stored_one_pool_the_entries_of_a_bot(store: Store) -> None:
    bot = store.bots.ensure_house("random").id
    listed = [
        NewEntrant(bot, "random"),
        NewEntrant(bot, "random-2"),
        NewEntrant(store.bots.ensure_house("ada").id, "ada"),
    ]
    lifecycle.create(store, "league", Plan("stop_me_go", 2, rounds=6), listed, "s", repeatable=True)
    runner = await play(store)
    here, stored = await runner.standings(), from_store(store, "league")
    assert here.pooled == stored.pooled
    (pooled,) = stored.pooled
    own = [row for row in stored.rows if row.bot.startswith("random")]
    assert (pooled.bot, pooled.entries) == ("random", ("random", "random-2"))
    assert pooled.matches == sum(row.matches for row in own) > 0
    assert pooled.wins == sum(row.wins for row in own)
    assert pooled.mean_rank == pytest.approx(sum((row.mean_rank or 0) * row.matches for row in own) / pooled.matches)
