"""One process of the server in a season: it ends, or dies and leaves everything as it is."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from referee.store import DiskFull, Store
from referee.store.connections import Connections

from ..simulation.virtual_time import Death, VirtualLoop
from ..simulation.writing import SimulatedWriter
from .checks import Broken
from .deeds import Evening
from .server import Server

if TYPE_CHECKING:
    from .season import Season


def live(season: Season, evening: Callable[[Evening], Any]) -> bool:
    """One process of the server from its start to its end; False if it has died."""
    loop = season.loop = VirtualLoop(season.now, season.chance, lambda: None)
    asyncio.set_event_loop(loop)
    store = Store.open(season.path, owner="server")
    writer = SimulatedWriter(store.writer, season.chance, lambda: None, errors=0.0, deaths=0.0)
    store.writer = writer
    connections = Connections(store._readers, writer, store._connections.now)
    for part in (store, *vars(store).values()):
        if hasattr(part, "_connections"):
            part._connections = connections
    server: Server | None = None

    async def serve() -> None:
        nonlocal server
        server = Server(store, season.content, str(season.seed), season.alarms.append)
        await server.start()
        for bot in season.bots.values():
            bot.server_is(server.connect)
        doing = asyncio.ensure_future(evening(Evening(season, server)))
        while not (doing.done() or server.failed.done()):
            writer._deaths = season.deadly
            await asyncio.wait({doing, server.failed}, timeout=1.0, return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            doing.result()
        else:
            raise server.failed.result()

    try:
        loop.run_until_complete(serve())
        return True
    except (Death, DiskFull):
        return False
    except RuntimeError as error:
        why = loop.failure or error
        if isinstance(why, Death) or (loop.failure is None and "stopped before Future completed" in str(error)):
            return False
        raise Broken(f"an error that was not expected: {why!r}") from why
    finally:
        season.now, season.loop = loop.time(), None
        for bot in season.bots.values():
            bot.wire = None
        if server is not None:
            server.competition.house_thread.close()
        _freeze(loop)
        asyncio.set_event_loop(None)
        store._readers.dispose()
        store._writing.dispose()
        if store._ownership is not None:
            store._ownership.release()  # as the operating system does


def _freeze(loop: VirtualLoop) -> None:
    """A process that died: nothing of it runs again, not even when memory is cleared away; so it is kept for good."""
    for dead in (loop, *asyncio.all_tasks(loop)):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(dead))
