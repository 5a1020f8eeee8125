"""The hosted bots of one worker: started when a match needs them, stopped when another match needs their place.

A match gets all its bots at once or waits in line, without holding any. Bots stay when their match is over; if there is
no place for others, those that have been without a match for the longest time are stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from referee.hall.house_player import HousePlayer, HouseRoom
from referee.hosting.admission.places import Places
from referee.hosting.admission.starting import Overloaded
from referee.hosting.bot import folders
from referee.hosting.bot.spec import BotSpec, Kind
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending
from referee.rules.game import Seat
from referee.workers.bot_host import Guest, Guesthouse

ARRIVAL_SECONDS = 30.0
"""How long a bot may take from its start to its hello, without what the machine keeps it waiting."""


class Absentee:
    """Sits in for a bot that cannot be had; its seat is forfeited at once."""

    wants_legal = False

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class Lodgings:
    """The bots of one guesthouse. `await seat(names)` before a match, `leave(names)` after it."""

    def __init__(
        self, house: Guesthouse, specs: dict[str, BotSpec], room: HouseRoom, concurrency: int, places: Places
    ) -> None:
        self._house = house
        self._specs = specs
        self._room = room
        self._concurrency = concurrency
        self._places = places
        self._inside: dict[str, HousePlayer] = {}
        self._coming: dict[str, asyncio.Task[Guest]] = {}
        self._going: dict[str, asyncio.Task[None]] = {}
        self._housed: set[str] = set()
        """Who has a place."""
        self._tables: dict[str, int] = {}
        """In how many matches each is."""
        self._idle: dict[str, None] = {}
        """Who has a place and no match, longest first."""
        self._told: set[str] = set()

    async def seat(self, names: Sequence[str]) -> list[Player]:
        """The bots of a match, ready to sit down, each an Absentee that says why if it cannot be had.

        Overloaded if the machine could not start one of them; nobody is to be seated then.
        """
        hosted = hosted_of(names, self._specs)
        await self._places.take(lambda: len(self._missing(hosted)), lambda short: self._make_room(short, hosted))
        self._housed.update(self._missing(hosted))
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
            if self._tables[name] or name not in self._housed:
                continue
            if self._lives(name):
                self._idle[name] = None
            else:
                self._housed.discard(name)
                self._places.free(1)
        self._places.look_again()

    def benched(self) -> list[str]:
        """What there is to tell about bots that keep crashing, each once."""
        news = []
        for name, guest in self._house.guests.items():
            if guest.benched and name not in self._told:
                self._told.add(name)
                news.append(guest.process.why_benched)
        return news

    def _missing(self, hosted: Sequence[str]) -> list[str]:
        """Those that need a place and have none; a benched bot needs none."""
        guests = self._house.guests
        return [name for name in hosted if name not in self._housed and not (name in guests and guests[name].benched)]

    def _make_room(self, short: int, wanted: Sequence[str]) -> None:
        for name in [name for name in self._idle if name not in wanted][: max(0, short - len(self._going))]:
            del self._idle[name]
            self._housed.discard(name)
            self._going[name] = asyncio.get_running_loop().create_task(self._stop(name))

    async def _stop(self, name: str) -> None:
        try:
            await self._house.guests[name].stop()
            await asyncio.wait({self._coming[name]})  # if it was just being started, that comes to nothing now
        finally:
            del self._coming[name], self._going[name]
            self._places.free(1)

    def _lives(self, name: str) -> bool:
        """Whether a bot has a program, or will have one soon."""
        if name not in self._coming:
            return False
        coming = self._coming[name]
        if not coming.done():
            return True
        return not coming.cancelled() and coming.exception() is None and not coming.result().out

    async def _player(self, name: str) -> Player:
        spec = self._specs[name]
        if spec.kind is Kind.HOUSE:
            if name not in self._inside:
                self._inside[name] = HousePlayer(name, folders.load(folders.find(spec.name)), self._room)
            return self._inside[name]
        if name in self._going:  # it has just lost its place, and has got another
            await asyncio.shield(self._going[name])
        if name not in self._coming:
            self._coming[name] = asyncio.get_running_loop().create_task(self._start(name))
        try:
            guest = await asyncio.shield(self._coming[name])
        except Overloaded:
            self._coming.pop(name, None)
            raise
        except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is this bot's matter alone
            return Absentee(name, f"cannot be started: {error}")
        if await self._house.arrive(guest, ARRIVAL_SECONDS):
            assert guest.player is not None
            return guest.player
        if guest.benched:
            return Absentee(name, guest.process.why_benched.splitlines()[0])
        return Absentee(name, f"was not there within {ARRIVAL_SECONDS:g} seconds of its start")

    async def _start(self, name: str) -> Guest:
        if (guest := self._house.guests.get(name)) is None:
            return await self._house.host(self._specs[name], name=name, concurrency=self._concurrency)
        if not guest.benched:
            await guest.start()
        return guest


def hosted_of(names: Sequence[str], specs: dict[str, BotSpec]) -> list[str]:
    """Those of some bots that run in processes of their own."""
    return [name for name in names if specs[name].kind is not Kind.HOUSE]
