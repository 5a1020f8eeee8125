"""Processes of a cluster: a worker on this machine, and a scheduler, until they are told to stop.

A worker that loses its scheduler waits for it and joins again. It is one process beside the worker processes in which
matches are played; no nanny watches it, a service manager can. Its cache of bots is a folder of its own that goes with
it; what killed workers have left is cleared away by the next one.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from referee.hosting.bot.build_copy import remove
from referee.workers.cluster import tasks
from referee.workers.cluster.addresses import ClusterAddress
from referee.workers.cluster.bot_cache import BotCache
from referee.workers.cluster.lean_dask import make_lean
from referee.workers.cluster.reaching import CONNECT_SECONDS, Mistaken, Unreachable, reach
from referee.workers.cluster.site import Machine

PREFIX = "referee-cluster-"
AT_ONCE = 16
"""Tasks that dask lets a worker run at once: the host bounds what it gives, and most of a task is waiting."""
WORKER_TTL = 60.0
"""Seconds after which the scheduler forgets a worker that is silent."""
AGAIN_SECONDS = (0.5, 1.0, 2.0, 5.0)


async def serve_worker(
    address: ClusterAddress, machine: Machine, name: str, stopped: asyncio.Event, told: Callable[[str], object]
) -> None:
    """Play what the scheduler gives, until `stopped` is set; `told` hears when it is connected, and when not.

    Mistaken if a first connection cannot be had by waiting. Later it is waited for all the same: a network may be ill.
    """
    make_lean()
    from distributed import Worker

    tasks.machine = machine
    host = await _own_address(address, told, stopped)
    tries, connected, why = 0, False, ""
    try:
        while not stopped.is_set():
            try:
                await reach(address, "worker", patience=0)
                worker: Any = await Worker(
                    str(address),
                    name=name,
                    nthreads=AT_ONCE,
                    host=host,
                    protocol=address.scheme,
                    security=address.security("worker"),
                    memory_limit=0,
                    local_directory=str(machine.cache.folder.parent),
                    dashboard=False,
                    dashboard_address="127.0.0.1:0",
                    death_timeout=CONNECT_SECONDS,
                )
            except (Unreachable, OSError, TimeoutError, ValueError, RuntimeError) as error:
                if isinstance(error, Mistaken) and not connected:
                    raise
                if tries == 0 or (isinstance(error, Mistaken) and why != str(error)):
                    told(f"the scheduler {address} does not answer ({_said(error)}): waiting for it")
                why = str(error)
                await _unless(stopped, AGAIN_SECONDS[min(tries, len(AGAIN_SECONDS) - 1)])
                tries += 1
                continue
            tries, connected = 0, True
            told(f"worker {name} plays for {address}: {machine.cores} cores")
            await _first(stopped.wait(), worker.finished())
            with suppress(OSError, TimeoutError):
                await worker.close(timeout=2)
            await machine.close_all()
            if not stopped.is_set():
                told(f"the connection to {address} is lost: waiting for it")
                tries = 1
    finally:
        await machine.close_all()
        tasks.machine = None


async def serve_scheduler(address: ClusterAddress, stopped: asyncio.Event, told: Callable[[str], object]) -> None:
    """Schedule until `stopped` is set; OSError if the address cannot be had."""
    make_lean()
    import dask
    from distributed import Scheduler

    # What a bot plays must not be given to others because it is quicker to copy: we choose workers ourselves.
    off = ("work-stealing", "active-memory-manager.start")
    dask.config.set({f"distributed.scheduler.{name}": False for name in off})
    async with Scheduler(
        host=address.host,
        port=address.port,
        protocol=address.scheme,
        security=address.security("scheduler"),
        dashboard=False,
        dashboard_address="127.0.0.1:0",
        worker_ttl=WORKER_TTL,
    ) as scheduler:
        told(f"scheduler listens on {scheduler.address}")
        await stopped.wait()


@contextmanager
def cache_folder() -> Iterator[Path]:
    """A folder for bots and for dask, closed to other users of this machine but passable for bots; it is removed."""
    place = Path(tempfile.gettempdir())
    _clear_away(place)
    outer = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
    lock = os.open(outer, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (outer / "bots").mkdir(mode=0o755)
        yield outer / "bots"
    finally:
        remove(outer)
        os.close(lock)


def cache_in(folder: Path, most: int) -> BotCache:
    return BotCache(folder, most)


def _clear_away(place: Path) -> None:
    """Remove the folders of workers that were killed: those of this user that no process holds locked."""
    for path in place.glob(f"{PREFIX}*"):
        try:
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)
        except OSError:  # its worker lives
            continue
        finally:
            os.close(lock)


async def _own_address(address: ClusterAddress, told: Callable[[str], object], stopped: asyncio.Event) -> str:
    """The address of this machine on the way to the scheduler: others reach it there, and only there."""
    tries = 0
    while True:
        try:
            found = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, target = found[0]
            with socket.socket(family, kind, protocol) as way:
                way.connect(target)
                return str(way.getsockname()[0])
        except socket.gaierror:
            raise Unreachable(f"there is no host {address.host}") from None
        except OSError as error:
            if tries == 0:
                told(f"there is no way to {address} ({error.strerror}): waiting for it")
            tries += 1
            await _unless(stopped, AGAIN_SECONDS[-1])
            if stopped.is_set():
                raise Unreachable(f"there is no way to {address}") from None


async def _unless(stopped: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stopped.wait()


async def _first(*waiting: Any) -> None:
    waits = [asyncio.ensure_future(one) for one in waiting]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for one in waits:
            one.cancel()


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
