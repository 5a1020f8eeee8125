"""Runs a tournament: starts matches as their bots become free, stores every result before anybody hears of it, and goes
on where it was left.

The runner does not know where matches are played. A `Venue` does: the server with its connected bots, or worker
processes with hosted ones. A bot that is not there is waited for, as long as the plan says; then its matches are set
aside as absent. When it comes back before the tournament is over, it gets them back: ratings follow the schedule, not
the clock, so nobody gains or loses by it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

from referee.store import Match, MatchState, NotAllowed, Store, TournamentState
from referee.threads import in_thread
from referee.tournament import standings
from referee.tournament.plan import CANCELLED, Plan, deal
from referee.tournament.running.ended import Ended
from referee.tournament.running.outcomes import outcomes
from referee.tournament.running.played import Played
from referee.tournament.running.schedule_window import LOOKAHEAD, Called, Lineup
from referee.tournament.running.venue import Fixture, Venue
from referee.tournament.seeds import match_seed
from referee.tournament.standings.scoreboard import Scoreboard
from referee.tournament.standings.scorekeeper import Scorekeeper
from referee_leaderboard.standings import Playing, Standings

T = TypeVar("T")

LOOK_ROUND_EVERY = 0.1
"""Seconds between two looks at who is there."""
MOST_VOIDS = 3
"""A match that comes to nothing so often (its game fails) is set aside."""
MANY = 16
"""Running matches from which on results that come close together are stored together."""
COMPANY = 4
"""They are stored once one in so many of the running matches has ended …"""
CLOSE_TOGETHER = 0.2
"""… or after so many seconds."""
AT_ONCE = 8
"""Matches that are started or announced before others have their turn in the loop: each takes a moment."""
MOST_SHOWN = 64
"""Running matches that are shown."""


class Runner:
    """One tournament being played."""

    def __init__(self, store: Store, name: str, venue: Venue, *, concurrency: int = 64) -> None:
        self.store = store
        self.tournament = store.tournaments.get(name)
        self.plan = Plan.of(self.tournament)
        self.concurrency = concurrency
        self.on_news: Callable[[], object] = lambda: None
        """Called when standings have changed."""
        self.venue = venue
        self.started = asyncio.Event()
        """Set once matches may start."""
        self._root = store.tournaments.root(self.tournament.id)
        self._entrants = [entrant.name for entrant in store.tournaments.entrants(self.tournament.id)]
        self._lineup = Lineup(self.plan.absence)
        self._scorekeeper = Scorekeeper(store, self.tournament, self.plan)
        self._scorekeeper.on_news = self._tell
        self._scorekeeper.on_failure = self._fail
        self._wake = asyncio.Event()
        self._stopping = ""
        self._left = False
        self._running: dict[str, tuple[Match, Fixture, float]] = {}
        self._gathering: asyncio.TimerHandle | None = None
        self._gathered: list[Ended] = []
        self._voids: dict[int, int] = {}
        self._failed: BaseException | None = None
        self._looked_round = float("-inf")
        self._began = time.monotonic()
        self._done_before = 0
        self._total = 0
        self._absent_matches = 0
        self._tasks: set[asyncio.Future[None]] = set()
        venue.on_change(self._wake.set)

    @property
    def board(self) -> Scoreboard:
        """The scoreboard; it belongs to a thread of its own until `run` has returned."""
        return self._scorekeeper.board

    @property
    def stopped(self) -> str:
        """Why it was told to stop before the end; empty if it was not."""
        return self._stopping

    async def run(self) -> None:
        """Play until the schedule is done or `stop` was called; StoreError if results cannot be kept."""
        try:
            await in_thread(self._open)
            self._scorekeeper.reload()
            self.started.set()
            await self._play_all()
        except Exception:
            self.break_off()
            raise
        finally:
            self._report_gathered()
            if self._tasks:
                await asyncio.wait(self._tasks)
            await self._scorekeeper.close()
            self.on_news()

    def stop(self, reason: str) -> None:
        """Start no more matches; `run` returns when the running ones have ended."""
        self._stopping = reason
        self._wake.set()

    def carry_on(self) -> bool:
        """Take back a `stop`; False if it is too late for that, because `run` is about to return."""
        if self._left:
            return False
        self._stopping = ""
        self._wake.set()
        return True

    def break_off(self) -> None:
        """End the running matches without a result."""
        for _, fixture, _ in list(self._running.values()):
            self.venue.break_off(fixture.id)

    def wants(self, bot: str) -> bool:
        """Whether a match of this bot waits only for its players to be free."""
        return not self._stopping and self._lineup.has_match_for(bot)

    async def refresh(self) -> None:
        """Bots have joined: read entrants and schedule again."""
        await in_thread(self._read_entrants)
        await self._scorekeeper.do(self._join_board)
        self._lineup.reopen()
        self._wake.set()

    async def standings(self) -> Standings:
        """The standings now."""
        now = time.monotonic()
        playing = [
            Playing(fixture.id, fixture.round, fixture.bots, now - began, _tuple(self.venue.scores(fixture.id)))
            for _, fixture, began in islice(self._running.values(), MOST_SHOWN)
        ]
        absent = {bot: now - since for bot, since in self._lineup.absent.items()}
        return await self._scorekeeper.do(self._standings, playing, absent)

    def _standings(self, playing: list[Playing], absent: dict[str, float]) -> Standings:
        board, now = self.board, time.monotonic()
        done = board.matches + board.aside
        elapsed, fresh = now - self._began, done - self._done_before
        return standings.assemble(
            self.store.tournaments.get(self.tournament.id),
            self.plan,
            board,
            total=max(self._total, done),
            playing=playing,
            busy=len(self._running),
            speed=fresh / elapsed if elapsed > 0 and fresh > 0 else None,
            absent=absent,
            notices=standings.notices(self.store, self.tournament.id) if board.aside else (),
        )

    # Beginning and end.

    def _open(self) -> None:
        """Put back what was interrupted, and say that the tournament runs."""
        number = self.tournament.id
        for match in self.store.matches.interrupted(number):
            names = [seat.name for seat in match.seats]
            self.store.matches.put_back({match.id: not self.venue.same_deal(names, interrupted=True)})
        self.store.tournaments.set_state(number, TournamentState.RUNNING)
        self.tournament = self.store.tournaments.get(number)
        self._read_entrants()
        counts = self.store.tournaments.counts(number)
        self._began, self._done_before = time.monotonic(), counts.total - counts.open

    def _read_entrants(self) -> None:
        self._entrants = [entrant.name for entrant in self.store.tournaments.entrants(self.tournament.id)]
        counts = self.store.tournaments.counts(self.tournament.id)
        self._total = counts.total
        self._absent_matches = counts.absent

    def _join_board(self) -> None:
        for entrant in self._entrants:
            self.board.join(entrant)

    async def _play_all(self) -> None:
        while True:
            self._wake.clear()
            if self._failed is not None:
                raise self._failed
            if not self._stopping:
                await self._start_matches()
            if not self._running and not self._tasks:
                if self._stopping:
                    self._left = True
                    return
                if self._lineup.empty:
                    if await in_thread(self._finish):
                        return
                    self._lineup.put_back(0)
            with suppress(TimeoutError):
                # Not `wait_for`: in Python 3.11 it can swallow a cancellation.
                async with asyncio.timeout(LOOK_ROUND_EVERY if self._lineup.absent else 1.0):
                    await self._wake.wait()

    def _finish(self) -> bool:
        try:
            self.store.tournaments.set_state(self.tournament.id, TournamentState.FINISHED, reveal=True)
        except NotAllowed:  # somebody has joined at the last moment, or it was cancelled just now
            return False
        return True

    # Starting matches.

    async def _start_matches(self) -> None:
        now = time.monotonic()
        if now - self._looked_round >= LOOK_ROUND_EVERY:
            self._looked_round = now
            back = self._lineup.look_round(self._entrants, self.venue.present, now)
            if back and self._absent_matches:
                await self._call_back()
        if overdue := self._lineup.overdue(now):
            await self._give_up(overdue)
        while self._lineup.wants_more:
            await self._fetch()
        room = self.concurrency - len(self._running)
        if room > 0 and (chosen := self._lineup.choose(room, self.venue.free)):
            await self._claim_and_play(chosen)

    async def _fetch(self) -> None:
        """Read on in the schedule."""
        after, changes = self._lineup.read_to, self._lineup.changes

        def read() -> list[Match]:
            waiting = self.store.matches.in_schedule_order(self.tournament.id, [MatchState.SCHEDULED], after=after)
            return list(islice(waiting, LOOKAHEAD))

        matches = await in_thread(read)
        known = set(self._entrants)
        if not known.issuperset(seat.name for match in matches for seat in match.seats):
            await self.refresh()  # somebody has joined
        self._lineup.take(matches, changes, complete=len(matches) < LOOKAHEAD)

    async def _claim_and_play(self, chosen: Sequence[Called]) -> None:
        claimed = await outcomes([self.store.matches.claim_later(match.id) for match, _ in chosen])
        untouched: dict[int, bool] = {}
        for number, ((match, bots), claim) in enumerate(zip(chosen, claimed, strict=True), 1):
            assert match.ordinal is not None
            attempt = claim.result()
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            if attempt is None:  # it is not to be played now: the tournament was paused or cancelled
                self._lineup.put_back(match.ordinal)
            elif self._stopping or not all(self.venue.present(bot) and self.venue.free(bot) > 0 for bot in bots):
                untouched[match.id] = False  # things have changed while it was claimed; nobody has seen its deal
                self._lineup.put_back(match.ordinal)
            else:
                self._play(match, bots, attempt)
        if untouched:
            await in_thread(self._put_back, untouched)

    def _play(self, match: Match, bots: tuple[str, ...], attempt: int) -> None:
        assert match.ordinal is not None
        assert match.round is not None
        fixture = Fixture(
            f"{self.tournament.name}/{match.ordinal}",
            self.plan.game,
            bots,
            self.plan.options,
            match_seed(self._root, self.tournament.name, deal(self.plan, match.ordinal), attempt),
            self.plan.control,
            self.tournament.name,
            match.round,
            self.plan.mirror,
        )
        self._running[fixture.id] = (match, fixture, time.monotonic())
        self.venue.play(fixture, lambda played: self._played(match, attempt, fixture, played))

    # Results.

    def _played(self, match: Match, attempt: int, fixture: Fixture, played: Played | None) -> None:
        if played is None or played.ending.void:
            self._later([fixture.id], self._again(match, fixture, played))
            return
        self._gathered.append(Ended.of(match, attempt, fixture.id, fixture.seed, played))
        # Others are waited for where others are likely: a transaction costs more than what is in it.
        busy = len(self._running)
        if busy < MANY or len(self._gathered) >= busy // COMPANY:
            self._report_gathered()
        elif self._gathering is None:
            self._gathering = asyncio.get_running_loop().call_later(CLOSE_TOGETHER, self._report_gathered)

    def _report_gathered(self) -> None:
        if self._gathering is not None:
            self._gathering.cancel()
            self._gathering = None
        ended, self._gathered = self._gathered, []
        if ended:
            self._later([each.id for each in ended], self._report(ended))

    def _later(self, matches: Sequence[str], work: Coroutine[Any, Any, None]) -> None:
        """Store how matches went; until that is done they count as running."""

        async def store() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - whatever it is, `run` must not go on as if it were stored
                self._fail(error)
            finally:
                for match in matches:
                    self._running.pop(match, None)
                self._wake.set()

        task = asyncio.ensure_future(store())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._wake.set())

    async def _report(self, ended: Sequence[Ended]) -> None:
        stored = await outcomes([self.store.matches.report_later(each.result) for each in ended])
        for number, (each, outcome) in enumerate(zip(ended, stored, strict=True), 1):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            if (error := outcome.exception()) is not None:
                self._fail(error)
                continue
            if outcome.result():
                self._scorekeeper.add(each.score(self.tournament.name))
            each.played.announce()

    async def _again(self, match: Match, fixture: Fixture, played: Played | None) -> None:
        """A match without a result goes back into the schedule, unless it comes to nothing again and again."""
        assert match.ordinal is not None
        if played is not None:
            self._voids[match.ordinal] = self._voids.get(match.ordinal, 0) + 1
        if played is not None and self._voids[match.ordinal] >= MOST_VOIDS:
            why = {match.id: played.ending.texts[0]}
            await in_thread(self.store.matches.set_all_aside, why, MatchState.VOID)
            self._scorekeeper.skip(match.ordinal)
        else:
            anew = not self.venue.same_deal(fixture.bots, interrupted=played is None)
            await in_thread(self._put_back, {match.id: anew})
            self._lineup.put_back(match.ordinal)
        if played is not None:
            played.announce()

    def _put_back(self, matches: dict[int, bool]) -> None:
        try:
            self.store.matches.put_back(matches)
        except NotAllowed:  # the tournament is over
            self.store.matches.set_all_aside(dict.fromkeys(matches, CANCELLED), MatchState.VOID)

    # Absence.

    async def _give_up(self, overdue: Sequence[Called]) -> None:
        reasons = {
            match.id: f"{', '.join(bot for bot in bots if bot in self._lineup.absent)} not there"
            for match, bots in overdue
        }
        await in_thread(self.store.matches.set_all_aside, reasons, MatchState.ABSENT)
        self._absent_matches += len(overdue)
        for match, _ in overdue:
            assert match.ordinal is not None
            self._scorekeeper.skip(match.ordinal)

    async def _call_back(self) -> None:
        """Somebody is there again: matches that were set aside for want of a bot go back into the schedule."""
        absent = set(self._lineup.absent)

        def put_back() -> list[int]:
            found = [
                match
                for match in self.store.matches.in_schedule_order(self.tournament.id, [MatchState.ABSENT])
                if absent.isdisjoint(seat.name for seat in match.seats)
            ]
            for first in range(0, len(found), LOOKAHEAD):
                self._put_back({match.id: False for match in found[first : first + LOOKAHEAD]})
            return [match.ordinal for match in found if match.ordinal is not None]

        ordinals = await in_thread(put_back)
        if ordinals:
            self._absent_matches -= len(ordinals)
            self._lineup.put_back(min(ordinals))
            self._scorekeeper.reload()

    # What others hear.

    def _fail(self, error: BaseException) -> None:
        self._failed = self._failed or error
        self._wake.set()

    def _tell(self) -> None:
        self.on_news()


def _tuple(scores: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if scores is None else tuple(scores)
