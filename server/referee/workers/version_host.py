"""Host of submitted bots in a server: each is started when a match needs it, stopped when idle, exchanged when new.

A bot has one program at a time. When another version becomes active, no match begins until those of the former version
are over; then its process ends and the new one is started with the next match. A bot that keeps crashing forfeits its
matches, and gets another chance after a while. All programs run in the sandbox, in processes of their own.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from referee.hall.hall import Hall
from referee.hall.hosted_bots import HostedSeat, Unseated
from referee.hall.house_player import HouseBotThread
from referee.hosting.admission.capacity import of_this_machine
from referee.hosting.admission.process_slots import ProcessSlots
from referee.hosting.admission.starting import Overloaded, StartQueue
from referee.hosting.bot.spec import BotSpec, parse
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxLimits
from referee.hosting.sandbox.launch import USUAL_MEMORY, Launcher
from referee.match.seat_log import SeatLog
from referee.rules.game import WrongUse
from referee.workers.bot_host import BotHost
from referee.workers.bot_pool import BotPool

log = structlog.get_logger()
LOOK_SECONDS = 1.0
BENCH_SECONDS = 300.0
"""How long a bot that kept crashing forfeits its matches before it is started again."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What submitted bots may use."""

    idle: float = 60.0
    """Seconds without a match after which a bot is stopped."""
    per_bot: int = 16
    """Matches that one bot plays at once."""
    memory: int = USUAL_MEMORY
    """Bytes that one bot may use."""
    at_once: int = 0
    """Bots that run at once; 0: as many as the machine holds."""


@dataclass(frozen=True, slots=True)
class _Version:
    number: int
    spec: BotSpec | None
    """None: its files are missing, or no bot."""


class VersionHost:
    """The submitted bots of one server. It is a `VersionHosting`."""

    def __init__(
        self,
        hall: Hall,
        house_thread: HouseBotThread,
        settings: HostSettings | None = None,
        launcher: Launcher | None = None,
    ) -> None:
        self._settings = settings or HostSettings()
        capacity = of_this_machine([], fresh=False)
        launcher = launcher or Sandbox(SandboxLimits(memory=self._settings.memory))
        self._host = BotHost(launcher, hall, StartQueue(capacity.starting))
        self._specs: dict[str, BotSpec] = {}
        slots = ProcessSlots(self._settings.at_once or capacity.running)
        self._pool = BotPool(self._host, self._specs, house_thread, self._settings.per_bot, slots)
        self._wanted: dict[str, _Version] = {}
        """What should play, by the name of the bot."""
        self._installed: dict[str, _Version] = {}
        """What the pool knows under that name."""
        self._exchanging: dict[str, asyncio.Task[None]] = {}
        self._tables: dict[str, list[str]] = {}
        """The hosted bots of each match, from the moment at which they are held for it."""
        self._held: Counter[str] = Counter()
        """In how many of these each bot is."""
        self._seated: set[str] = set()
        """Matches whose bots are there."""
        self._matches: Counter[str] = Counter()
        """In how many of these each bot is, or is being started for."""
        self._idle_since: dict[str, float] = {}
        self._benched_since: dict[str, float] = {}
        self._calls: list[Callable[[], object]] = []
        self._looking: asyncio.Task[None] | None = None

    async def open(self) -> None:
        await self._host.__aenter__()
        self._looking = asyncio.get_running_loop().create_task(self._look())

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            for task in self._exchanging.values():
                task.cancel()
            await asyncio.gather(self._looking, *self._exchanging.values(), return_exceptions=True)
            await self._host.__aexit__(None, None, None)
            self._looking = None

    # Which version plays.

    def put(self, bot: str, version: int, folder: Path | None) -> None:
        spec = None
        if folder is not None:
            try:
                spec = replace(parse(str(folder), folder), name=bot, names=(bot,))
            except WrongUse as error:
                log.error("a submitted bot cannot be started", bot=bot, version=version, why=str(error))
        self._wanted[bot] = _Version(version, spec)
        self._exchange(bot)

    def take_back(self, bot: str) -> None:
        self._wanted.pop(bot, None)
        self._exchange(bot)

    def version(self, bot: str) -> int | None:
        return self._wanted[bot].number if bot in self._wanted else None

    def plays(self, bot: str, game: str) -> bool:
        spec = self._wanted[bot].spec if bot in self._wanted else None
        return spec is not None and (not game or spec.plays(game))

    def free(self, bot: str) -> int:
        return self._settings.per_bot - self._held[bot] if self._ready(bot) else 0

    def busy(self, bot: str) -> bool:
        return self._matches[bot] > 0

    def running(self) -> list[str]:
        """The bots whose programs run, or are being started."""
        return [name for name, hosted in self._host.bots.items() if not hosted.out]

    # Matches.

    def hold(self, match: str, hosted: Sequence[str]) -> None:
        self._tables[match] = list(hosted)
        self._held.update(hosted)

    async def seat(self, match: str, bots: Sequence[str], decisions: Callable[[], int]) -> dict[str, HostedSeat]:
        hosted = self._tables[match]
        for name in hosted:
            if not self._ready(name):
                raise Unseated(f"another version of {name} becomes active")
        versions = {name: self._wanted[name].number for name in hosted}
        for name in hosted:
            self._matches[name] += 1
            self._idle_since.pop(name, None)
        try:
            seated = await self._pool.seat(hosted)
        except BaseException as error:
            self._end(hosted)
            if isinstance(error, Overloaded):
                raise Unseated(str(error)) from None
            raise
        for why in self._pool.benched():
            log.warning("a submitted bot keeps crashing and forfeits its matches for a while", why=why.splitlines()[0])
        self._seated.add(match)
        self._pool.logs.opened(match, bots, decisions)
        for player, why_not in seated:
            if why_not:
                self._pool.logs.noted(match, player.name, self._pool.last_lines(player.name))
        return {
            name: HostedSeat(player, versions[name], why_not)
            for name, (player, why_not) in zip(hosted, seated, strict=True)
        }

    def logs(self, match: str) -> tuple[SeatLog, ...]:
        return self._pool.logs.closed(match)

    def leave(self, match: str) -> None:
        hosted = self._tables.pop(match, ())
        self._held.subtract(hosted)
        if match in self._seated:
            self._seated.discard(match)
            self._pool.leave(hosted)
            self._pool.logs.closed(match)  # of one that has not begun
            self._end(hosted)
        self._changed()

    def benched(self) -> Collection[str]:
        return tuple(self._benched_since)

    def on_change(self, call: Callable[[], object]) -> None:
        self._calls.append(call)

    def forget(self, call: Callable[[], object]) -> None:
        self._calls.remove(call)

    def _end(self, hosted: Sequence[str]) -> None:
        for name in hosted:
            self._matches[name] -= 1
            if not self._matches[name]:
                del self._matches[name]
                self._idle_since[name] = time.monotonic()
                self._exchange(name)
        self._changed()

    def _ready(self, bot: str) -> bool:
        """Whether the pool has the version that should play, and nothing else is going on with it."""
        wanted = self._wanted.get(bot)
        return wanted is not None and wanted.spec is not None and self._installed.get(bot) is wanted

    def _exchange(self, bot: str) -> None:
        """Have the pool know the version that should play, as soon as no match is in the way."""
        if self._matches[bot] or bot in self._exchanging or self._installed.get(bot) is self._wanted.get(bot):
            self._changed()
            return
        if bot not in self._installed:
            self._install(bot)
            return
        self._start_anew(bot)

    def _start_anew(self, bot: str) -> None:
        task = asyncio.get_running_loop().create_task(self._replace(bot))
        self._exchanging[bot] = task

    async def _replace(self, bot: str) -> None:
        self._installed.pop(bot, None)
        try:
            await self._pool.forget(bot)
        finally:
            del self._exchanging[bot]
            self._specs.pop(bot, None)
            for known in (self._idle_since, self._benched_since):
                known.pop(bot, None)
            self._install(bot)

    def _install(self, bot: str) -> None:
        wanted = self._wanted.get(bot)
        if wanted is not None:
            self._installed[bot] = wanted
            if wanted.spec is not None:
                self._specs[bot] = wanted.spec
        self._changed()

    async def _look(self) -> None:
        """Stop bots that have been idle for long enough, and give benched ones another chance."""
        while True:
            await asyncio.sleep(min(LOOK_SECONDS, self._settings.idle))
            now = time.monotonic()
            for name, since in list(self._idle_since.items()):
                if now - since >= self._settings.idle:
                    del self._idle_since[name]
                    self._pool.rest(name)
            for name, hosted in list(self._host.bots.items()):
                if not hosted.benched:
                    self._benched_since.pop(name, None)
                    continue
                rested = now - self._benched_since.setdefault(name, now) >= BENCH_SECONDS
                if rested and not self._matches[name] and name not in self._exchanging:
                    self._start_anew(name)

    def _changed(self) -> None:
        for call in list(self._calls):
            call()
