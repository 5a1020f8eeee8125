"""Absence at will: a bot that has played and then stays away loses what it missed; who never came, or comes back, does
not.
"""

from __future__ import annotations

import asyncio
import csv
import io
from dataclasses import replace

from referee.hall.absent_player import WHY
from referee.hall.competition import Competition
from referee.match.match import Match
from referee.match.result import Ending
from referee.store import Counts, MatchState, Store
from referee.tournament.audit.database import from_database
from referee.tournament.audit.verify import verify
from referee.tournament.plan import LOST, Plan
from referee.tournament.standings import from_store
from referee_leaderboard import to_csv

from ..waiting import PATIENCE, soon
from .conftest import LocalBot

PLAN = Plan("stop_me_go", 2, rounds=6, absence=0.05, missed=LOST)


def register(competition: Competition, *names: str) -> list[LocalBot]:
    for name in names:
        competition.store.bots.add(name)
    return [LocalBot(competition, name) for name in names]


async def over(competition: Competition) -> None:
    async with asyncio.timeout(PATIENCE):
        await competition.director.wait_until_stopped("league")


class Leaves(LocalBot):
    """Goes for good after its first match."""

    def ended(self, match: Match, ending: Ending) -> None:
        super().ended(match, ending)
        if self.connected:
            self.connected = False
            self._presence.gone(self)


async def test_who_has_played_and_stays_away_loses_what_it_missed(competition: Competition, store: Store) -> None:
    ada, bob = register(competition, "ada", "bob")
    store.bots.add("eve")
    eve = Leaves(competition, "eve")
    for bot in (ada, bob, eve):
        competition.presence.arrived(bot)
    await competition.director.create("league", PLAN, ["ada", "bob", "eve"], None, True)
    await over(competition)
    league = store.tournaments.get("league")
    matches = list(store.matches.in_schedule_order(league.id))
    assert store.tournaments.counts(league.id) == Counts(finished=len(matches))
    missed = [seat for match in matches for seat in match.seats if seat.name == "eve" and seat.fault == "disconnect"]
    assert missed
    assert all((seat.rank, seat.decisions) == (2, 0) for seat in missed)
    assert all(seat.fault == "finished" for match in matches for seat in match.seats if seat.name != "eve")
    told = next(store.matches.record(match.id) for match in matches if match.seats[0].fault != match.seats[1].fault)
    assert WHY.encode() in (told or b"")
    assert verify(from_database(store, "league")).replayed == len(matches)
    eve_row = next(row for row in (await competition.director.standings("league")).rows if row.bot == "eve")
    assert (eve_row.rank, eve_row.matches, eve_row.faults) == (3, 4, len(missed))


async def test_who_never_came_has_its_matches_set_aside(competition: Competition, store: Store) -> None:
    for bot in register(competition, "ada", "bob"):
        competition.presence.arrived(bot)
    store.bots.add("eve")
    await competition.director.create("league", PLAN, ["ada", "bob", "eve"], None, True)
    await over(competition)
    states = {
        ("eve" in [seat.name for seat in match.seats], match.state)
        for match in store.matches.in_schedule_order(store.tournaments.get("league").id)
    }
    assert states == {(True, MatchState.ABSENT), (False, MatchState.FINISHED)}
    absent = {row["bot"]: row["absent"] for row in csv.DictReader(io.StringIO(to_csv(from_store(store, "league"))))}
    assert absent == {"ada": "no", "bob": "no", "eve": "yes"}


async def test_without_the_rule_they_are_set_aside_as_before(competition: Competition, store: Store) -> None:
    for bot in register(competition, "ada", "bob"):
        competition.presence.arrived(bot)
    store.bots.add("eve")
    competition.presence.arrived(Leaves(competition, "eve"))
    plan = Plan("stop_me_go", 2, rounds=6, absence=0.05)
    assert "missed" not in plan.to_settings()
    await competition.director.create("league", plan, ["ada", "bob", "eve"], None, True)
    await over(competition)
    counts = store.tournaments.counts(store.tournaments.get("league").id)
    assert counts.absent > 0


async def test_who_comes_back_before_the_end_plays_its_matches_itself(competition: Competition, store: Store) -> None:
    ada, bob = register(competition, "ada", "bob")
    store.bots.add("eve")
    eve = Leaves(competition, "eve")

    for bot in (ada, bob, eve):
        competition.presence.arrived(bot)
    plan = replace(PLAN, absence=PATIENCE)  # nobody is given up meanwhile, however busy the machine is
    await competition.director.create("league", plan, ["ada", "bob", "eve"], None, True)
    await soon(lambda: not eve.connected)
    competition.presence.arrived(LocalBot(competition, "eve"))
    await over(competition)
    league = store.tournaments.get("league")
    faults = {seat.fault for match in store.matches.in_schedule_order(league.id) for seat in match.seats}
    assert faults == {"finished"}
