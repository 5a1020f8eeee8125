"""Rulings at any moment in any format: the tournament goes on to its end, and all of it can be drawn again.

Bots are disqualified or withdraw, results are annulled, matches are played again: while a round is played, in the last
one, after the end, more than once. Afterwards the rounds follow from results and root, and the places are those that
`verify` counts.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from referee.store import NotAllowed, Store, Tournament
from referee.tournament.audit.database import check_columns, from_database
from referee.tournament.audit.drawn_rounds import drawn_again, final_places
from referee.tournament.moderation import Action, rule
from referee.tournament.running.runner import Runner
from referee.tournament.standings import Follower, from_store

from ...waiting import soon
from ..conftest import FakeVenue, Started, matches_of, play

NewLeague = Callable[..., Tournament]
BOTS = tuple("abcdefghi")
FORMATS: list[tuple[int, dict[str, Any]]] = [
    (2, {"name": "gauntlet", "challengers": [0, 1], "rounds": 2}),
    (2, {"name": "swiss", "rounds": 4}),
    (3, {"name": "swiss", "rounds": 4}),
    (2, {"name": "knockout", "third_place": True}),
    (2, {"name": "knockout", "further": 2, "blocks": 2}),
    (4, {"name": "knockout", "advance": 2}),
    (2, {"name": "groups+finals", "groups": 2, "qualify": 2}),
    (3, {"name": "groups+finals", "groups": 3, "qualify": 2, "rounds": 3}),
    (2, {"name": "ladder", "rounds": 5, "quota": 2}),
    (2, {"name": "until", "question": "first", "budget": 40}),
    (2, {"name": "until", "question": "order", "budget": 40}),
]
SEEDS = 1


def name_of(value: object) -> str:
    return str(value["name"]) if isinstance(value, dict) else str(value)


class Host:
    """Rules at random about whatever there is."""

    def __init__(self, store: Store, seed: int) -> None:
        self._store = store
        self._dice = random.Random(seed)
        self.done: Counter[Action] = Counter()

    def rules(self) -> None:
        matches = matches_of(self._store)
        action = self._dice.choice(list(Action))
        subject = self._dice.choice(BOTS)
        if action in (Action.ANNUL, Action.REPLAY):
            if not matches:
                return
            subject = str(self._dice.choice(matches).ordinal)
        elif sum(self.done[one] for one in (Action.DISQUALIFY, Action.WITHDRAW)) >= 4:
            return  # some must be left to play
        annul = action is Action.DISQUALIFY and self._dice.random() < 0.5
        with suppress(NotAllowed):
            rule(self._store, "league", action, subject, "as this test has it", annul=annul)
            self.done[action] += 1


def follows(store: Store) -> None:
    """Rounds and places follow from what is stored."""
    audited = from_database(store, "league")
    assert audited.story is not None
    drawn = drawn_again(audited, audited.plan)
    seats = [tuple(seat.position for seat in match.seats) for match in matches_of(store)]
    assert [pairing.seats for pairing in drawn] == seats
    check_columns(store, "league")
    shown = from_store(store, "league").format
    assert shown is not None
    counted = final_places(audited.story, audited.plan, seats)  # type: ignore[arg-type]
    assert counted is not None
    places = sorted({place.place for place in shown.places})
    assert [{each.bot for each in shown.places if each.place == place} for place in places] == [
        set(group) for group in counted
    ]


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize(("players", "format"), FORMATS, ids=name_of)
async def test_whatever_is_ruled_at_whatever_moment_the_rounds_and_places_follow(
    store: Store, new_league: NewLeague, players: int, format: dict[str, Any], seed: int
) -> None:
    new_league(*BOTS, players=players, rounds=None, format=format)
    host, dice = Host(store, seed), random.Random(seed)
    venue = FakeVenue("never")
    watching = Follower(store, "league")
    runner = Runner(store, "league", venue, concurrency=4)
    task = asyncio.create_task(runner.run())
    while not task.done():
        await soon(lambda: venue.running or task.done())
        if venue.running:
            venue.end(dice.choice(sorted(venue.running)))
        if host.done.total() < 8 and dice.random() < 0.3:
            host.rules()
            await runner.amend()
            watching.update()
    await task
    follows(store)
    for _ in range(4):
        host.rules()
        watching.update()
    follows(store)


async def test_a_result_of_a_knockout_that_is_annulled_later_does_not_change_who_advanced(
    store: Store, new_league: NewLeague
) -> None:
    league = new_league("ada", "bob", "cy", "dee", rounds=None, format={"name": "knockout"})
    venue = FakeVenue("never")
    started = Started(store, venue, concurrency=4)
    await soon(lambda: len(venue.running) == 4)
    for match, (fixture, _) in list(venue.running.items()):
        upset = [1 if bot in ("cy", "dee") else 2 for bot in fixture.bots]
        venue.end(match, upset)
    await soon(lambda: store.rounds.count(league.id) == 2)
    await started.kill()
    for number in range(4):
        rule(store, "league", Action.ANNUL, str(number), "found out later")
    shown = from_store(store, "league").format
    assert shown is not None
    assert [table.bots for table in shown.bracket[-1].tables] == [("dee", "cy")]
    runner = await play(store)
    assert store.rounds.count(league.id) == 2 or store.rounds.all(league.id)[2].stage == "final, further block 1"
    final = (await runner.standings()).format
    assert final is not None
    assert {place.bot for place in final.places[:2]} == {"cy", "dee"}
    follows(store)


async def test_if_a_clear_final_is_annulled_after_the_end_its_bots_share_the_first_place(
    store: Store, new_league: NewLeague
) -> None:
    new_league("ada", "bob", "cy", "dee", rounds=None, format={"name": "knockout"})
    venue = FakeVenue("never")
    task = asyncio.create_task(Runner(store, "league", venue, concurrency=4).run())
    while not task.done():
        await soon(lambda: venue.running or task.done())
        for match, (fixture, _) in list(venue.running.items()):
            venue.end(match, [1 + sum(other < bot for other in fixture.bots) for bot in fixture.bots])
    await task
    for number in (4, 5):
        rule(store, "league", Action.ANNUL, str(number), "found out later")
    shown = from_store(store, "league").format
    assert [(place.place, place.bot) for place in shown.places] == [(1, "ada"), (1, "bob"), (3, "cy"), (3, "dee")]
    follows(store)
