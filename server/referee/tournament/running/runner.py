"""Runs a tournament: starts matches as their bots become free, stores every result before it is announced, and resumes.

The runner does not know where matches are played. A `Venue` does: the server with its connected bots, or worker
processes with hosted ones. A bot that is not there is waited for, as long as the plan says; then its matches are set
aside as absent. When it comes back before the tournament is over, it gets them back: ratings follow the schedule, not
the clock, so no bot gains or loses by it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, TypeVar

import structlog

from referee.chain_head import ChainHead
from referee.store import MatchState, NotAllowed, Store, StoredMatch, StoredRound, TournamentState
from referee.threads import in_thread
from referee.tournament import standings
from referee.tournament.formats.format import Finished
from referee.tournament.nonces import NonceDigests
from referee.tournament.plan import Plan, deal, is_final
from referee.tournament.repeated_matches import Repeats
from referee.tournament.running.drawing import Drawing
from referee.tournament.running.ended import Ended
from referee.tournament.running.gathering import Gathering
from referee.tournament.running.missed import Missed, put_back
from referee.tournament.running.outcomes import outcomes
from referee.tournament.running.played import Played
from referee.tournament.running.schedule_window import LOOKAHEAD, Called, ScheduleWindow
from referee.tournament.running.venue import Fixture, Venue
from referee.tournament.seeds import match_seed
from referee.tournament.standings.by_format import format_view
from referee.tournament.standings.same_bot import entries_by_bot
from referee.tournament.standings.scoreboard import Scoreboard
from referee.tournament.standings.scorekeeper import Scorekeeper
from referee_leaderboard.standings import Playing, Standings

T = TypeVar("T")
log = structlog.get_logger()

CHECK_PRESENCE_EVERY = 0.1
"""Seconds between two looks at who is there."""
LONGEST_PAUSE = 2.0
"""With more seconds between two looks, the server stood still: a bot that is away is not charged for the rest."""
MOST_VOIDS = 3
"""A match that comes to nothing so often (its game fails) is set aside."""
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
        self.venue = venue
        self.started = asyncio.Event()
        """Set once matches may start."""
        self.head: ChainHead | None = None
        """The head of the tournament's hash chain, as of the latest results."""
        self.on_played: list[Callable[[Fixture, Played], object]] = []
        """Called for every match that has ended, before its result is stored."""
        self._root = store.tournaments.root(self.tournament.id)
        entrants = store.tournaments.entrants(self.tournament.id)
        self._entrants = [entrant.name for entrant in entrants]
        self._entries = entries_by_bot(self.plan, entrants)
        self._nonces = self._read_nonces()
        self._window = ScheduleWindow(self.plan.absence)
        self._drawing = Drawing(store, self.tournament, self.plan, self._root) if self.plan.format else None
        self._shared_deals: dict[int, int] = {}
        """Of matches that a format drew on a shared deal, the first on the same one."""
        self._rounds_read = self._round_from = 0
        """The last round that a format drew, and where it begins: earlier ones are settled for good."""
        self._format = format_view(store, self.tournament, self.plan)
        self._scorekeeper = Scorekeeper(store, self.tournament, self.plan, self._tell, self._fail, self._shared_deals)
        self._missed = Missed(store, self.tournament, self.plan, self._window, self._scorekeeper)
        self._repeats = Repeats(store, self.tournament.id)
        self.repeated = ""
        """That matches repeat another one, in a sentence, as of the last standings; empty if none does."""
        self._news_calls: list[Callable[[], object]] = []
        self._wake = asyncio.Event()
        self._stopping = ""
        self._left = False
        self._running: dict[str, tuple[StoredMatch, Fixture, float]] = {}
        self._gathering = Gathering(lambda ended: self._later([each.id for each in ended], self._report(ended)))
        self._voids: dict[int, int] = {}
        self._anew: frozenset[int] = frozenset()
        """Matches that were dealt more than once."""
        self._finished = False
        self._failed: BaseException | None = None
        self._presence_checked = float("-inf")
        self._looked = float("inf")
        self._began = time.monotonic()
        self._done_before = 0
        self._total = 0
        self._tasks: set[asyncio.Future[None]] = set()
        venue.on_change(self._venue_changed)

    @property
    def board(self) -> Scoreboard:
        """The scoreboard; it belongs to a thread of its own until `run` has returned."""
        return self._scorekeeper.board

    @property
    def playing(self) -> int:
        """How many matches are being played."""
        return len(self._running)

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
            self._gathering.store_now()
            if self._tasks:
                await asyncio.wait(self._tasks)
            await self._scorekeeper.close()
            self._tell()

    def on_news(self, call: Callable[[], object]) -> None:
        """Have this called whenever standings have changed."""
        self._news_calls.append(call)

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
        return not self._stopping and self._window.has_match_for(bot)

    def overdue(self) -> list[str]:
        """Bots that have been away for longer than matches wait for them."""
        now = time.monotonic()
        return sorted(bot for bot, since in self._window.absent.items() if now - since > self.plan.absence)

    async def refresh(self) -> None:
        """Bots have joined: read entrants and schedule again."""
        await in_thread(self._read_entrants)
        await self._scorekeeper.do(self._join_board)
        self._window.reopen()
        self._wake.set()

    async def amend(self) -> None:
        """The host has ruled: what will not be played is broken off, and schedule and results are read again."""
        gone = await in_thread(self._void)
        for match, fixture, _ in list(self._running.values()):
            if match.id in gone:
                self.venue.break_off(fixture.id)
        self._anew |= frozenset(await in_thread(self.store.matches.dealt_anew, self.tournament.id))
        self._window.begin_anew()
        self._scorekeeper.reload()
        await self.refresh()

    def _void(self) -> set[int]:
        return {match.id for match in self.store.matches.in_schedule_order(self.tournament.id, [MatchState.VOID])}

    async def standings(self) -> Standings:
        """The standings now."""
        now = time.monotonic()
        playing = [
            Playing(fixture.id, fixture.round, fixture.bots, now - began, _tuple(self.venue.scores(fixture.id)))
            for _, fixture, began in islice(self._running.values(), MOST_SHOWN)
        ]
        absent = {bot: now - since for bot, since in self._window.absent.items()}
        return await self._scorekeeper.do(self._standings, playing, absent)

    def _standings(self, playing: list[Playing], absent: dict[str, float]) -> Standings:
        board, now = self.board, time.monotonic()
        done = board.matches + board.aside
        elapsed, fresh = now - self._began, done - self._done_before
        tournament = self.store.tournaments.get(self.tournament.id)
        final = is_final(self.plan, tournament.state.value, max(0, self._total - done))
        self.repeated = self._repeats.told(board.matches, now=final)
        return standings.assemble(
            tournament,
            self.plan,
            board,
            total=max(self._total, done),
            playing=playing,
            busy=len(self._running),
            speed=fresh / elapsed if elapsed > 0 and fresh > 0 else None,
            absent=absent,
            notices=standings.notices(self.store, self.tournament.id, board.aside, self._anew, self.repeated),
            format=None if self._format is None else self._format.update(),
            entries=self._entries,
            head=self.store.journal.head(self.tournament.id),
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
        self.head = self.store.journal.head(number)
        self._anew = frozenset(self.store.matches.dealt_anew(number))
        counts = self.store.tournaments.counts(number)
        self._began, self._done_before = time.monotonic(), counts.total - counts.open

    def _read_entrants(self) -> None:
        entrants = self.store.tournaments.entrants(self.tournament.id)
        self._entrants = [entrant.name for entrant in entrants]
        self._entries = entries_by_bot(self.plan, entrants)
        counts = self.store.tournaments.counts(self.tournament.id)
        self._total = counts.total
        self._missed.matches = counts.absent
        if self._drawing is not None:
            for drawn in self.store.rounds.all(self.tournament.id, after=self._rounds_read):
                self._rounds_read, self._round_from = drawn.number, drawn.first
                self._shared_deals.update(drawn.shared_deals())

    def _read_nonces(self) -> NonceDigests:
        return NonceDigests.of(self.tournament.name, self.store.nonces.draws(self.tournament.id))

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
                if self._window.empty:
                    if await self._missed.write_off() or await self._draw():
                        continue
                    if self._finished and await in_thread(self._finish):
                        return
                    self._window.put_back(0)
            with suppress(TimeoutError):
                # Not `wait_for`: in Python 3.11 it can swallow a cancellation.
                async with asyncio.timeout(CHECK_PRESENCE_EVERY if self._window.absent else 1.0):
                    await self._wake.wait()

    async def _draw(self) -> bool:
        """Whether the format has drawn a further round; else `_finished` tells if there will be none."""
        if self._drawing is None:
            self._finished = True
            return False
        present = frozenset(bot for bot in self._entrants if self.venue.present(bot))
        drawn = await in_thread(self._drawing.next, present)
        self._finished = isinstance(drawn, Finished)
        if not isinstance(drawn, StoredRound):
            return False
        await in_thread(self._read_entrants)
        self._window.reopen()
        self._tell()
        return True

    def _finish(self) -> bool:
        try:
            self.store.tournaments.set_state(self.tournament.id, TournamentState.FINISHED, reveal=True)
        except NotAllowed:  # a bot has joined at the last moment, or it was cancelled just now
            return False
        return True

    # Starting matches.

    def _venue_changed(self) -> None:
        """A bot may have come, left or become free; one that was away is seen at once, for it may leave again soon."""
        if self._window.absent:
            self._presence_checked = float("-inf")
        self._wake.set()

    async def _start_matches(self) -> None:
        now = time.monotonic()
        if (pause := now - self._looked) > LONGEST_PAUSE:
            self._window.stood_still(pause - LONGEST_PAUSE)
        self._looked = now
        if now - self._presence_checked >= CHECK_PRESENCE_EVERY:
            self._presence_checked = now
            back = self._window.look_round(self._entrants, self.venue.present, now)
            if back:
                await self._missed.call_back(self._round_from)
        if overdue := self._window.overdue(now):
            await self._missed.give_up(overdue)
        while self._window.wants_more:
            await self._fetch()
        room = self.concurrency - len(self._running)
        if room > 0 and (chosen := self._window.choose(room, self.venue.free)):
            await self._claim_and_play(chosen)

    async def _fetch(self) -> None:
        """Read on in the schedule."""
        after, changes = self._window.read_to, self._window.changes

        def read() -> tuple[list[StoredMatch], NonceDigests]:
            waiting = self.store.matches.in_schedule_order(self.tournament.id, [MatchState.SCHEDULED], after=after)
            # The matches first: those that were added when bots joined were stored together with their nonces.
            return list(islice(waiting, LOOKAHEAD)), self._read_nonces()

        matches, self._nonces = await in_thread(read)
        known = set(self._entrants)
        if not known.issuperset(seat.name for match in matches for seat in match.seats):
            await self.refresh()  # a bot has joined
        self._window.take(matches, changes, complete=len(matches) < LOOKAHEAD)

    async def _claim_and_play(self, chosen: Sequence[Called]) -> None:
        claimed = await outcomes([self.store.matches.claim_later(match.id) for match, _ in chosen])
        untouched: dict[int, bool] = {}
        for number, ((match, bots), claim) in enumerate(zip(chosen, claimed, strict=True), 1):
            assert match.ordinal is not None
            attempt = claim.result()
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)
            if attempt is None:  # it is not to be played now: the tournament was paused or cancelled
                self._window.put_back(match.ordinal)
            elif self._stopping or not all(self._can_play(bot) for bot in bots):
                untouched[match.id] = False  # things have changed while it was claimed; no bot has seen its deal
                self._window.put_back(match.ordinal)
            else:
                self._play(match, bots, attempt)
        if untouched:
            await in_thread(put_back, self.store, untouched)

    def _can_play(self, bot: str) -> bool:
        if bot in self._window.given_up and not self.venue.present(bot):
            return True
        return self.venue.present(bot) and self.venue.free(bot) > 0

    def _play(self, match: StoredMatch, bots: tuple[str, ...], attempt: int) -> None:
        assert match.ordinal is not None
        assert match.round is not None
        number = deal(self.plan, match.ordinal, self._shared_deals)
        nonces = self._nonces.at(number)
        fixture = Fixture(
            f"{self.tournament.name}/{match.ordinal}",
            self.plan.game,
            bots,
            self.plan.options,
            match_seed(self._root, self.tournament.name, number, attempt, nonces),
            self.plan.control,
            self.tournament.name,
            match.round,
            self.plan.mirror
            or (not self.plan.on_openings and (number != match.ordinal or match.ordinal in self._shared_deals)),
            nonces or b"",
            attempt,
            frozenset(bot for bot in bots if bot in self._window.given_up and not self.venue.present(bot)),
        )
        self._running[fixture.id] = (match, fixture, time.monotonic())
        self.venue.play(fixture, lambda played: self._played(match, attempt, fixture, played))

    # Results.

    def _played(self, match: StoredMatch, attempt: int, fixture: Fixture, played: Played | None) -> None:
        if played is not None:
            for call in self.on_played:
                call(fixture, played)
        if played is None or played.ending.void:
            self._later([fixture.id], self._again(match, fixture, played))
            return
        self._gathering.add(Ended.of(match, attempt, fixture.id, fixture.seed, played), len(self._running))

    def _later(self, matches: Sequence[str], work: Coroutine[Any, Any, None]) -> None:
        """Store how matches went; until that is done they count as running."""

        async def store() -> None:
            try:
                await work
            except Exception as error:  # noqa: BLE001 - after any error `run` must not go on as if it were stored
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
            if (head := outcome.result()) is not None:
                self.head = head if self.head is None else max(self.head, head)
                self._scorekeeper.add(each.score(self.tournament.name))
                each.played.stored(head)
            each.played.announce()

    async def _again(self, match: StoredMatch, fixture: Fixture, played: Played | None) -> None:
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
            back = await in_thread(put_back, self.store, {match.id: anew})  # none, if a ruling has made it void
            self._anew |= {match.ordinal} if anew and back else frozenset()
            self._window.put_back(match.ordinal)
        if played is not None:
            played.announce()

    # What others hear.

    def _fail(self, error: BaseException) -> None:
        self._failed = self._failed or error
        self._wake.set()

    def _tell(self) -> None:
        for call in self._news_calls:
            call()


def _tuple(scores: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if scores is None else tuple(scores)
