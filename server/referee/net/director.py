"""The director: creates tournaments, runs them in this server's hall, and tells watchers how they stand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import structlog
from referee_leaderboard.standings import Standings

from referee.net.hall import Hall
from referee.net.people import People
from referee.net.play import PlayService
from referee.net.venue import Remote, ServerVenue
from referee.rules.game import WrongUse
from referee.store import BotKind, Store, StoreError, Tournament, TournamentState
from referee.tournament import plan as plans
from referee.tournament import standings
from referee.tournament.plan import Plan
from referee.tournament.runner import Runner

T = TypeVar("T")
log = structlog.get_logger()
WATCH_SECONDS = 0.25
"""Shortest pause between two standings sent to a watcher."""


class Director:
    """All tournaments of a server."""

    def __init__(self, store: Store, people: People, hall: Hall, play: PlayService, *, concurrency: int = 256) -> None:
        self.runners: dict[str, Runner] = {}
        self.on_failure: Callable[[BaseException], object] = lambda error: None
        """Called when results can no longer be stored."""
        self._store = store
        self._people = people
        self._hall = hall
        self._play = play
        self._concurrency = concurrency
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watchers: dict[str, set[asyncio.Event]] = {}
        self._stopping = False

    async def resume_all(self) -> list[str]:
        """Go on with every tournament that was running when the server stopped."""
        running = [one for one in await _thread(self._store.tournaments.all) if one.state is TournamentState.RUNNING]
        for tournament in running:
            await self._start(tournament.name)
        return [tournament.name for tournament in running]

    async def create(self, name: str, plan: Plan, bots: Sequence[str], seed: str | None, start: bool) -> Tournament:
        def work() -> Tournament:
            return plans.create(self._store, name, plan, self._people.entrants(bots, plan.game), seed)

        tournament = await _thread(work)
        if start:
            await self._start(name)
        return tournament

    async def join(self, name: str, bot: str) -> int:
        def work() -> int:
            tournament = self._store.tournaments.get(name)
            taken = [entrant.name for entrant in self._store.tournaments.entrants(tournament.id)]
            [entrant] = self._people.entrants([bot], tournament.game)
            if entrant.name in taken:
                raise WrongUse(f"{bot} plays in {name} already")
            return plans.join(self._store, name, [entrant])

        added = await _thread(work)
        if name in self.runners:
            runner = self.runners[name]
            venue = runner.venue
            assert isinstance(venue, ServerVenue)
            venue.entrants.update(await _thread(self._entrants, runner.tournament))
            await runner.refresh()
        return added

    async def control(self, name: str, action: str) -> TournamentState:
        """start, pause, resume or cancel; returns the state it is in then."""
        tournament = await _thread(self._store.tournaments.get, name)
        if action in ("start", "resume"):
            if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
                raise WrongUse(f"{name} is {tournament.state}: create a new tournament")
            if action == "resume" and tournament.state is TournamentState.CREATED:
                raise WrongUse(f"{name} has not been started: 'referee tournament start {name}'")
            await self._start(name)
        elif action == "pause":
            if tournament.state is not TournamentState.RUNNING:
                raise WrongUse(f"{name} is {tournament.state}, not running")
            await self._end(name, "paused", TournamentState.PAUSED)
        elif action == "cancel":
            await self._end(name, "cancelled", TournamentState.CANCELLED)
        else:
            raise WrongUse(f"unknown action {action!r}")
        self._news(name)
        return (await _thread(self._store.tournaments.get, name)).state

    async def standings(self, name: str) -> Standings:
        name = await self.named(name)
        if name in self.runners:
            return await self.runners[name].standings()
        return await _thread(standings.from_store, self._store, name)

    async def named(self, name: str) -> str:
        """The tournament meant: by name, or without one the running or newest."""
        if name:
            return (await _thread(self._store.tournaments.get, name)).name
        tournaments = await _thread(self._store.tournaments.all)
        if not tournaments:
            raise WrongUse("there is no tournament yet")
        running = [one.name for one in tournaments if one.state is TournamentState.RUNNING]
        return running[-1] if running else tournaments[-1].name

    async def watch(self, name: str) -> AsyncIterator[Standings]:
        """The standings now and whenever they change, not too often."""
        name = await self.named(name)
        news = asyncio.Event()
        self._watchers.setdefault(name, set()).add(news)
        try:
            while True:
                news.clear()
                yield await self.standings(name)
                await asyncio.sleep(WATCH_SECONDS)
                try:
                    await asyncio.wait_for(news.wait(), timeout=2.0)
                except TimeoutError:
                    continue
        finally:
            self._watchers[name].discard(news)

    async def stop(self) -> None:
        """Start no more matches; tournaments stay running in the store and go on with the next server."""
        self._stopping = True
        for runner in self.runners.values():
            runner.stop("the server is stopping")
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _start(self, name: str) -> None:
        if name in self.runners or self._stopping:
            return
        tournament = await _thread(self._store.tournaments.get, name)
        venue = ServerVenue(self._hall, self._play, await _thread(self._entrants, tournament))
        runner = await _thread(Runner, self._store, name, venue)
        runner.concurrency = self._concurrency
        runner.on_news = partial(self._news, name)
        self.runners[name] = runner
        self._tasks[name] = asyncio.get_running_loop().create_task(self._run(name, runner))
        await runner.started.wait()

    async def _run(self, name: str, runner: Runner) -> None:
        try:
            await runner.run()
        except StoreError as error:
            log.error("a tournament had to stop", tournament=name, why=str(error))
            self.on_failure(error)
        finally:
            runner.started.set()
            self.runners.pop(name, None)
            self._tasks.pop(name, None)
            self._news(name)

    async def _end(self, name: str, why: str, state: TournamentState) -> None:
        task = self._tasks.get(name)
        if name in self.runners:
            self.runners[name].stop(why)
            if state is TournamentState.CANCELLED:
                self.runners[name].break_off()
        if task is not None:
            await asyncio.wait({task})
        tournament = await _thread(self._store.tournaments.get, name)
        await _thread(self._store.tournaments.set_state, tournament.id, state)

    def _entrants(self, tournament: Tournament) -> dict[str, Any]:
        bots = {bot.id: bot for bot in self._store.bots.all()}
        entrants: dict[str, Any] = {}
        for entrant in self._store.tournaments.entrants(tournament.id):
            bot = bots[entrant.bot]
            if bot.kind is BotKind.REMOTE:
                entrants[entrant.name] = Remote(bot.name)
            else:
                entrants[entrant.name] = self._people.house_player(bot.name, entrant.name)
        return entrants

    def _news(self, name: str) -> None:
        for watcher in self._watchers.get(name, ()):
            watcher.set()


async def _thread(work: Callable[..., T], *arguments: Any) -> T:
    """Run something that reads or writes the store beside the event loop."""
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)
