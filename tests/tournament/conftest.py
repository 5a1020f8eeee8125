"""A tournament without a server: a store in a file, and a hall whose matches end as a test wants."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from referee.match.result import Ending, Termination, void
from referee.store import NewEntrant, Store, StoredMatch, Tournament
from referee.tournament import lifecycle
from referee.tournament.plan import Plan
from referee.tournament.running.played import Played, SeatAccount
from referee.tournament.running.runner import Runner
from referee.tournament.running.venue import Fixture

from ..waiting import PATIENCE

BOTS = ("ada", "bob", "cy", "dee", "eve")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "league.db") as opened:
        yield opened


@pytest.fixture
def new_league(store: Store) -> Callable[..., Tournament]:
    """Creates a tournament of stop_me_go."""

    def create(*bots: str, name: str = "league", seed: str | None = "s", **settings: Any) -> Tournament:
        entrants = [NewEntrant(store.bots.ensure_house(bot).id, bot) for bot in bots or BOTS]
        usual: dict[str, Any] = {"game": "stop_me_go", "players": 2, "rounds": 6}
        plan = Plan(**usual | settings)
        return lifecycle.create(store, name, plan, entrants, seed, repeatable=seed is not None)

    return create


def ranks_of(fixture: Fixture) -> tuple[int, ...]:
    """A result that follows from the deal alone, with a tie now and then."""
    keys = [hashlib.sha256(fixture.seed + bytes([seat])).digest()[0] % 8 for seat in range(len(fixture.bots))]
    return tuple(1 + sum(other > key for other in keys) for key in keys)


def ending_of(fixture: Fixture, ranks: Sequence[int] | None = None) -> Ending:
    ranks = tuple(ranks or ranks_of(fixture))
    players = len(ranks)
    return Ending(ranks, tuple(10 - rank for rank in ranks), (Termination.FINISHED,) * players, ("",) * players, "done")


class FakeVenue:
    """A `Venue` in which matches last as long as the test says.

    `ends` is "at once" (inside `play`), "soon", "shuffled" (soon, in another order) or "never" (the test ends them).
    """

    keeps_deal = False

    def __init__(self, ends: str = "soon", places: int = 4) -> None:
        self.ends = ends
        self.places = places
        self.away: set[str] = set()
        self.running: dict[str, tuple[Fixture, Callable[[Played | None], object]]] = {}
        self.fixtures: list[Fixture] = []
        self.announced: list[str] = []
        self.most = 0
        self.before_announcement: Callable[[Fixture], object] = lambda fixture: None
        self._calls: list[Callable[[], object]] = []

    def present(self, bot: str) -> bool:
        return bot not in self.away

    def free(self, bot: str) -> int:
        return 0 if bot in self.away else self.places - sum(bot in fixture.bots for fixture, _ in self.running.values())

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        self.fixtures.append(fixture)
        self.running[fixture.id] = (fixture, done)
        self.most = max(self.most, len(self.running))
        if self.ends == "at once":
            self.end(fixture.id)
        elif self.ends != "never":
            later = 1 + fixture.seed[0] % 5 if self.ends == "shuffled" else 1
            asyncio.get_running_loop().call_later(later * 0.001, self.end, fixture.id)

    def end(self, match: str, ranks: Sequence[int] | None = None) -> None:
        if match in self.running:
            fixture, done = self.running.pop(match)
            done(self._played(fixture, ending_of(fixture, ranks)))
            self.changed()

    def interrupt(self, match: str) -> None:
        _, done = self.running.pop(match)
        done(None)
        self.changed()

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        return self.keeps_deal and interrupted

    def break_off(self, match: str, why: str = "broken off") -> None:
        if match in self.running:
            fixture, done = self.running.pop(match)
            done(self._played(fixture, void([0] * len(fixture.bots), why)))

    def scores(self, match: str) -> Sequence[int] | None:
        return None

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)

    def changed(self) -> None:
        for call in self._calls:
            call()

    def leave(self, *bots: str) -> None:
        self.away.update(bots)
        self.changed()

    def come(self, *bots: str) -> None:
        self.away.difference_update(bots)
        self.changed()

    def _played(self, fixture: Fixture, ending: Ending) -> Played:
        def announce() -> None:
            self.before_announcement(fixture)
            self.announced.append(fixture.id)

        record = b"record of " + fixture.seed
        return Played(ending, record, tuple(SeatAccount(3, 0, 1) for _ in fixture.bots), announce)


class Started:
    """A runner at work, which can be killed."""

    def __init__(self, store: Store, venue: FakeVenue, **options: Any) -> None:
        self._store = store
        self._venue = venue
        self._threads = ThreadPoolExecutor()
        asyncio.get_running_loop().set_default_executor(self._threads)
        self.runner = Runner(store, "league", venue, **options)
        self.task = asyncio.create_task(self.runner.run())

    async def kill(self) -> None:
        """As after SIGKILL: nothing more is played, reported or put back."""
        await self.runner.started.wait()
        self._venue.running.clear()
        self._venue.ends = "never"
        self.task.cancel()
        with suppress(asyncio.CancelledError):
            await self.task
        # Threads of this process live on, unlike those of one that was killed: let them come to rest.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        self._threads.shutdown()
        self._store.writer.submit(lambda connection: None).result()


async def play(store: Store, name: str = "league", venue: FakeVenue | None = None, **options: Any) -> Runner:
    """Play a tournament to its end."""
    runner = Runner(store, name, venue or FakeVenue(), **options)
    async with asyncio.timeout(PATIENCE):
        await runner.run()
    return runner


def matches_of(store: Store, name: str = "league") -> list[StoredMatch]:
    return list(store.matches.in_schedule_order(store.tournaments.get(name).id))
