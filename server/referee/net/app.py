"""The whole server: store, hall, services and wire, put together, started and stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog

from arena.v1 import admin_pb2, match_pb2, tournament_pb2
from referee.hall.hall import Hall
from referee.hall.house_player import HouseRoom
from referee.match.clock import TimeControl
from referee.net.admin_service import REVOKED, AdminService
from referee.net.director import Director
from referee.net.limits import Limits
from referee.net.lobby import Lobby
from referee.net.open_calls import Calls
from referee.net.people import People
from referee.net.play_service import PlayService
from referee.net.practice import Practice
from referee.net.server import Tls, Wire
from referee.net.watch_service import WatchService
from referee.store import BotKind, MatchState, Store, StoreError
from referee.threads import in_thread

log = structlog.get_logger()
REVOCATIONS_EVERY = 2.0


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How a server listens and plays."""

    listen: str = "127.0.0.1:7700"
    tls: Tls | None = None
    control: TimeControl = field(default_factory=TimeControl)
    concurrency: int = 256
    max_bots: int = 2000
    limits: Limits = field(default_factory=Limits)


class App:
    """A referee server. `start`, then `drain` and `stop`."""

    def __init__(self, store: Store, settings: ServerSettings) -> None:
        self.settings = settings
        self.store = store
        calls = Calls()
        self.hall = Hall(calls.queue_seconds)
        self.room = HouseRoom()
        self.people = People(store, self.room)
        self.play = PlayService(
            self.people.tokens, grace=settings.control.grace, max_bots=settings.max_bots, calls=calls
        )
        self.practice = Practice(store, self.hall)
        self.director = Director(store, self.people, self.hall, self.play, concurrency=settings.concurrency)
        self.play.lobby = Lobby(self.people, self.practice, settings.control, self.director.wants)
        self.address = ""
        self._watch = WatchService(store, self.director, self.hall, settings.limits)
        self._wire = Wire(
            [
                (match_pb2.DESCRIPTOR.services_by_name["MatchService"], self.play),
                (tournament_pb2.DESCRIPTOR.services_by_name["TournamentService"], self._watch),
                (
                    admin_pb2.DESCRIPTOR.services_by_name["AdminService"],
                    AdminService(store, self.people, self.play, self.practice, self.director, settings.control),
                ),
            ],
            calls,
            settings.limits,
        )
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def most_connections(self) -> int:
        """How many connections there may be at a time."""
        return self._wire.room

    @property
    def idle(self) -> bool:
        """Whether nobody plays and no tournament is about to go on."""
        return not self.hall.matches and not self.director.runners

    async def start(self) -> list[str]:
        """Listen and go on with what was interrupted; returns the tournaments that were."""
        loop = asyncio.get_running_loop()
        await in_thread(self._void_practice)  # before anybody can start another
        await self.people.tokens.refresh()  # whoever is registered is known from the first moment on
        self.address = await self._wire.start(self.settings.listen, self.settings.tls)
        self._tasks = [loop.create_task(self.hall.beat()), loop.create_task(self._watch_revocations())]
        return await self.director.resume_all()

    async def drain(self, say: Callable[[str], object]) -> None:
        """Take nothing new, wait for the running matches, say what is being waited for."""
        await self._wire.drain()
        stopping = asyncio.ensure_future(self.director.stop())
        self.play.drain("the server is stopping after the running matches; come back in a while")
        waited = ""
        while self.hall.matches or not stopping.done():
            count = len(self.hall.matches)
            text = f"waiting for {count} running match{'es' if count != 1 else ''} (Ctrl-C again stops at once)"
            if count and text != waited:
                say(text)
                waited = text
            empty = asyncio.ensure_future(self.hall.wait_empty())
            await asyncio.wait({stopping, empty}, timeout=1.0)
            empty.cancel()
        await self.practice.settle()

    async def stop(self) -> None:
        """Stop at once: running matches are interrupted and will be played again."""
        await self.director.abandon()
        self.play.close_all()
        await self._wire.stop(1.0)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._watch.close()
        self.room.close()

    def _void_practice(self) -> None:
        for match in self.store.matches.interrupted(None):
            self.store.matches.set_aside(match.id, MatchState.VOID, "the server was stopped")

    async def _watch_revocations(self) -> None:
        """Bots may be revoked by a command on the file: their streams end soon after."""
        known: dict[str, int | None] = {}
        while True:
            try:
                bots = await self.people.tokens.refresh()
            except StoreError as error:
                log.error("the bots could not be looked up", why=str(error))
                await asyncio.sleep(REVOCATIONS_EVERY)
                continue
            for bot in bots:
                if bot.kind is BotKind.REMOTE and (bot.revoked or known.get(bot.name, bot.rotated) != bot.rotated):
                    self.play.close(bot.name, REVOKED)
            known = {bot.name: bot.rotated for bot in bots}
            await asyncio.sleep(REVOCATIONS_EVERY)
