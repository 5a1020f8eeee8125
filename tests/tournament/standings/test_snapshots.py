"""Snapshots change no standings: whatever happened to matches, boards that begin with one are the same to the bit."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee.store import (
    MatchResult,
    MatchState,
    NewEntrant,
    NewSnapshot,
    ReadOnly,
    ScheduledTable,
    SeatResult,
    SnapshotKind,
    Store,
    StoredMatch,
    Tournament,
    TournamentState,
)
from referee.store.snapshots import kept_places
from referee.tournament import lifecycle
from referee.tournament.audit.database import from_database
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.snapshots import SnapshotCheck
from referee.tournament.plan import Plan
from referee.tournament.running.runner import Runner
from referee.tournament.schedule.pairing import Pairing
from referee.tournament.standings import Follower, empty_board, enter, fill, from_store, score_of
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard, strengths_place
from referee.tournament.standings.snapshots import Snapshots, settings_digest

from ...waiting import soon
from ..conftest import BOTS, FakeVenue, play

League = Callable[..., Tournament]
EVERY = 3
FINISHED = MatchState.FINISHED


@pytest.fixture(autouse=True, scope="module")
def often() -> Iterator[None]:
    """Snapshots and strengths of a few matches already."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("referee.tournament.standings.snapshots.EVERY", EVERY)
        patch.setattr("referee.tournament.standings.snapshots.AT_THE_END", 1)
        patch.setattr("referee.tournament.repeated_matches.LOOKED_AT", EVERY)
        patch.setattr("referee.tournament.standings.scoreboard.STRENGTHS_FROM", EVERY)
        yield


class Hall:
    """Plays the part of a runner that may be slow, killed, or unaware of what the host has ruled."""

    def __init__(self, store: Store, tournament: Tournament) -> None:
        self.store = store
        store.tournaments.set_state(tournament.id, TournamentState.RUNNING)
        self.tournament = tournament
        self.plan = Plan.of(tournament)
        self.kill()

    @classmethod
    def new(cls, store: Store, plan: Plan) -> Hall:
        entrants = [NewEntrant(store.bots.ensure_house(bot).id, bot) for bot in BOTS]
        return cls(store, lifecycle.create(store, "league", plan, entrants, "s", repeatable=True))

    def kill(self) -> None:
        """Another process goes on."""
        self.snapshots = Snapshots(self.store, self.tournament.id, self.plan)
        self.reload()

    def reload(self) -> None:
        self.pending: list[Score | int] = []
        self.board: Scoreboard = self.snapshots.begin()
        fill(self.board, self.store, self.tournament)

    def score(self) -> None:
        for entry in self.pending:
            if isinstance(entry, int):
                self.board.skip(entry)
            else:
                self.board.add(entry)
        self.pending = []
        self.board.strengths(now=False)
        self.snapshots.keep(self.board)

    def matches(self, *states: MatchState) -> list[StoredMatch]:
        return list(self.store.matches.in_schedule_order(self.tournament.id, states))

    def pick(self, number: int, *states: MatchState, among: int = 100) -> StoredMatch | None:
        found = self.matches(*states)[:among]
        return found[number % len(found)] if found else None

    def finish(self, number: int, among: int = 4) -> None:
        match = self.pick(number, MatchState.SCHEDULED, among=among)
        if match is None:
            return
        attempt = self.store.matches.claim(match.id)
        assert attempt is not None
        players = len(match.seats)
        ranks = [1 + (number // (seat + 1)) % players for seat in range(players)]
        ranks = [1 + sum(other < rank for other in ranks) for rank in ranks]
        seats = tuple(
            SeatResult(seat, rank, number % 50 - rank, "timeout" if number % 7 == seat else "finished")
            for seat, rank in enumerate(ranks)
        )
        seed = f"{match.id:032x}{attempt:032x}"
        assert self.store.matches.report(MatchResult(match.id, attempt, seats, seed, b"{}\n", "done"))
        self.pending.append(score_of(self.store.matches.get(match.id), "league"))

    def aside(self, number: int) -> None:
        match = self.pick(number, MatchState.SCHEDULED, among=4)
        if match is not None:
            assert match.ordinal is not None
            self.store.matches.set_aside(match.id, MatchState.ABSENT, "not there")
            self.pending.append(match.ordinal)

    def put_back(self, number: int) -> None:
        match = self.pick(number, MatchState.ABSENT)
        if match is not None:
            self.store.matches.put_back({match.id: False})

    def annul(self, number: int) -> None:
        match = self.pick(number, MatchState.FINISHED)
        if match is not None:
            assert match.ordinal is not None
            self.store.rulings.annul(self.tournament.id, match.ordinal, "a mistake")

    def replay(self, number: int) -> None:
        match = self.pick(number, MatchState.FINISHED)
        if match is not None:
            assert match.ordinal is not None
            self.store.rulings.replay(self.tournament.id, match.ordinal, "a mistake")

    def join(self, number: int) -> None:
        entrants = self.store.tournaments.entrants(self.tournament.id)
        if len(entrants) > 7 or self.plan.mirror:
            return
        name = f"late{len(entrants)}"
        new = NewEntrant(self.store.bots.ensure_house("ada").id, name)
        tables: list[ScheduledTable] = [
            Pairing(90 + number, table, (len(entrants), other)) for table, other in enumerate((0, 2, 1), 1)
        ]
        self.store.tournaments.extend(self.tournament.id, [new], tables)
        self.board.join(name)

    def look(self) -> None:
        """With snapshots and without, the same standings."""
        assert shown(self.store) == shown(self.store, snapshots=False)


def shown(store: Store, *, snapshots: bool = True) -> dict[str, Any]:
    follower = Follower(store, "league")
    if not snapshots:
        follower._snapshots._settings = "others"
        follower._repeats._recall = lambda: None  # type: ignore[method-assign]
    value = follower.update().to_json_value()
    del value["elapsed"]
    return value


def every_snapshot_holds(store: Store, plan: Plan) -> None:
    """As `verify` looks at them; DoesNotHold if one does not."""
    audited = from_database(store, "league")
    check, board = SnapshotCheck(audited, plan, {}), empty_board(plan, audited.entrants)
    tournament = store.tournaments.get("league")
    for match in store.matches.in_schedule_order(tournament.id, [FINISHED, MatchState.ABSENT, MatchState.VOID]):
        assert match.ordinal is not None
        if match.state is FINISHED:
            check.reach(match.ordinal, board)
            check.add(score_of(match, "league"))
        else:
            check.skip(match.ordinal)
        enter(board, match, "league")
    check.end(board)


STEPS = (
    ("finish",) * 8 + ("score",) * 3 + ("score_unaware", "aside", "put_back", "annul", "replay", "join", "kill", "look")
)


@pytest.mark.parametrize("mirror", [False, True], ids=["", "mirrored"])
@settings(max_examples=8, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(steps=st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 999)), min_size=20, max_size=40))
def test_standings_are_the_same_with_snapshots_and_without(mirror: bool, steps: list[tuple[str, int]]) -> None:
    plan = Plan(
        "stop_me_go", players=3 if mirror else 2, rounds=8, mirror=mirror, hosted={"ada": "a"} if mirror else {}
    )
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "league.db") as store:
        hall = Hall.new(store, plan)
        stale = False
        for step, number in steps:
            if step == "score":
                if stale:
                    hall.reload()
                stale = False
                hall.score()
            elif step == "score_unaware":  # a ruling is stored, and has not been heard of yet
                hall.score()
            elif step in ("kill", "look"):
                getattr(hall, step)()
                stale = stale and step == "look"
            else:
                getattr(hall, step)(number)
                stale = stale or step in ("put_back", "annul", "replay")
        hall.look()
        hall.reload()
        hall.score()
        hall.look()
        every_snapshot_holds(store, plan)


def places(store: Store, kind: SnapshotKind = SnapshotKind.BOARD) -> list[int]:
    return [each.through for each in store.snapshots.all(1) if each.kind == kind and not each.wrong]


async def test_who_plays_stores_snapshots_and_who_looks_begins_with_the_last(
    store: Store, new_league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_league(rounds=8)
    await play(store, venue=FakeVenue("shuffled"))
    found = places(store)
    assert found[-1] == 16
    assert places(store, SnapshotKind.STRENGTHS) == []  # no one has looked
    standings = from_store(store, "league")
    assert places(store, SnapshotKind.STRENGTHS) == [16]
    read: list[int] = []
    whole = store.matches.in_schedule_order

    def watched(tournament: int, states: Any = tuple(MatchState), after: int = -1) -> Iterator[StoredMatch]:
        for match in whole(tournament, states, after):
            read.append(match.id)
            yield match

    monkeypatch.setattr(store.matches, "in_schedule_order", watched)
    monkeypatch.setattr(store.matches, "ranks_before", pytest.fail)
    again = from_store(store, "league")
    assert again == standings
    assert not read


async def test_a_tournament_that_goes_on_begins_with_the_last_snapshot(store: Store, new_league: League) -> None:
    league = new_league(rounds=8)
    venue = FakeVenue("never")
    runner = Runner(store, "league", venue, concurrency=4)
    running = asyncio.create_task(runner.run())
    while (store.matches.first_open(league.id) or 0) < 7:
        await soon(lambda: bool(venue.running))
        for match in list(venue.running):
            venue.end(match)
        await asyncio.sleep(0)
    running.cancel()
    await asyncio.wait([running])
    assert places(store)
    begun = Snapshots(store, league.id, Plan.of(league)).begin()
    assert begun.settled == places(store)[-1]
    ended = await play(store)
    assert ended.board.digest() == from_store(store, "league").digest


@pytest.fixture
async def played(store: Store, new_league: League) -> Store:
    """A league that was played, with snapshots of both kinds."""
    new_league(rounds=8)
    await play(store)
    from_store(store, "league")
    assert places(store)
    assert places(store, SnapshotKind.STRENGTHS)
    return store


@pytest.mark.parametrize(
    "change",
    [
        "body = x'00'",
        "body = CAST(substr(body, 1, 9) || x'00' || substr(body, 11) AS BLOB)",
        "body = substr(body, 1, 9) || x'ff' || substr(body, 11)",  # a text, and none that can be read
        "sha256 = 'beef'",
        "finished = finished - 1, aside = aside + 1",
        "rulings = 7",
        "entrants = 4",
        "journal_number = 3",
        "journal_hash = 'beef'",
        "settings = 'others'",
    ],
)
async def test_a_damaged_snapshot_is_not_used_and_told_by_verify(played: Store, change: str) -> None:
    right = shown(played)
    plan = Plan.of(played.tournaments.get("league"))
    every_snapshot_holds(played, plan)
    with sqlite3.connect(played.address.path or "") as database:
        database.execute(f"UPDATE snapshots SET {change}")
    database.close()
    digest = settings_digest(plan)
    assert played.snapshots.fitting(1, SnapshotKind.BOARD, digest) is None
    assert played.snapshots.fitting(1, SnapshotKind.STRENGTHS, digest) is None
    with pytest.raises(DoesNotHold, match=r"the snapshot .* is damaged"):
        every_snapshot_holds(played, plan)
    assert shown(played) == right


async def test_a_snapshot_of_other_results_is_told_by_verify(played: Store) -> None:
    """One that is sound in itself, and fits, and is wrong all the same."""
    plan = Plan.of(played.tournaments.get("league"))
    for kind, wrong in ((SnapshotKind.BOARD, "ratings"), (SnapshotKind.STRENGTHS, "rows")):
        found = played.snapshots.fitting(1, kind, settings_digest(plan))
        assert found is not None
        named = {name: getattr(found, name) for name in NewSnapshot.__slots__}
        other = NewSnapshot(**{**named, "value": {**found.value, wrong: found.value[wrong][::-1]}})
        played.snapshots.keep(1, other)
        with pytest.raises(
            DoesNotHold, match=rf"the snapshot \({kind}\) before match 16 is not what the results lead to"
        ):
            every_snapshot_holds(played, plan)
        played.snapshots.keep(1, NewSnapshot(**named))


async def test_a_snapshot_of_other_settings_is_not_used(played: Store) -> None:
    plan = Plan.of(played.tournaments.get("league"))
    for other in (replace(plan, draw_probability=0.5), replace(plan, mirror=True), replace(plan, hosted={"ada": "a"})):
        assert settings_digest(other) != settings_digest(plan)
        assert played.snapshots.fitting(1, SnapshotKind.BOARD, settings_digest(other)) is None


async def test_a_ruling_drops_what_it_spoils_and_keeps_what_came_before(played: Store) -> None:
    before = places(played)
    played.rulings.annul(1, 7, "a mistake")
    assert places(played) == [place for place in before if place <= 7] != before
    assert places(played, SnapshotKind.STRENGTHS) == []
    assert shown(played) == shown(played, snapshots=False)
    every_snapshot_holds(played, Plan.of(played.tournaments.get("league")))


async def test_only_who_plays_a_tournament_stores_its_snapshots_meanwhile(store: Store, new_league: League) -> None:
    league = new_league(rounds=8)
    hall = Hall(store, league)
    for number in range(10):
        hall.finish(number)
    assert from_store(store, "league").matches_done == 10
    assert places(store) == []
    store.tournaments.set_state(league.id, TournamentState.PAUSED)
    assert from_store(store, "league").matches_done == 10
    assert places(store) == [store.matches.first_open(league.id)]


async def test_standings_of_a_file_that_may_only_be_read_are_the_same(
    played: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = shown(played)
    with sqlite3.connect(played.address.path or "") as database:
        database.execute("DELETE FROM snapshots")
    database.close()

    def refused(*_: object) -> None:
        raise ReadOnly("it is")

    monkeypatch.setattr(played.snapshots, "keep", refused)
    assert shown(played) == right


def test_old_snapshots_are_thinned_out_the_newest_stays() -> None:
    kept: list[int] = []
    for place in range(1000, 200_000, 1000):
        kept = kept_places([*kept, place], SnapshotKind.BOARD)
        assert max(kept) == place
        assert len(kept) <= 18
        # From any match back to a snapshot before it is not much further than from the end to that match.
        for match in range(0, place, 7000):
            begin = max((one for one in kept if one <= match), default=0)
            assert match - begin <= 3 * (place - match) + 4000
    assert kept_places([5, 9, 7], SnapshotKind.STRENGTHS) == [9]


def test_strengths_rest_on_the_beginning_that_was_doubled_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.tournament.standings.scoreboard.STRENGTHS_FROM", 100)
    places = [strengths_place(settled) for settled in (0, 99, 100, 199, 200, 799, 800, 50_000)]
    assert places == [0, 0, 100, 100, 200, 400, 800, 25_600]
