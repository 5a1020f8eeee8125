"""Runs a tournament: starts matches as their bots become free, stores every result before anybody hears of it, goes
on
where it was left.

The runner does not know where matches are played. A `Venue` does: the server with its connected bots, or worker
processes with hosted ones.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from referee_leaderboard.standings import Playing, Standings

from referee.match.clock import TimeControl
from referee.match.ending import Ending, Termination
from referee.store import Fault, Match, MatchResult, MatchState, SeatResult, Store, StoreError, TournamentState
from referee.tournament import standings
from referee.tournament.plan import Plan, deal
from referee.tournament.scoreboard import Score
from referee.tournament.seeds import match_seed

T = TypeVar("T")
LOOKAHEAD = 512
"""Scheduled matches looked at when the next ones are chosen."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played now."""

    id: str
    game: str
    bots: tuple[str, ...]
    options: Mapping[str, Any]
    seed: bytes
    control: TimeControl
    tournament: str
    round: int
    fresh: bool = False
    """Bots must not remember earlier matches: start them anew."""


@dataclass(frozen=True, slots=True)
class SeatAccount:
    decisions: int
    strikes: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has ended; `announce` tells the bots, once the result is stored."""

    ending: Ending
    record: bytes = field(repr=False)
    seats: tuple[SeatAccount, ...] = ()
    announce: Callable[[], object] = lambda: None


class Venue(Protocol):
    """Where matches are played."""

    keeps_deal: bool
    """An interrupted match is played again on the same deal: its bots start anew and have seen nothing."""

    def present(self, bot: str) -> bool:
        """Whether this bot is there."""

    def free(self, bot: str) -> int:
        """How many more matches this bot takes now."""

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        """Start a match; calls `done` in the event loop when it has ended, with None if it was interrupted."""

    def break_off(self, match: str) -> None:
        """End a running match without a result."""

    def scores(self, match: str) -> Sequence[int] | None:
        """The public scores of a running match, if they are at hand."""

    def on_change(self, call: Callable[[], object]) -> None:
        """Call this whenever a bot has come, gone or become free."""


class Runner:
    """One tournament being played."""

    def __init__(self, store: Store, name: str, venue: Venue, *, concurrency: int = 64) -> None:
        self.store = store
        self.tournament = store.tournaments.get(name)
        self.plan = Plan.of(self.tournament)
        self.concurrency = concurrency
        self.notices: list[str] = []
        self.on_news: Callable[[], object] = lambda: None
        """Called when standings have changed."""
        self.venue = venue
        self._root = store.tournaments.root(self.tournament.id)
        self._entrants = [entrant.name for entrant in store.tournaments.entrants(self.tournament.id)]
        self.started = asyncio.Event()
        """Set once the tournament is loaded and matches may start."""
        self._wake = asyncio.Event()
        self._stopping = ""
        self._running: dict[str, tuple[Match, Fixture, float]] = {}
        self._upcoming: list[Match] = []
        self._fetched = -1
        self._absent_since: dict[str, float] = {}
        self._failed: BaseException | None = None
        self._began = time.monotonic()
        self._done_before = 0
        self._total = 0
        self._aside = 0
        self._pending_reports = 0
        self.board = standings.empty_board(self.plan, self._entrants)
        self._scorer = ThreadPoolExecutor(1, thread_name_prefix="ratings")
        self._unscored: list[Score] = []
        self._scoring = False
        self._over = False
        self._tasks: set[asyncio.Future[None]] = set()
        venue.on_change(self._wake.set)

    async def run(self) -> None:
        """Play until the schedule is done or `stop` was called; StoreError if results cannot be kept."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._scorer, self._load)
        self._began = time.monotonic()
        self.started.set()
        try:
            while True:
                self._wake.clear()
                if self._failed is not None:
                    raise self._failed
                if not self._stopping:
                    await self._start_matches()
                if not self._running and not self._pending_reports and (self._stopping or not self._upcoming):
                    break
                try:
                    await asyncio.wait_for(self._wake.wait(), timeout=1.0)
                except TimeoutError:
                    continue
            if not self._stopping and self._failed is None:
                await self._finish()
        finally:
            await self._score(self._score_all)
            self._over = True
            self._scorer.shutdown(wait=True)
            self.on_news()

    @property
    def stopped(self) -> str:
        """Why it was told to stop before the end; empty if it was not."""
        return self._stopping

    def stop(self, reason: str) -> None:
        """Start no more matches; `run` returns when the running ones have ended."""
        self._stopping = reason
        self._wake.set()

    def break_off(self) -> None:
        """End the running matches without a result."""
        for _, fixture, _ in list(self._running.values()):
            self.venue.break_off(fixture.id)

    async def refresh(self) -> None:
        """Bots have joined: read entrants and schedule again."""

        def read() -> None:
            self._entrants = [entrant.name for entrant in self.store.tournaments.entrants(self.tournament.id)]
            for entrant in self._entrants:
                self.board.join(entrant)
            self._total = self.store.tournaments.counts(self.tournament.id).total

        await self._score(read)
        self._wake.set()

    async def standings(self) -> Standings:
        """The standings now."""
        return await self._score(self._standings, list(self._running.values())[:64])

    async def _score(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run something in the thread that owns the scoreboard."""
        if self._over:
            return work(*arguments)
        return await asyncio.get_running_loop().run_in_executor(self._scorer, work, *arguments)

    def _standings(self, running: list[tuple[Match, Fixture, float]]) -> Standings:
        now = time.monotonic()
        fresh = self.board.matches + self._aside - self._done_before
        elapsed = now - self._began
        return standings.assemble(
            self.store.tournaments.get(self.tournament.id),
            self.plan,
            self.board,
            total=self._total,
            aside=self._aside,
            playing=[
                Playing(fixture.id, fixture.round, fixture.bots, now - began, _tuple(self.venue.scores(fixture.id)))
                for _, fixture, began in running
            ],
            elapsed=elapsed,
            speed=fresh / elapsed if elapsed > 0 and fresh else None,
            absent={bot: now - since for bot, since in self._absent_since.items()},
            notices=self.notices[-5:],
        )

    # Beginning and end.

    def _load(self) -> None:
        """Bring the scoreboard to where the stored results are, and put back what was interrupted."""
        number = self.tournament.id
        interrupted = self.store.matches.interrupted(number)
        if interrupted:
            self.store.matches.put_back({match.id: not self.venue.keeps_deal for match in interrupted})
        self._aside = standings.fill(self.board, self.store, self.tournament)
        self._total = self.store.tournaments.counts(number).total
        self._done_before = self.board.matches + self._aside
        self.store.tournaments.set_state(number, TournamentState.RUNNING)
        self.tournament = self.store.tournaments.get(number)
        self._fetch()

    async def _finish(self) -> None:
        loop = asyncio.get_running_loop()

        def finish() -> None:
            self.store.tournaments.set_state(self.tournament.id, TournamentState.FINISHED)
            self.store.tournaments.reveal_root(self.tournament.id)

        await loop.run_in_executor(None, finish)

    def _fetch(self) -> None:
        """Keep a window of scheduled matches at hand."""
        if len(self._upcoming) < LOOKAHEAD // 2:
            waiting = self.store.matches.in_schedule_order(
                self.tournament.id, [MatchState.SCHEDULED], after=self._fetched
            )
            for match in waiting:
                assert match.ordinal is not None
                self._upcoming.append(match)
                self._fetched = match.ordinal
                if len(self._upcoming) >= LOOKAHEAD:
                    break

    # Starting matches.

    async def _start_matches(self) -> None:
        loop = asyncio.get_running_loop()
        if len(self._upcoming) < LOOKAHEAD // 2 and self._fetched + 1 < self._total:
            await loop.run_in_executor(self._scorer, self._fetch)
        room = self.concurrency - len(self._running)
        if room <= 0 or not self._upcoming:
            return
        self._notice_absence()
        wanted: dict[str, int] = {}
        chosen: list[Match] = []
        given_up: list[Match] = []
        for match in self._upcoming:
            bots = [seat.name for seat in match.seats]
            missing = [bot for bot in bots if bot in self._absent_since]
            if missing:
                waited = time.monotonic() - min(self._absent_since[bot] for bot in missing)
                if waited > self.plan.absence:
                    given_up.append(match)
                continue
            if len(chosen) < room and all(self.venue.free(bot) > wanted.get(bot, 0) for bot in bots):
                chosen.append(match)
                for bot in bots:
                    wanted[bot] = wanted.get(bot, 0) + 1
        for match in given_up:
            await self._give_up(match)
        if chosen:
            await self._claim_and_play(chosen)

    async def _claim_and_play(self, chosen: list[Match]) -> None:
        taken = set(map(id, chosen))
        self._upcoming = [match for match in self._upcoming if id(match) not in taken]
        claims = [asyncio.wrap_future(self.store.matches.claim_later(match.id)) for match in chosen]
        for match, claim in zip(chosen, claims, strict=True):
            attempt = await claim
            if attempt is not None:
                self._play(match, attempt)

    def _play(self, match: Match, attempt: int) -> None:
        assert match.ordinal is not None
        assert match.round is not None
        id = f"{self.tournament.name}/{match.ordinal}"
        seed = match_seed(self._root, self.tournament.name, deal(self.plan, match.ordinal), attempt)
        bots = tuple(seat.name for seat in match.seats)
        fixture = Fixture(
            id,
            self.plan.game,
            bots,
            self.plan.options,
            seed,
            self.plan.control,
            self.tournament.name,
            match.round,
            self.plan.mirror,
        )
        self._running[id] = (match, fixture, time.monotonic())
        self.venue.play(fixture, lambda played: self._played(match, attempt, fixture, played))

    # Results.

    def _played(self, match: Match, attempt: int, fixture: Fixture, played: Played | None) -> None:
        if played is None or played.ending.void:
            self._later(self._again(match, fixture))
            return
        self._pending_reports += 1
        ending = played.ending
        result = MatchResult(
            match.id,
            attempt,
            tuple(
                SeatResult(
                    seat,
                    ending.ranks[seat],
                    ending.scores[seat],
                    Fault(ending.terminations[seat].name),
                    account.strikes,
                    account.decisions,
                    account.time_ms,
                )
                for seat, account in enumerate(played.seats)
            ),
            fixture.seed.hex(),
            played.record,
            ending.reason,
        )
        self._later(self._report(match, fixture, played, result))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _report(self, match: Match, fixture: Fixture, played: Played, result: MatchResult) -> None:
        try:
            stored = await asyncio.wrap_future(self.store.matches.report_later(result))
        except StoreError as error:
            self._failed = error
        else:
            if stored:
                assert match.ordinal is not None
                ending = played.ending
                faults = tuple("" if how is Termination.FINISHED else how.name for how in ending.terminations)
                self._unscored.append(
                    Score(
                        match.ordinal,
                        fixture.id,
                        fixture.round,
                        fixture.bots,
                        ending.ranks,
                        ending.scores,
                        faults,
                        ending.reason,
                    )
                )
                self._score_soon()
            played.announce()
        finally:
            self._pending_reports -= 1
            self._running.pop(fixture.id, None)
            self._wake.set()

    async def _again(self, match: Match, fixture: Fixture) -> None:
        """An interrupted match goes back into the schedule."""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(None, self.store.matches.put_back, {match.id: not self.venue.keeps_deal})
        except StoreError as error:
            self._failed = error
        self._running.pop(fixture.id, None)
        if not self._stopping:
            self._upcoming.insert(0, match)
        self._wake.set()

    def _score_soon(self) -> None:
        """Rate in a thread of its own, so that no question waits for it; what comes meanwhile is taken together."""
        if not self._scoring:
            self._scoring = True
            loop = asyncio.get_running_loop()
            work = loop.run_in_executor(self._scorer, self._score_all)

            def scored(_: object) -> None:
                self._scoring = False
                self.on_news()
                if self._unscored:
                    self._score_soon()

            work.add_done_callback(scored)

    def _score_all(self) -> None:
        taken, self._unscored = self._unscored, []
        for score in taken:
            self.board.add(score)

    # Absence.

    def _notice_absence(self) -> None:
        now = time.monotonic()
        for bot in self._entrants:
            if self.venue.present(bot):
                if bot in self._absent_since:
                    del self._absent_since[bot]
            elif bot not in self._absent_since:
                self._absent_since[bot] = now

    async def _give_up(self, match: Match) -> None:
        assert match.ordinal is not None
        missing = [seat.name for seat in match.seats if seat.name in self._absent_since]
        text = f"{', '.join(missing)} not there"
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.store.matches.set_aside, match.id, MatchState.ABSENT, text)
        self._upcoming = [other for other in self._upcoming if other is not match]
        self._aside += 1
        await self._score(self.board.skip, match.ordinal)
        note = f"match {match.ordinal} of round {match.round} was not played: {text}"
        self.notices.append(note)
        self.on_news()


def _tuple(scores: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if scores is None else tuple(scores)
