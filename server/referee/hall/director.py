"""The director: creates, starts, pauses and cancels tournaments in this process, and serves their standings."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from functools import partial
from typing import Any, TypeVar

import structlog

from referee.chain_head import ChainHead
from referee.hall.hall import Hall
from referee.hall.hall_venue import EntrantPlayer, HallVenue, HouseEntrant, RemoteEntrant
from referee.hall.hosted_bots import HostedBots, NoHostedBots
from referee.hall.nonce_drawing import NonceDrawing
from referee.hall.presence import Presence
from referee.hall.roster import Roster
from referee.hall.staggered_wakeups import StaggeredWakeups
from referee.hall.standings_feed import StandingsFeed
from referee.hall.tournament_nonces import TournamentNonces
from referee.rules.game import WrongUse
from referee.store import (
    PASSING,
    Addition,
    BotKind,
    NonceDraw,
    Refused,
    Ruling,
    Store,
    StoreError,
    Tournament,
    TournamentState,
)
from referee.threads import in_thread, in_thread_of
from referee.tournament import lifecycle, moderation
from referee.tournament.meant import meant
from referee.tournament.moderation import Action
from referee.tournament.plan import Plan
from referee.tournament.running.runner import Runner
from referee.tournament.standings import Follower
from referee_leaderboard.standings import Standings

T = TypeVar("T")
log = structlog.get_logger()
OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)
LOOK_AGAIN = 1.0
"""Seconds between two looks at a database that could not be used."""
MOST_REMEMBERED = 16
"""Tournaments that are not being played whose standings are kept at hand."""


class Director:
    """All tournaments of a server."""

    def __init__(
        self,
        store: Store,
        roster: Roster,
        hall: Hall,
        presence: Presence,
        *,
        concurrency: int = 256,
        hosted: HostedBots | None = None,
    ) -> None:
        self.runners: dict[str, Runner] = {}
        self.on_failure: Callable[[BaseException], object] = lambda error: None
        """Called when results can no longer be stored."""
        self.patience = 0.0
        """Seconds for which a tournament waits for a database that cannot be used, where that may pass."""
        self._store = store
        self._roster = roster
        self._hall = hall
        self._presence = presence
        self._hosted = hosted or NoHostedBots()
        self._concurrency = concurrency
        self._nonces = TournamentNonces(store, NonceDrawing(presence))
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._venues: dict[str, HallVenue] = {}
        self._chores: set[asyncio.Task[Any]] = set()
        self._lock = asyncio.Lock()
        self._feeds: dict[str, StandingsFeed] = {}
        self._followers: dict[str, Follower] = {}
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="standings")
        self._stopping = False
        self.wakeups = StaggeredWakeups()

    async def resume_all(self) -> list[str]:
        """Go on with every tournament that was running when the server stopped."""
        resumed = []
        for tournament in await in_thread(self._store.tournaments.all):
            if tournament.state is TournamentState.RUNNING and not Plan.of(tournament).hosted:
                try:
                    if await self._undisturbed(self._resume(tournament.name, TournamentState.RUNNING)):
                        resumed.append(tournament.name)
                except (WrongUse, Refused) as error:  # the others must not wait for this one
                    log.error("a tournament cannot go on", tournament=tournament.name, why=str(error))
        return resumed

    async def create(
        self, name: str, plan: Plan, bots: Sequence[str], seed: str | None, start: bool, *, repeatable: bool = False
    ) -> Tournament:
        def work() -> Tournament:
            entrants = self._roster.entrants(bots, plan.game)
            return lifecycle.create(self._store, name, plan, entrants, seed, repeatable=repeatable)

        async def create() -> Tournament:
            tournament = await in_thread(work)
            if start:
                await self._start(name)
            return tournament

        return await self._undisturbed(create())

    async def join(self, name: str, bot: str) -> int:
        """Let a bot into a tournament; returns by how many matches its schedule has grown."""

        def work(draw: NonceDraw | None) -> int:
            tournament = self._store.tournaments.get(name)
            return lifecycle.join(self._store, name, self._roster.entrants([bot], tournament.game), draw)

        def check() -> None:
            tournament = self._store.tournaments.get(name)
            lifecycle.check_join(self._store, tournament, self._roster.entrants([bot], tournament.game))

        async def join() -> int:
            await in_thread(check)
            draw = None
            playing = self.runners.get(name)
            if playing is not None and await in_thread(self._nonces.can_be_drawn, playing.tournament):
                remote = self._venues[name].remote | {bot: bot}
                draw = await self._nonces.at_join(playing.tournament, remote)
            added = await in_thread(work, draw)
            if playing is not None and draw is not None:
                await self._nonces.tell_last(playing.tournament, remote)
            if name in self.runners:
                runner, venue = self.runners[name], self._venues[name]
                entrants = await in_thread(self._entrants, runner.tournament, venue.names)
                venue.join(entrants)
                await runner.refresh()
            self._news(name)
            return added

        return await self._undisturbed(join())

    async def join_dry_run(self, name: str, bot: str) -> int:
        """How many matches `join` would add."""

        def work() -> int:
            tournament = self._store.tournaments.get(name)
            return lifecycle.join_matches(self._store, name, self._roster.entrants([bot], tournament.game))

        return await in_thread(work)

    async def extend(self, name: str, rounds: int, *, dry_run: bool = False) -> int:
        """Append rounds to a round-robin; returns how many matches that adds."""

        async def extend() -> int:
            added = await in_thread(partial(lifecycle.extend, dry_run=dry_run), self._store, name, rounds)
            if not dry_run and name in self.runners:
                await self.runners[name].refresh()
            self._news(name)
            return added

        return await self._undisturbed(extend())

    async def undo(self, name: str, *, dry_run: bool = False) -> Addition:
        """Take back who joined last, or the last extension."""

        async def undo() -> Addition:
            if name in self.runners:
                raise WrongUse(f"{name} is being played: 'referee tournament pause {name}', and again when it rests")
            undone = await in_thread(partial(lifecycle.undo, dry_run=dry_run), self._store, name)
            self._followers.pop(name, None)
            self._news(name)
            return undone

        return await self._undisturbed(undo())

    async def reopen(self, name: str) -> int:
        """Open a tournament again that is over; returns how many matches can be played."""

        async def reopen() -> int:
            opened = await in_thread(lifecycle.reopen, self._store, name)
            self._followers.pop(name, None)
            self._news(name)
            return opened

        return await self._undisturbed(reopen())

    async def rule(self, name: str, action: Action, subject: str, reason: str, *, annul: bool = False) -> Ruling:
        """Take a bot out, annul a match or have it played again: stored first, then those who play hear of it."""

        async def rule() -> Ruling:
            ruling = await in_thread(partial(moderation.rule, annul=annul), self._store, name, action, subject, reason)
            if name in self.runners:
                await self.runners[name].amend()
            self._followers.pop(name, None)
            self._news(name)
            return ruling

        return await self._undisturbed(rule())

    async def control(self, name: str, action: str) -> TournamentState:
        """start, pause, resume or cancel, or only look; returns the state it is in then.

        The state is stored first: whatever happens afterwards, the next server knows what was asked for.
        """

        async def control() -> TournamentState:
            await self._control(await in_thread(self._store.tournaments.get, name), action)
            self._news(name)
            return (await in_thread(self._store.tournaments.get, name)).state

        return await self._undisturbed(control())

    def wants(self, bot: str) -> bool:
        """Whether a running tournament has a match for this registered bot that could be played now."""
        return any(runner.wants(bot) for runner in self.runners.values())

    def heads(self, bot: str) -> dict[str, ChainHead]:
        """The heads of the hash chains of the running tournaments in which this registered bot plays."""
        found = {name: runner.head for name, runner in self.runners.items() if self._venues[name].has(bot)}
        return {name: head for name, head in found.items() if head is not None}

    async def standings(self, name: str) -> Standings:
        """The standings now; without a name, of the running or newest tournament."""
        return (await self.feed(await self.named(name)).now()).standings

    async def watch(self, name: str) -> AsyncIterator[str]:
        """The standings as JSON, now and whenever they change, not too often."""
        async with aclosing(self.feed(await self.named(name)).watch()) as watching:
            async for shown in watching:
                yield shown.json

    async def named(self, name: str) -> str:
        """The tournament meant: by name, or without one the running or newest."""
        return await in_thread(self.look_up, name)

    def look_up(self, name: str) -> str:
        """The same, read in whatever thread this is called in."""
        return meant(self._store, name)

    async def wait_until_stopped(self, name: str) -> None:
        """Until a tournament is no longer being played here, for whatever reason."""
        while name in self._tasks:
            await asyncio.wait({self._tasks[name]})

    async def stop(self) -> None:
        """Start no more matches; tournaments stay running in the store and go on with the next server."""
        self._stopping = True
        for runner in self.runners.values():
            runner.stop("the server is stopping")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()))

    async def abandon(self) -> None:
        """Stop at once; what is being played is played again by the next server."""
        self._stopping = True
        for task in list(self._tasks.values()):
            task.cancel()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=5)
        self._reader.shutdown(wait=False, cancel_futures=True)

    async def _undisturbed(self, work: Coroutine[Any, Any, T]) -> T:
        """Do one thing after the other, and to its end, even if the caller has gone."""

        async def alone() -> T:
            async with self._lock:
                return await work

        task = asyncio.get_running_loop().create_task(alone())
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
        return await asyncio.shield(task)

    async def _control(self, tournament: Tournament, action: str) -> None:
        name, state = tournament.name, tournament.state
        if action in ("start", "resume"):
            if state in OVER:
                raise WrongUse(f"{name} is {state}: 'referee tournament reopen {name}' first, or create a new one")
            if action == "resume" and state is TournamentState.CREATED:
                raise WrongUse(f"{name} has not been started: 'referee tournament start {name}'")
            await self._start(name)
        elif action == "pause":
            await in_thread(lifecycle.pause, self._store, name)
            if name in self.runners:
                self.runners[name].stop("paused")
        elif action == "cancel":
            if state in OVER:
                raise WrongUse(f"{name} is {state} already")
            await in_thread(lifecycle.close, self._store, tournament)
            if name in self.runners:
                task = self._tasks[name]
                self.runners[name].stop("cancelled")
                self.runners[name].break_off()
                await asyncio.wait({task})
            await in_thread(lifecycle.void_interrupted, self._store, tournament)
        elif action != "look":
            raise WrongUse(f"unknown action {action!r}")

    async def _resume(self, name: str, *states: TournamentState) -> bool:
        """Start a tournament that is still in one of these states: an admin may have paused or ended it meanwhile."""
        if (await in_thread(self._store.tournaments.get, name)).state not in states:
            return False
        await self._start(name)
        return True

    async def _start(self, name: str) -> None:
        if self._stopping:
            raise WrongUse("the server is stopping: start it again when it is back")
        tournament = await in_thread(self._store.tournaments.get, name)
        runner = self.runners.get(name)
        if runner is not None:
            if not runner.stopped:
                return
            # Paused a moment ago: while its matches have not ended yet, it simply goes on.
            await in_thread(self._store.tournaments.set_state, tournament.id, TournamentState.RUNNING)
            if runner.carry_on():
                return
            if name in self._tasks:
                await asyncio.wait({self._tasks[name]})
        await in_thread(lifecycle.check_playable, tournament)
        entrants = await in_thread(self._entrants, tournament, frozenset())
        venue = HallVenue(self._hall, self._presence, entrants, tournament.game, self._hosted)
        if tournament.repeatable and venue.remote:
            log.warning(
                "the deals follow from a seed that could be guessed, and remote bots play: create the next tournament "
                "anew, where a secret salt is mixed in",
                tournament=name,
            )
        await self._nonces.at_start(tournament, venue.remote)
        make = partial(Runner, concurrency=self._concurrency)
        runner = await in_thread(make, self._store, name, venue)
        runner.on_news(lambda: self._news(name))
        self.runners[name], self._venues[name] = runner, venue
        task = asyncio.get_running_loop().create_task(self._run(name, runner))
        self._tasks[name] = task
        started = asyncio.ensure_future(runner.started.wait())
        await asyncio.wait({task, started}, return_when=asyncio.FIRST_COMPLETED)
        started.cancel()

    async def _run(self, name: str, runner: Runner) -> None:
        passing: StoreError | None = None
        try:
            await runner.run()
            if name in self._feeds:  # watchers need not wait until all is rated once more
                self._followers[name] = await in_thread(Follower, self._store, name, runner.board)
        except StoreError as error:
            if isinstance(error, PASSING) and self.patience and not self._stopping:
                passing = error
                log.warning("a tournament waits until the database can be used", tournament=name, why=str(error))
            else:
                log.error("a tournament had to stop", tournament=name, why=str(error))
                self.on_failure(error)
        except Exception:
            log.exception("a tournament had to stop; it is paused", tournament=name)
            try:
                await in_thread(self._store.tournaments.set_state, runner.tournament.id, TournamentState.PAUSED)
            except (Refused, StoreError) as error:
                log.error("it could not be paused", tournament=name, why=str(error))
        finally:
            self._venues[name].close()
            del self.runners[name], self._tasks[name], self._venues[name]
            self._news(name)
            if passing is not None:
                chore = asyncio.get_running_loop().create_task(self._go_on(name, passing))
                self._chores.add(chore)
                chore.add_done_callback(self._chores.discard)

    async def _go_on(self, name: str, error: StoreError) -> None:
        """Start a tournament again that had to wait for the database: what was interrupted is played again."""
        until = time.monotonic() + self.patience
        while not self._stopping:
            await asyncio.sleep(LOOK_AGAIN)
            try:
                await in_thread(self._store.renew_ownership)
                begun = (TournamentState.CREATED, TournamentState.RUNNING)
                if await self._undisturbed(self._resume(name, *begun)):
                    log.info("the database can be used again, and a tournament goes on", tournament=name)
                return
            except StoreError as again:
                error = again
            except (WrongUse, Refused) as refused:
                log.error("a tournament cannot go on", tournament=name, why=str(refused))
                return
            if not isinstance(error, PASSING) or time.monotonic() > until:
                log.error("a tournament had to stop", tournament=name, why=str(error))
                self.on_failure(error)
                return

    def _entrants(self, tournament: Tournament, known: frozenset[str]) -> dict[str, EntrantPlayer]:
        """Who plays, but for those that are known already."""
        bots = {bot.id: bot for bot in self._store.bots.all()}
        entrants: dict[str, EntrantPlayer] = {}
        for entrant in self._store.tournaments.entrants(tournament.id):
            bot = bots[entrant.bot]
            if entrant.name in known:
                continue
            if bot.kind is BotKind.REMOTE:
                entrants[entrant.name] = RemoteEntrant(bot.name, self._presence, self._hosted)
            else:
                entrants[entrant.name] = HouseEntrant(self._roster.house_player(bot.name, entrant.name))
        return entrants

    def feed(self, name: str) -> StandingsFeed:
        """The standings of a tournament that exists, for all who look at them."""
        if name not in self._feeds:
            for idle in [known for known, feed in self._feeds.items() if not feed.watched]:
                if len(self._feeds) >= MOST_REMEMBERED and idle not in self.runners:
                    del self._feeds[idle]
                    self._followers.pop(idle, None)
            self._feeds[name] = StandingsFeed(lambda: self._read(name), self.wakeups)
        return self._feeds[name]

    async def _read(self, name: str) -> Standings:
        runner = self.runners.get(name)
        if runner is not None and runner.started.is_set():
            return await runner.standings()
        return await in_thread_of(self._reader, self._follow, name)

    def _follow(self, name: str) -> Standings:
        if name not in self._followers:
            self._followers[name] = Follower(self._store, name)
        return self._followers[name].update()

    def _news(self, name: str) -> None:
        if name in self._feeds:
            self._feeds[name].news()
