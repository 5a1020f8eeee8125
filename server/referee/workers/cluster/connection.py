"""The host's connection to a dask scheduler: which workers there are, tasks for one of them, and messages to it.

Tasks are tied to a worker that we choose: which machine has played which match must be known. They take and return
bytes. This is the only module of the host's side that talks to dask.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from referee.workers.cluster.addresses import ClusterAddress
from referee.workers.cluster.fence import fence
from referee.workers.cluster.lean_dask import make_lean
from referee.workers.cluster.reaching import CONNECT_SECONDS, Unreachable, reach

TELL_SECONDS = 20.0


class TaskFailed(Exception):
    """A task came to nothing: says how."""


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A worker as the scheduler knows it."""

    address: str
    name: str
    last_seen: float
    """By the scheduler's clock: it stands still while the worker is silent."""


class Connection:
    """A connection to a scheduler; `Unreachable` as soon as it does not answer."""

    def __init__(self, address: ClusterAddress) -> None:
        self.address = address
        self._client: Any = None
        self._dropped: set[asyncio.Future[None]] = set()

    async def open(self) -> None:
        make_lean()
        import dask
        from distributed import Client

        fence()
        await reach(self.address, "client")
        # We reconnect ourselves: dask would keep this client in a state of its own meanwhile.
        dask.config.set({"distributed.comm.timeouts.connect": CONNECT_SECONDS})
        try:
            self._client = await Client(
                str(self.address),
                asynchronous=True,
                security=self.address.security("client"),
                set_as_default=False,
                timeout=CONNECT_SECONDS,
                name="referee",
                direct_to_workers=False,
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise Unreachable(_said(error)) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(OSError, TimeoutError, RuntimeError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    await client.close(timeout=1)

    async def workers(self) -> list[SeenWorker]:
        """All workers of this scheduler."""
        if self._client is None or self._client.status != "running":
            raise Unreachable("the connection is lost")
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                about = await self._client.scheduler.identity(n_workers=-1)
        except (OSError, TimeoutError) as error:
            raise Unreachable(_said(error)) from None
        return [
            SeenWorker(address, str(worker["name"]), float(worker["last_seen"]))
            for address, worker in about["workers"].items()
            if worker["status"] == "running"
        ]

    async def call(self, worker: str, function: Callable[..., Any], *words: Any) -> bytes:
        """Have a worker run a function of `tasks.py`; TaskFailed if it does not return bytes."""
        client = self._client
        if client is None:
            raise TaskFailed("the connection is lost")
        future = client.submit(
            function,
            *words,
            key=f"referee-{function.__name__}-{uuid.uuid4().hex}",
            workers=[worker],
            allow_other_workers=False,
            retries=0,
            pure=False,
        )
        try:
            answer = await future
        except (asyncio.CancelledError, TimeoutError):
            self._drop(client, future)
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            raise TaskFailed("it was lost on the way") from None
        except Exception as error:  # noqa: BLE001 - whatever a worker did: its task has failed
            raise TaskFailed(_said(error)) from None
        finally:
            future.release()
        if not isinstance(answer, bytes):
            raise TaskFailed(f"it answered with {type(answer).__name__}, not with bytes")
        return answer

    async def tell(self, worker: str, function: Callable[..., Any], *words: Any) -> None:
        """Have a worker run a function beside its tasks; whether it arrives is not told."""
        client = self._client
        if client is None:
            return
        with suppress(Exception):  # a worker that is gone has nobody left who should hear it
            async with asyncio.timeout(TELL_SECONDS):
                await client.run(function, *words, workers=[worker], on_error="ignore")

    def _drop(self, client: Any, future: Any) -> None:
        """Take a task back; nobody waits for whether that was in time."""

        async def cancel() -> None:
            with suppress(Exception):
                await client.cancel([future], force=True)

        dropping = asyncio.ensure_future(cancel())
        self._dropped.add(dropping)
        dropping.add_done_callback(self._dropped.discard)


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
