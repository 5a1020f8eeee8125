"""The workers of a cluster, seen from the host: who is there, who is ready to play, and who is lost.

A worker that comes is asked what it is, gets the bots that it has not got, and opens the run. One that goes, is silent
for too long or fails at a task is lost: what it had in hand is given back, and if it is still there, it opens the run
anew after a while, with bots that have seen nothing.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import structlog

from referee import __version__
from referee.hosting.bot.spec import BotSpec
from referee.rules import registry
from referee.threads import in_thread
from referee.workers.cluster import tasks
from referee.workers.cluster.connection import Connection, SeenWorker, TaskFailed
from referee.workers.cluster.pace import Pace
from referee.workers.cluster.packing import PackedBot, pack
from referee.workers.cluster.reaching import Unreachable
from referee.workers.cluster.remote_worker import RemoteWorker

log = structlog.get_logger()
PIECE = 1 << 20
"""Bytes of a bot in one message."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what, in seconds."""

    look: float = 1.0
    """Between two looks at who is there."""
    silent: float = 30.0
    """A worker from which the scheduler has heard nothing for so long counts as gone."""
    play: float = 120.0
    """For a task, beyond what the clocks of its matches allow."""
    open: float = 1800.0
    """For bots to be built."""
    retry: float = 0.5
    """Before something is tried again; twice as long each time …"""
    longest_retry: float = 30.0
    """… up to this."""

    def before(self, tries: int) -> float:
        """Back-off before the next try."""
        return min(self.longest_retry, self.retry * 2.0 ** min(tries - 1, 20))


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """What is to be played on a cluster."""

    bots: Mapping[str, BotSpec]
    base: Path
    game: str
    seats: int
    sandbox: bool = True
    build_network: bool = False
    concurrency: int | None = None
    fresh: bool = False


class CrewListener(Protocol):
    """Who hears of workers that come and go."""

    def notice(self, text: str) -> None:
        """Something that a person should know."""

    def take_back(self, worker: RemoteWorker) -> None:
        """A worker will not finish what it has in hand."""

    def crew_changed(self) -> None:
        """A worker has become ready, or is lost."""

    def no_hope(self, why: str) -> None:
        """No worker that is there can play."""


class Crew:
    """All workers that the scheduler knows."""

    def __init__(
        self,
        connection: Connection,
        run: ClusterRun,
        patience: Patience,
        listener: CrewListener,
        aside: MutableMapping[str, str],
    ) -> None:
        self.connection = connection
        self.run = run
        self.patience = patience
        self.id = f"run-{secrets.token_hex(8)}"
        """What workers know this run by."""
        self.workers: dict[str, RemoteWorker] = {}
        """By address."""
        self.aside = aside
        """Names of workers that are not believed any more, and why."""
        self._listener = listener
        self._packed: dict[str, PackedBot] = {}
        self._silent: dict[str, float] = {}
        """Workers that count as gone although the scheduler names them, and when they were last heard of."""
        self._looking: asyncio.Future[None] | None = None

    @property
    def ready(self) -> list[RemoteWorker]:
        return [worker for worker in self.workers.values() if worker.ready]

    async def open(self) -> None:
        """Pack the bots and connect; WrongUse or Unreachable if that cannot be."""
        run = self.run
        self._packed = await in_thread(lambda: {name: pack(spec, run.base) for name, spec in run.bots.items()})
        await self.connection.open()
        self._looking = asyncio.ensure_future(self._look_round())

    async def close(self) -> None:
        """End this run on all workers."""
        ending = [self._looking, *(worker.opening for worker in self.workers.values())]
        ending += [worker.task for worker in self.workers.values()]
        stopping = [task for task in ending if task is not None]
        for task in stopping:
            task.cancel()
        await asyncio.gather(*stopping, return_exceptions=True)
        await asyncio.gather(*(self.connection.tell(each, tasks.close_run, self.id) for each in self.workers))
        await self.connection.close()

    async def _look_round(self) -> None:
        """Look who is there, again and again; connect again when the scheduler does not answer."""
        tries = 0
        while True:
            try:
                if tries:
                    await self.connection.close()
                    await self.connection.open()
                self._seen(await self.connection.workers())
                tries = 0
            except Unreachable as error:
                tries += 1
                for worker in list(self.workers.values()):
                    self.lose(worker, "the scheduler is gone")
                self._listener.notice(
                    f"the scheduler {self.connection.address} does not answer ({error}): waiting for it"
                )
                await asyncio.sleep(self.patience.before(tries))
                continue
            await asyncio.sleep(self.patience.look)

    def _seen(self, seen: Sequence[SeenWorker]) -> None:
        now = time.monotonic()
        there = {worker.address: worker for worker in seen}
        for address in list(self.workers):
            if address not in there:
                self.lose(self.workers[address], "it is gone")
        self._silent = {address: when for address, when in self._silent.items() if address in there}
        for address, one in there.items():
            worker = self.workers.get(address)
            if worker is not None:
                if worker.last_seen != one.last_seen:
                    worker.last_seen, worker.changed = one.last_seen, now
                elif now - worker.changed > self.patience.silent:
                    self._silent[address] = one.last_seen
                    self.lose(worker, f"nothing was heard of it for {self.patience.silent:g} seconds")
            elif one.name not in self.aside and self._silent.get(address) != one.last_seen:
                self._silent.pop(address, None)
                worker = self.workers[address] = RemoteWorker(address, one.name, one.last_seen, now)
                worker.opening = asyncio.ensure_future(self._prepare(worker))
        if not seen:
            scheduler = self.connection.address
            self._listener.notice(f"no worker is there yet: 'referee worker --scheduler {scheduler}' starts one")

    def lose(self, worker: RemoteWorker, why: str) -> None:
        """A worker is gone: what it had in hand is given to others."""
        self.workers.pop(worker.address, None)
        if worker.hand or worker.ready:
            log.warning("a worker is lost", worker=worker.name, why=why, matches=len(worker.hand))
        if worker.opening is not None:
            worker.opening.cancel()
        self._listener.take_back(worker)
        self._listener.crew_changed()

    def trouble(self, worker: RemoteWorker, why: str) -> None:
        """A worker did not do what it should: it is opened anew, after a while; its bots start afresh."""
        if self.workers.get(worker.address) is not worker:
            return
        worker.failures += 1
        self._listener.notice(f"worker {worker.name}: {why}; its matches are played again")
        self._listener.take_back(worker)
        worker.opening = asyncio.ensure_future(self._prepare(worker, self.patience.before(worker.failures)))
        self._listener.crew_changed()

    async def _prepare(self, worker: RemoteWorker, rest: float = 0.0) -> None:
        """Get a worker ready: bots that it has not got are sent, and it builds and starts what it needs."""
        await asyncio.sleep(rest)
        try:
            async with asyncio.timeout(self.patience.open):
                about = await self._ask(worker, tasks.meet, _json({"digests": self._digests()}))
                self._check_version(about)
                for digest in about["missing"]:
                    await self._ship(worker, digest)
                opened = await self._ask(worker, tasks.open_run, self.id, _json(self._order()))
                worker.cores, worker.room = int(about["cores"]), max(1, int(opened["matches"]))
        except _Unfit as error:
            worker.unfit = str(error)
            self._listener.notice(f"worker {worker.name} cannot play: {error}")
            self._look_for_hope()
            return
        except (TaskFailed, TimeoutError, KeyError, TypeError, ValueError) as error:
            worker.failures += 1
            log.warning("a worker could not be opened", worker=worker.name, why=str(error))
            worker.opening = asyncio.ensure_future(self._prepare(worker, self.patience.before(worker.failures)))
            return
        worker.pace = Pace(worker.cores)
        worker.ready = True
        self._listener.crew_changed()

    async def _ask(self, worker: RemoteWorker, function: Callable[..., Any], *words: Any) -> dict[str, Any]:
        value = json.loads(await self.connection.call(worker.address, function, *words))
        if not isinstance(value, dict):
            raise ValueError("it answered with something else")
        if "error" in value:
            raise _Unfit(str(value["error"])[:2000])
        return value

    def _check_version(self, about: dict[str, Any]) -> None:
        if about["referee"] != __version__:
            raise _Unfit(f"it has version {about['referee']} of the referee, and here is {__version__}")
        there, here = about["games"].get(self.run.game), registry.find(self.run.game).version
        if there != here:
            raise _Unfit(f"it has version {there or 'none'} of {self.run.game}, and here is {here}")

    async def _ship(self, worker: RemoteWorker, digest: str) -> None:
        data = next((bot.data for bot in self._packed.values() if bot.digest == digest), b"")
        for offset in range(0, len(data), PIECE):
            await self._ask(worker, tasks.take, digest, offset, data[offset : offset + PIECE])

    def _digests(self) -> list[str]:
        return sorted({bot.digest for bot in self._packed.values()} - {""})

    def _order(self) -> dict[str, Any]:
        run = self.run
        return {
            "bots": {name: {"text": bot.text, "digest": bot.digest} for name, bot in self._packed.items()},
            "seats": run.seats,
            "sandbox": run.sandbox,
            "build_network": run.build_network,
            "concurrency": run.concurrency,
            "fresh": run.fresh,
        }

    def _look_for_hope(self) -> None:
        """If no worker that is there can play, say so instead of waiting."""
        if self.workers and all(worker.unfit for worker in self.workers.values()):
            name, why = next((worker.name, worker.unfit) for worker in self.workers.values())
            self._listener.no_hope(f"no worker can play this tournament ({name}: {why})")


class _Unfit(Exception):
    """A worker cannot play this tournament: says why."""


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
