"""Pool of hosted bots in one worker: started when a match needs them, the longest idle stopped to make room.

A match gets all its bots at once or waits in a queue, without holding any. Bots go on running when their match is over.
If others need their slots, those that have been idle for the longest time are stopped (least recently used).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from referee.hall.house_player import HouseBotThread, HousePlayer
from referee.hosting.admission.process_slots import ProcessSlots
from referee.hosting.admission.starting import Overloaded
from referee.hosting.bot import folders
from referee.hosting.bot.spec import BotSpec, Kind
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending
from referee.rules.game import Seat
from referee.workers.bot_host import BotHost, HostedBot
from referee.workers.stderr_logs import StderrLogs

ARRIVAL_SECONDS = 30.0
"""How long a bot may take from its start to its hello, without what the machine keeps it waiting."""


class UnavailableBot:
    """Stands in for a bot that cannot be started."""

    wants_legal = False

    def __init__(self, name: str) -> None:
        self.name = name

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class SeatedBot(NamedTuple):
    """Who sits at a seat of a match."""

    player: Player
    why_not: str = ""
    """Why the bot itself could not be had: its seat is forfeited at once."""


class BotPool:
    """The bots of one `BotHost`. `await seat(names)` before a match, `leave(names)` after it."""

    def __init__(
        self,
        host: BotHost,
        specs: dict[str, BotSpec],
        house_thread: HouseBotThread,
        concurrency: int,
        slots: ProcessSlots,
    ) -> None:
        self._host = host
        self._specs = specs
        self._house_thread = house_thread
        self._concurrency = concurrency
        self._slots = slots
        self._house_players: dict[str, HousePlayer] = {}
        self._starting: dict[str, asyncio.Task[HostedBot]] = {}
        self._stopping: dict[str, asyncio.Task[None]] = {}
        self._in_slot: set[str] = set()
        """Bots that hold a slot."""
        self._tables: dict[str, int] = {}
        """In how many matches each bot is."""
        self._idle: dict[str, None] = {}
        """Bots that hold a slot and have no match, longest idle first."""
        self._told: set[str] = set()
        self.logs = StderrLogs()
        """What the bots write, per match."""

    async def seat(self, names: Sequence[str]) -> list[SeatedBot]:
        """The bots of a match, ready to sit down, or an UnavailableBot for one that cannot be had, with the reason.

        Overloaded if the machine could not start one of them; the match must not begin then.
        """
        hosted = hosted_of(names, self._specs)
        await self._slots.take(lambda: len(self._missing(hosted)), lambda short: self._make_room(short, hosted))
        self._in_slot.update(self._missing(hosted))
        for name in hosted:
            self._tables[name] = self._tables.get(name, 0) + 1
            self._idle.pop(name, None)
        coming = [asyncio.get_running_loop().create_task(self._player(name)) for name in names]
        try:
            return list(await asyncio.gather(*coming))
        except BaseException:  # one cannot be started, so the others need not be waited for
            for task in coming:
                task.cancel()
            self.leave(names)
            raise

    def leave(self, names: Sequence[str]) -> None:
        """A match of these bots is over."""
        for name in hosted_of(names, self._specs):
            self._tables[name] -= 1
            if self._tables[name] or name not in self._in_slot:
                continue
            if self._lives(name):
                self._idle[name] = None
            else:
                self._in_slot.discard(name)
                self._slots.free(1)
        self._slots.look_again()

    def rest(self, name: str) -> None:
        """Stop a bot that has no match; it is started again for its next one."""
        if name in self._idle:
            self._stop_idle(name)

    async def forget(self, name: str) -> None:
        """Stop a bot that has no match, and know nothing of it: another program may have its name then."""
        self.rest(name)
        if name in self._stopping:
            await asyncio.shield(self._stopping[name])
        self._starting.pop(name, None)
        self._told.discard(name)
        self._tables.pop(name, None)
        await self._host.dismiss(name)

    def last_lines(self, name: str) -> list[str]:
        """What a bot wrote last, to whichever match."""
        hosted = self._host.bots.get(name)
        return [] if hosted is None else hosted.process.stderr.lines()

    def benched(self) -> list[str]:
        """What there is to tell about bots that keep crashing, each once."""
        news = []
        for name, hosted in self._host.bots.items():
            if hosted.benched and name not in self._told:
                self._told.add(name)
                news.append(hosted.process.why_benched)
        return news

    def advice(self) -> list[str]:
        """What the authors of bots that have ended should do, where that can be told; `benched` tells it too."""
        bots = [(name, bot) for name, bot in self._host.bots.items() if bot.process.exits and not bot.benched]
        ended = [(name, bot.process.exits[-1]) for name, bot in bots]
        return [f"{name} {leaving.text}. {leaving.advice}." for name, leaving in ended if leaving.advice]

    def _missing(self, hosted: Sequence[str]) -> list[str]:
        """Bots that need a slot and have none; a benched bot needs none."""
        bots = self._host.bots
        return [name for name in hosted if name not in self._in_slot and not (name in bots and bots[name].benched)]

    def _make_room(self, short: int, wanted: Sequence[str]) -> None:
        for name in [name for name in self._idle if name not in wanted][: max(0, short - len(self._stopping))]:
            self._stop_idle(name)

    def _stop_idle(self, name: str) -> None:
        del self._idle[name]
        self._in_slot.discard(name)
        self._stopping[name] = asyncio.get_running_loop().create_task(self._stop(name))

    async def _stop(self, name: str) -> None:
        try:
            await self._host.bots[name].stop()
            await asyncio.wait({self._starting[name]})  # if it was just being started, that comes to nothing now
        finally:
            del self._starting[name], self._stopping[name]
            self._slots.free(1)

    def _lives(self, name: str) -> bool:
        """Whether a bot has a program, or will have one soon."""
        if name not in self._starting:
            return False
        coming = self._starting[name]
        if not coming.done():
            return True
        return not coming.cancelled() and coming.exception() is None and not coming.result().out

    async def _player(self, name: str) -> SeatedBot:
        spec = self._specs[name]
        if spec.kind is Kind.HOUSE:
            if name not in self._house_players:
                assert spec.folder is not None
                bot = folders.load(folders.read(spec.folder))  # not by its name, which a person may have chosen
                self._house_players[name] = HousePlayer(name, bot, self._house_thread)
            return SeatedBot(self._house_players[name])
        if name in self._stopping:  # it has just lost its slot, and has got another
            await asyncio.shield(self._stopping[name])
        if name not in self._starting:
            self._starting[name] = asyncio.get_running_loop().create_task(self._start(name))
        try:
            hosted = await asyncio.shield(self._starting[name])
        except Overloaded:
            self._starting.pop(name, None)
            raise
        except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is this bot's matter alone
            return SeatedBot(UnavailableBot(name), f"cannot be started: {error}")
        if await self._host.wait_ready(hosted, ARRIVAL_SECONDS):
            assert hosted.player is not None
            return SeatedBot(hosted.player)
        if hosted.benched:
            return SeatedBot(UnavailableBot(name), hosted.process.why_benched.splitlines()[0])
        return SeatedBot(UnavailableBot(name), f"was not there within {ARRIVAL_SECONDS:g} seconds of its start")

    async def _start(self, name: str) -> HostedBot:
        if (hosted := self._host.bots.get(name)) is None:
            return await self._host.host(
                self._specs[name],
                name=name,
                concurrency=self._concurrency,
                on_stderr=lambda data: self.logs.heard(name, data),
            )
        if not hosted.benched:
            await hosted.start()
        return hosted


def hosted_of(names: Sequence[str], specs: dict[str, BotSpec]) -> list[str]:
    """Those of some bots that run in processes of their own."""
    return [name for name in names if specs[name].kind is not Kind.HOUSE]
