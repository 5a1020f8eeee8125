"""Worker pool: a `Venue` that spreads matches of hosted bots over worker processes and replaces those that die.

A worker that dies loses only its running matches, which are played again. So is a match whose bots the machine could
not start. What those who watch see of a running match is asked of its worker (`watched_matches.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from referee.hosting.admission.capacity import WorkerShare
from referee.hosting.bot.spec import BotSpec
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.orders import play_order
from referee.workers.watched_matches import WatchedMatches
from referee.workers.worker import LONGEST_LINE

log = structlog.get_logger()
Done = Callable[[Played | None], object]
ONE_WORKER = WorkerShare(workers=1, running=64, starting=1)
MOST_DEATHS = 5
"""Workers that may die in a row, without a result in between, before the whole run is given up."""

UNEVEN = 8
"""A worker may have one in so many matches more than another, and one, if it has their bots."""
MOST_TRIES = 3
"""How often a match may come back because its bots could not be started, before the whole run is given up."""


class WorkersFailed(Exception):
    """Nothing can be played here: workers die as soon as they are started, or bots cannot be started. Says how."""


@dataclass(frozen=True, slots=True)
class Hosting:
    """How bots are hosted: their names with what to start. Workers read no folder again."""

    bots: Mapping[str, BotSpec]
    sandbox: bool = True
    share: WorkerShare = ONE_WORKER
    per_bot: int = 64
    """Matches that one bot process plays at once."""


class WorkersVenue:
    """A `Venue` of worker processes."""

    def __init__(self, hosting: Hosting) -> None:
        self.notices: list[str] = []
        self.on_notice: Callable[[str], object] = lambda text: None
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.watched = WatchedMatches(self._tell)
        """The running matches, for those who watch."""
        self._hosting = hosting
        self._workers: list[_Worker] = []
        self._busy: dict[str, int] = {}
        self._calls: list[Callable[[], object]] = []
        self._deaths = 0
        self._unstarted: dict[str, int] = {}
        self._closed = False

    async def open(self) -> None:
        """Start the workers."""
        self._workers = [_Worker(self, number) for number in range(self._hosting.share.workers)]
        await asyncio.gather(*(worker.start() for worker in self._workers))

    async def close(self) -> None:
        """End the workers and all their bots."""
        self._closed = True
        await asyncio.gather(*(worker.close() for worker in self._workers))

    def present(self, bot: str) -> bool:
        return True

    def free(self, bot: str) -> int:
        return self._hosting.per_bot * len(self._workers) - self._busy.get(bot, 0)

    def play(self, fixture: Fixture, done: Done) -> None:
        for bot in fixture.bots:
            self._busy[bot] = self._busy.get(bot, 0) + 1

        def over(played: Played | None) -> None:
            for bot in fixture.bots:
                self._busy[bot] -= 1
            done(played)

        worker = self._worker_for(fixture)
        self.watched.started(fixture)
        worker.play(fixture, over)

    def _worker_for(self, fixture: Fixture) -> _Worker:
        """Of the workers with about as few matches as any, the one that has most of these bots already.

        A bot is started where its first match is, and again elsewhere only where the load asks for it.
        """
        least = min(len(worker.running) for worker in self._workers)
        near = [worker for worker in self._workers if len(worker.running) <= least + 1 + least // UNEVEN]
        wanted = set() if fixture.fresh else set(fixture.bots)
        return max(near, key=lambda worker: (len(wanted & worker.bots), -len(worker.running)))

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        """Bots of an interrupted match start anew and have seen nothing; after a void one they live on."""
        return interrupted

    def break_off(self, match: str) -> None:
        for worker in self._workers:
            if match in worker.running:
                worker.tell({"do": "break_off", "match": match})

    def scores(self, match: str) -> Sequence[int] | None:
        return self.watched.scores(match)

    def _tell(self, match: str | None, order: dict[str, Any]) -> None:
        """Tell the worker that plays this match, or all workers."""
        for worker in self._workers:
            if match is None or match in worker.running:
                worker.tell(order)

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)

    def changed(self) -> None:
        for call in self._calls:
            call()

    def notice(self, text: str) -> None:
        if text not in self.notices:
            self.notices.append(text)
            self.on_notice(text)

    def result_came(self) -> None:
        self._deaths = 0

    def not_started(self, match: str, why: str) -> None:
        """The machine could not start the bots of a match: it is tried again, unless that has happened too often."""
        tries = self._unstarted[match] = self._unstarted.get(match, 0) + 1
        if tries < MOST_TRIES:
            self.notice(f"the machine is too busy to start bots ({why}): {match} is tried again, no bot is blamed")
        elif not self.failed.done():
            self.failed.set_exception(
                WorkersFailed(
                    f"the machine is too busy to start bots ({why}), {tries} times for {match}: no bot is blamed; "
                    "end other programs or lower --concurrency"
                )
            )

    async def died(self, worker: _Worker, how: str) -> None:
        """A worker is gone: start another in its place, unless too many have died in a row."""
        if self._closed:
            return
        self._deaths += 1
        log.warning("a worker died and is replaced", worker=worker.number, how=how, matches=len(worker.running))
        if self._deaths > MOST_DEATHS:
            if not self.failed.done():
                self.failed.set_exception(WorkersFailed(f"worker processes keep dying ({how})"))
            return
        await worker.start()
        # Collected only now: matches ordered while the new process was starting went to the dead one and are lost too.
        running, worker.running = worker.running, {}
        for match, done in running.items():
            self.watched.ended(match, None)
            done(None)
        self.changed()

    def lost(self, error: BaseException) -> None:
        """No worker can be had in place of one that died, or one cannot be understood: the whole run is given up."""
        log.error("a worker is lost", exc_info=error)
        if not self._closed and not self.failed.done():
            self.failed.set_exception(WorkersFailed(f"a worker process is lost ({error})"))

    @property
    def order(self) -> dict[str, Any]:
        """What a worker is told first."""
        hosting = self._hosting
        return {
            "bots": {name: bot.to_value() for name, bot in hosting.bots.items()},
            "sandbox": hosting.sandbox,
            "concurrency": hosting.per_bot,
            "running": hosting.share.running,
            "starting": hosting.share.starting,
        }


class _Worker:
    """One worker process, seen from the parent."""

    def __init__(self, venue: WorkersVenue, number: int) -> None:
        self.number = number
        self.running: dict[str, Done] = {}
        self.bots: set[str] = set()
        """The bots of all matches that it was given: most of them run there still."""
        self._venue = venue
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self.bots.clear()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "referee.workers.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=True,
            env=os.environ | {"GRPC_ENABLE_FORK_SUPPORT": "0"},
        )
        self.tell(self._venue.order)
        self._listening = asyncio.get_running_loop().create_task(self._listen(self._process))
        self._listening.add_done_callback(self._heard_all)

    async def close(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 15)
        except TimeoutError:
            process.kill()
            await process.wait()

    def tell(self, order: dict[str, Any]) -> None:
        if self._process is not None and self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(json.dumps(order, separators=(",", ":")).encode() + b"\n")

    def play(self, fixture: Fixture, done: Done) -> None:
        self.running[fixture.id] = done
        self.bots.update(fixture.bots)
        self.tell(play_order(fixture))

    def _heard_all(self, listening: asyncio.Task[None]) -> None:
        """Nothing more is heard of this worker: if that is for another reason than its end, no match would ever end."""
        if not listening.cancelled() and (error := listening.exception()) is not None:
            self._venue.lost(error)

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        # A line without its end: the worker died in the middle of it.
        while (line := await process.stdout.readline()).endswith(b"\n"):
            news = json.loads(line)
            if news["say"] == "played":
                record = await process.stdout.readline()
                if record.endswith(b"\n"):
                    self._played(news, record)
            elif news["say"] == "moves":
                self._venue.watched.moved(news["match"], news["moves"])
            elif news["say"] == "scores":
                self._venue.watched.scored(news["scores"])
            elif news["say"] == "benched":
                self._venue.notice(news["why"])
            elif news["say"] == "unplayed":
                self._unplayed(news["match"], news["why"])
        code = await process.wait()
        await self._venue.died(self, f"exit code {code}")

    def _unplayed(self, match: str, why: str) -> None:
        done = self.running.pop(match, None)
        if done is not None:
            if why:
                self._venue.not_started(match, why)
            self._venue.watched.ended(match, None)
            done(None)

    def _played(self, news: dict[str, Any], record: bytes) -> None:
        done = self.running.pop(news["match"], None)
        if done is None:
            return
        self._venue.result_came()

        def announce() -> None:
            self.tell({"do": "announce", "match": news["match"]})
            self._venue.watched.ended(news["match"], played.ending)

        played = Played.from_value(news["played"], record, announce)
        done(played)
