"""A tournament's place on a worker machine: its bots unpacked and built, and the same worker processes as anywhere.

A `Site` lives in the event loop of a dask worker and plays what it is ordered through a `WorkersVenue`, as `referee
run` does on one machine: lag is credited, processes that die are replaced, what is too much waits. A site that nobody
has asked anything for a while closes itself with all its bots: whoever opened it may have died.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from referee import __version__
from referee.hosting.admission.capacity import cores_at_hand
from referee.hosting.bot.build import build
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.sandbox.bubblewrap import SandboxFailed, probe
from referee.rules import registry
from referee.rules.game import WrongUse
from referee.tournament.running.played import Played
from referee.workers.cluster.bot_cache import BotCache
from referee.workers.cluster.pace import TASK_SECONDS
from referee.workers.orders import fixture_of
from referee.workers.room import room_for
from referee.workers.worker_pool import Hosting, WorkersFailed, WorkersVenue

IDLE_SECONDS = 60.0


class Machine:
    """What a worker machine offers: cores, the sandbox if bots must be in one, and a cache of bots."""

    def __init__(self, cache: BotCache, cores: int | None = None, *, sandbox: bool = True) -> None:
        self.cache = cache
        self.cores = cores or cores_at_hand()
        self.sandbox = sandbox
        """Whether bots of others are shut in here, whatever is ordered."""
        self.sites: dict[str, Site] = {}
        self._closing: set[asyncio.Future[None]] = set()

    def about(self) -> dict[str, Any]:
        """What it tells about itself."""
        games = {name: registry.find(name).version for name in registry.names()}
        return {"referee": __version__, "games": games, "cores": self.cores, "no_sandbox": probe() or ""}

    async def open(self, run: str, order: dict[str, Any]) -> dict[str, Any]:
        """Prepare the bots of a run and start its workers; WrongUse or SandboxFailed if that cannot be."""
        await self.close(run)
        site = Site(self, order)
        try:
            await site.open()
        except BaseException:
            await site.close()
            raise
        self.sites[run] = site
        site.on_idle = partial(self._idle, run)
        return {"matches": site.matches}

    async def close(self, run: str) -> None:
        """End a run with all its bots."""
        site = self.sites.pop(run, None)
        if site is not None:
            await site.close()

    async def close_all(self) -> None:
        for run in list(self.sites):
            await self.close(run)
        await asyncio.gather(*self._closing)

    def _idle(self, run: str) -> None:
        closing = asyncio.ensure_future(self.close(run))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)


class Site:
    """The bots and worker processes of one run."""

    def __init__(self, machine: Machine, order: dict[str, Any]) -> None:
        self.matches = 1
        self.on_idle: Callable[[], object] = lambda: None
        self._machine = machine
        self._order = order
        self._venue: WorkersVenue | None = None
        self._cached: list[str] = []
        self._results: dict[str, Played] = {}
        """Played, and not yet announced."""
        self._running: dict[str, str] = {}
        """The matches that are being played, with their seeds."""
        self._ended: list[tuple[str, Played | None]] = []
        """Matches that are over, and not yet told."""
        self._enough = 0
        """With so few matches left it is time to tell."""
        self._time_to_tell = asyncio.Event()
        self._told = 0
        self._calls = 0
        self._idle: asyncio.TimerHandle | None = None

    async def open(self) -> None:
        order = self._order
        specs: dict[str, BotSpec] = {}
        here = Path(tempfile.gettempdir())
        for name, about in order["bots"].items():
            base = here
            if about["digest"]:
                base = await self._machine.cache.use(about["digest"], partial(self._build, name, about["text"]))
                self._cached.append(about["digest"])
            specs[name] = parse(about["text"], base)
            if not about["digest"] and specs[name].kind is not Kind.HOUSE:
                raise WrongUse(f"{name} is no house bot on this machine")
        sandbox = self._sandboxed(specs)
        room = room_for(
            list(specs.values()),
            order["seats"],
            workers=self._machine.cores,
            concurrency=order["concurrency"],
            fresh=order["fresh"],
        )
        self.matches = room.matches
        self._venue = WorkersVenue(Hosting(specs, sandbox, room.share, room.per_bot))
        self._venue.failed.add_done_callback(self._failed)
        await self._venue.open()
        self._rest()

    async def close(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        venue, self._venue = self._venue, None
        if venue is not None:
            self._give_up()
            await venue.close()
            if not venue.failed.done():
                venue.failed.cancel()
        self._machine.cache.leave(self._cached)
        self._cached = []

    async def play(self, orders: Sequence[dict[str, Any]]) -> bytes:
        """Begin matches, and tell of all that have ended since the last time: about a second later, or sooner if half
        of them are over. Lines: how many are left, news, and behind each result its record.
        """
        self._calls += 1
        try:
            for order in orders:
                self._begin(order)
            self._enough = len(self._running) // 2
            self._time_to_tell.clear()
            if len(self._running) > self._enough:
                with suppress(TimeoutError):
                    async with asyncio.timeout(TASK_SECONDS):
                        await self._time_to_tell.wait()
        finally:
            self._calls -= 1
            self._rest()
        ended, self._ended = self._ended, []
        said = [_line({"say": "left", "left": len(self._running)}), *self._news()]
        for match, played in ended:
            if played is None:
                said.append(_line({"say": "unplayed", "match": match}))
            else:
                said += [_line({"say": "played", "match": match, "played": played.to_value()}), played.record]
        return b"".join(said)

    def announce(self, matches: Sequence[str]) -> None:
        """These are stored: their bots may hear how they ended."""
        self._rest()
        for match in matches:
            if (played := self._results.pop(match, None)) is not None:
                played.announce()

    def break_off(self, matches: Sequence[str]) -> None:
        """End matches without a result."""
        if self._venue is not None:
            for match in matches:
                self._venue.break_off(match)

    def _begin(self, order: dict[str, Any]) -> None:
        match, seed = order["match"], order["seed"]
        if self._venue is None:
            self._ended.append((match, None))
        elif self._running.get(match) != seed:  # else the same order came twice
            self.announce([match])  # an earlier try whose result nobody has taken
            self._running[match] = seed
            self._venue.play(fixture_of(order), partial(self._over, match, seed))

    def _over(self, match: str, seed: str, played: Played | None) -> None:
        if self._running.get(match) != seed:
            return
        del self._running[match]
        if played is not None:
            self._results[match] = played
        self._ended.append((match, played))
        if len(self._running) <= self._enough:
            self._time_to_tell.set()

    def _give_up(self) -> None:
        """None of the matches that are being played will be played to its end here."""
        self._ended += [(match, None) for match in self._running]
        self._running.clear()
        self._time_to_tell.set()

    def _news(self) -> list[bytes]:
        """What was not told yet: notices, and that nothing can be played here any more."""
        venue = self._venue
        if venue is None:
            return [_line({"say": "closed"})]
        notices, self._told = venue.notices[self._told :], len(venue.notices)
        news = [_line({"say": "notice", "text": text}) for text in notices]
        if venue.failed.done() and (error := venue.failed.exception()) is not None:
            news.append(_line({"say": "failed", "why": str(error)}))
        return news

    def _failed(self, failed: asyncio.Future[None]) -> None:
        if not failed.cancelled() and isinstance(failed.exception(), WorkersFailed):
            self._give_up()

    async def _build(self, name: str, text: str, place: Path) -> None:
        spec = parse(text, place)
        if spec.build:
            shut_in = self._sandboxed({name: spec})
            await build([spec], shut_in=shut_in, network=self._order["build_network"])

    def _sandboxed(self, specs: dict[str, BotSpec]) -> bool:
        """Whether these bots are shut in; WrongUse if that is not wanted and this machine insists on it."""
        if all(spec.kind is Kind.HOUSE for spec in specs.values()):
            return False
        if not self._order["sandbox"]:
            if self._machine.sandbox:
                raise WrongUse("bots without a sandbox are not played here: 'referee worker --no-sandbox' allows it")
            return False
        if (missing := probe()) is not None:
            raise SandboxFailed(missing)
        return True

    def _rest(self) -> None:
        """Begin anew to count the time without an order."""
        if self._idle is not None:
            self._idle.cancel()
        if self._calls == 0 and self._venue is not None:
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, lambda: self.on_idle())


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
