"""Cluster: a `Venue` that plays matches of hosted bots on workers of other machines, and believes nothing unchecked.

Each worker has one task at a time, which brings it matches and takes home those that have ended (`pace.py`); it plays
on between two tasks and while its answer is read. What does not come back, because its worker died, hangs, or is cut
off, is given to another one; the first valid result of a match counts, and any other is ignored. A worker that comes
back starts its bots anew, so none of them has seen a deal that is played again. Results are replayed (`results.py`) in
processes beside this one (`reading.py`), some are compared with another worker's (`comparing.py`), and a worker that
lies is set aside.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog

from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster import tasks
from referee.workers.cluster.comparing import ONE_IN, Comparing, agreed, odd_ones
from referee.workers.cluster.connection import Connection, TaskFailed
from referee.workers.cluster.crew import ClusterRun, Crew, Patience
from referee.workers.cluster.pace import TASK_SECONDS
from referee.workers.cluster.reading import Readers
from referee.workers.cluster.remote_worker import Held, OpenMatch, RemoteWorker
from referee.workers.cluster.results import Answer, Result, Untrue, still_played
from referee.workers.cluster.trust import Purge, Trust
from referee.workers.orders import play_order
from referee.workers.watched_matches import WatchedMatches
from referee.workers.worker_pool import WorkersFailed

log = structlog.get_logger()
Done = Callable[[Played | None], object]

ANNOUNCE_SECONDS = 3.0
"""A worker that has no task in this time, to which announcements are added, gets a message of its own."""
MOST_TRIES = 12
"""How often a match may be lost with its worker, without a result of any match in between, before the run is given up:
workers may be killed as often as they like while others play.
"""
MOST_VOIDS = 3
"""How often a match may come to nothing before that is believed, and on every worker that is there."""
LONGEST_DECISIONS = 300
"""Decisions of a long match, for the time after which a worker counts as hanging."""
TOO_LATE = "it did not answer in time"
PLENTY = 1 << 30


class ClusterVenue:
    """A `Venue` of workers that a dask scheduler knows."""

    def __init__(
        self,
        connection: Connection,
        run: ClusterRun,
        patience: Patience | None = None,
        one_in: int = ONE_IN,
        trust: Trust | None = None,
    ) -> None:
        """One in `one_in` matches is played on a second worker too. One that goes on for another has its `trust`."""
        self.notices: list[str] = []
        self.on_notice: Callable[[str], object] = lambda text: None
        self.on_purge: Callable[[list[str], str], Awaitable[object]] = _nothing
        """Called with matches whose results came from a worker that is not believed any more, and why.

        It takes out of the list what it has replaced. Until it has returned no match is over: a tournament cannot end
        before they are played again.
        """
        self.on_room: Callable[[int], object] = lambda matches: None
        """Called with the number of matches that may be under way at once, when workers have come or gone."""
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.watched = WatchedMatches(lambda match, order: None)
        """The running matches; their decisions are not told before their end."""
        self.readers = Readers()
        """Who reads and replays what workers send."""
        self._trust = trust or Trust()
        self._crew = Crew(connection, run, patience or Patience(), self, self._trust.aside)
        self._comparing = Comparing(one_in)
        self._open: dict[str, OpenMatch] = {}
        self._queue: deque[OpenMatch] = deque()
        self._settled = 0
        """Matches that have got a result."""
        self._differed: set[frozenset[str]] = set()
        """Pairs of workers of which it was told that they play a match differently."""
        self._purging = 0
        self._held_back: list[tuple[OpenMatch, tuple[RemoteWorker, Result] | None]] = []
        """Matches that are over as soon as nothing is being purged."""
        self._announcing: dict[str, list[str]] = {}
        self._calls: list[Callable[[], object]] = []
        self._tasks: set[asyncio.Future[None]] = set()
        self._giving = False
        self._closed = False

    @property
    def workers(self) -> Collection[RemoteWorker]:
        """The workers that are there now."""
        return self._crew.workers.values()

    @property
    def aside(self) -> Mapping[str, str]:
        """Names of workers that are not believed any more, and why."""
        return self._crew.aside

    async def open(self) -> None:
        """Pack the bots and connect; WrongUse or Unreachable if that cannot be."""
        await self._crew.open()
        for purge in self._trust.purges:
            self._begin_purge(purge)

    async def close(self) -> None:
        """End this run on all workers; before that they hear what is stored."""
        self._closed = True
        reading = [worker.task for worker in self._crew.workers.values() if worker.task is not None]
        for task in [*self._tasks, *reading]:
            task.cancel()
        await asyncio.gather(*self._tasks, *reading, return_exceptions=True)
        await asyncio.gather(*map(self._tell_stored, list(self._announcing)))
        await self._crew.close()
        await self.readers.close()

    # What a tournament asks of its venue.

    def present(self, bot: str) -> bool:
        return True

    def free(self, bot: str) -> int:
        return PLENTY

    def play(self, fixture: Fixture, done: Done) -> None:
        match = self._open[fixture.id] = OpenMatch(fixture, done)
        self.watched.started(fixture)
        self._queue.append(match)
        self._give_soon()

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        """Bots of an interrupted match start anew and have seen nothing; after a void one they live on."""
        return interrupted

    def break_off(self, match: str) -> None:
        found = self._open.get(match)
        if found is None:
            return
        found.broken_off = True
        playing = [worker for worker in self._crew.workers.values() if worker.holds(found)]
        if not playing:
            if found in self._queue:
                self._queue.remove(found)
            self._settle(found, None)
        for worker in playing:
            self._later(self._crew.connection.tell(worker.address, tasks.break_off, self._crew.id, _json([match])))

    def scores(self, match: str) -> Sequence[int] | None:
        return None

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
            self.on_notice(text)

    def take_back(self, worker: RemoteWorker) -> None:
        worker.ready = False
        task, worker.task = worker.task, None
        held, worker.hand, worker.playing = worker.hand, {}, 0
        if task is not None:
            task.cancel()
        for one in held.values():
            self._again(one.match)

    # Matches go out.

    def _give_soon(self) -> None:
        if not self._giving:
            self._giving = True
            asyncio.get_running_loop().call_soon(self._give)

    def _give(self) -> None:
        """Give waiting matches to workers that have room, the idlest first, and ask the others for results."""
        self._giving = False
        if self._closed:
            return
        ready = self._crew.ready
        for worker in sorted(ready, key=lambda each: each.playing / each.cores):
            chosen = self._choose(worker, worker.share(len(self._queue), len(ready)), ready)
            if chosen or worker.is_waited_for:
                worker.task = asyncio.ensure_future(self._task(worker, chosen))

    def _choose(self, worker: RemoteWorker, share: int, ready: Sequence[RemoteWorker]) -> list[OpenMatch]:
        """The next matches for a worker; one that is compared goes to a worker that has not played it yet."""
        chosen: list[OpenMatch] = []
        passed: list[OpenMatch] = []
        while self._queue and len(chosen) < share:
            match = self._queue.popleft()
            if match.answers and all(match.was_played_by(each) for each in ready):
                self._decide(match)  # there is no other worker
            elif worker.holds(match) or (match.was_played_by(worker) and any(map(match.is_new_to, ready))):
                passed.append(match)
            else:
                chosen.append(match)
        self._queue.extendleft(reversed(passed))
        return chosen

    async def _task(self, worker: RemoteWorker, matches: list[OpenMatch]) -> None:
        """Bring a worker matches, and news of what is stored; take home what has ended there."""
        began = time.monotonic()
        worker.hand.update((match.fixture.id, Held(match, began)) for match in matches)
        worker.playing += len(matches)
        had = worker.playing
        orders = _json([play_order(match.fixture) for match in matches])
        stored = _json(self._announcing.pop(worker.address, []))
        try:
            async with asyncio.timeout(TASK_SECONDS + self._crew.patience.play):
                said = await self._crew.connection.call(worker.address, tasks.play, self._crew.id, orders, stored)
        except TimeoutError:
            self._crew.trouble(worker, TOO_LATE)
            return
        except TaskFailed as error:
            self._crew.trouble(worker, f"a task failed ({error})")
            return
        seconds = time.monotonic() - began
        worker.playing = min(had, still_played(said))
        worker.pace.told(had - worker.playing, seconds, had)
        if not matches and worker.playing == had and seconds < TASK_SECONDS / 2:
            await asyncio.sleep(TASK_SECONDS)  # it has told nothing, and was quick: it must not keep us busy
        worker.task = None
        self._give_soon()  # it plays on while its answer is read
        self._later(self._read(worker, said))

    # Results come in.

    async def _read(self, worker: RemoteWorker, said: bytes) -> None:
        """Believe what can be checked."""
        fixtures = {id: held.match.fixture for id, held in worker.hand.items()}
        worker.reading += 1
        try:
            answer = await self.readers.read(said, fixtures)
        except Untrue as untrue:
            self._set_aside(worker, str(untrue))
            return
        finally:
            worker.reading -= 1
        self._came(worker, answer)

    def _came(self, worker: RemoteWorker, answer: Answer) -> None:
        for text in answer.notices:
            self.notice(text)
        for result in answer.results:
            held = worker.hand.pop(result.match, None)
            if held is None:  # told before, or taken back
                continue
            if result.played is None:
                self._again(held.match)
            else:
                self._result(worker, held.match, result)
        now, patience = time.monotonic(), self._crew.patience.play
        late = any(now - held.since > patience + _longest(held.match.fixture) for held in worker.hand.values())
        if answer.closed or answer.failed or late:
            self._crew.trouble(worker, answer.failed or ("it has ended this run" if answer.closed else TOO_LATE))
        elif answer.results:
            worker.failures = 0
        self._give_soon()

    def _result(self, worker: RemoteWorker, match: OpenMatch, result: Result) -> None:
        played = result.played
        assert played is not None
        if self._open.get(match.fixture.id) is not match:  # settled meanwhile, by another worker
            self._announce(worker, match.fixture.id)
            return
        if worker.name in self._crew.aside:
            self._again(match)
            return
        if played.ending.void and not match.broken_off:
            match.voids.append(worker.name)
            if len(match.voids) < MOST_VOIDS or any(map(match.is_new_to, self._crew.ready)):
                self._announce(worker, match.fixture.id)
                self._again(match)
                return
        if played.ending.void or match.broken_off:
            self._settle(match, (worker, result))
            return
        first = not match.answers
        match.answers.append((worker, result))
        others = any(each is not worker for each in self._crew.ready)
        if first and not (others and self._comparing.wanted(worker, match)):
            self._settle(match, (worker, result))
        elif first:
            self._queue.appendleft(match)
        else:
            self._decide(match)

    def _decide(self, match: OpenMatch) -> None:
        """A match was played on several workers: which result counts, and who was wrong."""
        answers = match.answers
        found = agreed(answers)
        if found is not None:
            for wrong in odd_ones(answers, found[1]):
                self._set_aside(wrong, f"it played match {match.fixture.id} in another way than two other workers")
            self._settle(match, found)
            return
        known = {id(worker) for worker, _ in answers}
        third = any(id(worker) not in known for worker in self._crew.ready)
        if len(answers) == 2 and third:
            self._queue.appendleft(match)
            return
        if len(answers) == 2:
            self._tell_of_difference(match.fixture.id, [worker.name for worker, _ in answers])
        elif len(answers) > 2 and (new := self._comparing.vary(match.fixture.bots)):
            log.info("bots that do not decide alike each time are not compared", bots=new)
        self._settle(match, answers[0])

    def _tell_of_difference(self, match: str, names: Sequence[str]) -> None:
        """Once for any two workers: bots that vary would fill the screen."""
        if frozenset(names) not in self._differed:
            self._differed.add(frozenset(names))
            self.notice(
                f"match {match} went differently on {' and '.join(names)}: its bots vary, or one of the workers is "
                "wrong; with three workers it could be told which"
            )

    def _settle(self, match: OpenMatch, said: tuple[RemoteWorker, Result] | None) -> None:
        """A match has its result, or is broken off; those who have played it are told once it is stored."""
        id = match.fixture.id
        if self._open.get(id) is not match:
            return
        if self._purging:
            self._held_back.append((match, said))
            return
        del self._open[id]
        if said is None or said[1].played is None:
            self.watched.ended(id, None)
            match.done(None)
            return
        worker, result = said
        players = [worker, *(each for each, _ in match.answers if each is not worker)]
        assert result.played is not None
        ending = result.played.ending

        def announce() -> None:
            self._announce_to(players, id)
            self.watched.ended(id, ending)

        played = replace(result.played, announce=announce)
        self._trust.accepted.setdefault(worker.name, []).append(id)
        self._settled += 1
        match.done(played)

    def _again(self, match: OpenMatch) -> None:
        """A match was lost with its worker: it is given to another one, after a while."""
        if self._open.get(match.fixture.id) is not match:
            return
        if match.broken_off:
            self._settle(match, None)
            return
        match.tries += 1
        if match.settled_then != self._settled:
            match.settled_then, match.tries_in_vain = self._settled, 0
        match.tries_in_vain += 1
        if match.tries_in_vain > MOST_TRIES:
            self.no_hope(
                f"match {match.fixture.id} was lost with its worker {match.tries_in_vain} times, and no other match "
                "has ended meanwhile"
            )
            return

        def put() -> None:
            if self._open.get(match.fixture.id) is match:
                self._queue.append(match)
                self._give_soon()

        # The first time at once: most workers die for reasons of their own.
        rest = 0.0 if match.tries == 1 else self._crew.patience.before(match.tries - 1)
        asyncio.get_running_loop().call_later(rest, put)

    def _set_aside(self, worker: RemoteWorker, why: str) -> None:
        """Believe a worker no more: what it has in hand is played elsewhere, and what came from it is purged."""
        if worker.name in self._crew.aside:
            return
        purge = self._trust.withdraw(worker.name, why)
        for match in self._open.values():
            match.answers = [said for said in match.answers if said[0] is not worker]
        again = f"; its {len(purge.matches)} results are purged and played again" if purge else ""
        if purge is not None:
            self._begin_purge(purge)
        self.notice(f"worker {worker.name} is set aside: {why}{again}")
        self._later(self._crew.connection.tell(worker.address, tasks.close_run, self._crew.id))
        self._crew.lose(worker, why)

    def _begin_purge(self, purge: Purge) -> None:
        self._purging += 1
        self._later(self._purge(purge))

    async def _purge(self, purge: Purge) -> None:
        """Have results replaced; if that cannot be, nothing more is over here, and the run cannot end as if it were."""
        try:
            await self.on_purge(purge.matches, purge.why)
        except Exception as error:  # noqa: BLE001 - whatever it is: results that are not believed still stand
            if not self.failed.done():
                self.failed.set_exception(error)
            return
        self._trust.purges.remove(purge)
        self._purging -= 1
        if not self._purging:
            held, self._held_back = self._held_back, []
            for match, said in held:
                self._settle(match, said if said is None or said[0].name not in self._crew.aside else None)

    def _announce_to(self, workers: Sequence[RemoteWorker], match: str) -> None:
        for worker in workers:
            self._announce(worker, match)

    def _announce(self, worker: RemoteWorker, match: str) -> None:
        """Tell a worker that a match is stored: its next task takes that along, or a message if it has none soon."""
        waiting = self._announcing.setdefault(worker.address, [])
        waiting.append(match)
        if len(waiting) == 1:
            asyncio.get_running_loop().call_later(ANNOUNCE_SECONDS, self._announce_now, worker.address)

    def _announce_now(self, address: str) -> None:
        if not self._closed:
            self._later(self._tell_stored(address))

    async def _tell_stored(self, address: str) -> None:
        if matches := self._announcing.pop(address, []):
            await self._crew.connection.tell(address, tasks.announce, self._crew.id, _json(matches))

    def crew_changed(self) -> None:
        room = 2 * sum(worker.room for worker in self._crew.ready)
        if room:
            self.on_room(min(room, self._crew.run.concurrency or room))
        for call in self._calls:
            call()
        self._give_soon()

    def no_hope(self, why: str) -> None:
        if not self.failed.done():
            self.failed.set_exception(WorkersFailed(why))

    def _later(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _nothing(matches: Sequence[str], why: str) -> None: ...


def _longest(fixture: Fixture) -> float:
    """How long a match may take by its clocks."""
    control, seats = fixture.control, len(fixture.bots)
    return control.limit * LONGEST_DECISIONS + (control.bank + control.grace) * seats


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
