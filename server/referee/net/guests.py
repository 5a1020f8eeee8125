"""Hosted bots at the tables of one worker: programs that the referee starts itself, whatever they speak."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from pathlib import Path

import structlog

from referee.hosting import folders
from referee.hosting.process import BotProcess, Condition, Exit
from referee.hosting.quarters import Link, Quarters
from referee.hosting.spec import BotSpec, Kind
from referee.hosting.stdio_player import StdioPlayer
from referee.match.ending import Ending, Termination
from referee.match.match import Match
from referee.match.port import Player, Question, Rejected
from referee.net.house import HousePlayer, HouseRoom
from referee.net.play import PlayService
from referee.rules.game import Seat

log = structlog.get_logger()
ARRIVAL_SECONDS = 30.0
"""How long a bot may take from its start to its hello."""


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


class Guestbook:
    """Which token belongs to which hosted bot: the roster of a worker's private socket."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def admit(self, name: str) -> str:
        """A token for this bot."""
        token = secrets.token_hex(32)
        self._names[token] = name
        return token

    async def authenticate(self, token: str) -> str | None:
        return self._names.get(token)


class Guest:
    """One hosted bot: started when it is first needed, kept for many matches."""

    def __init__(
        self,
        name: str,
        spec: BotSpec,
        quarters: Quarters,
        play: PlayService,
        book: Guestbook,
        socket: Path,
        room: HouseRoom,
        concurrency: int,
    ) -> None:
        self.name = name
        self.spec = spec
        self.process: BotProcess | None = None
        self.on_bench: Callable[[str, str], object] = lambda name, why: None
        self._play = play
        self._room = room
        self._house: HousePlayer | None = None
        self._stdio: StdioPlayer | None = None
        self._starting: asyncio.Task[None] | None = None
        self._why = ""
        if spec.kind is Kind.HOUSE:
            self._house = HousePlayer(name, folders.load(folders.find(spec.name)), room)
            return
        if spec.kind is Kind.STDIO:
            self._stdio = StdioPlayer(spec, quarters, name=name, concurrency=concurrency)
            self.process = self._stdio.process
            self._stdio.on_change = self._stdio_changed
            return
        self.process = BotProcess(spec, quarters, Link(socket, book.admit(name), name, concurrency))
        self.process.on_exit = self._exited
        self.process.on_bench = self._benched

    async def player(self) -> Player:
        """The bot, ready to sit down; an Absentee that says why, if it cannot be had."""
        if self._house is not None:
            return self._house
        if self._starting is None:
            self._starting = asyncio.get_running_loop().create_task(self._start())
        await asyncio.shield(self._starting)
        loop = asyncio.get_running_loop()
        until = loop.time() + ARRIVAL_SECONDS
        while not self._why:
            if (there := self._there()) is not None:
                return there
            if loop.time() > until:
                return Absentee(self.name, f"was not there within {ARRIVAL_SECONDS:g} seconds of its start")
            await asyncio.sleep(0.01)
        return Absentee(self.name, self._why)

    def _there(self) -> Player | None:
        """The bot, if its program runs and has said hello."""
        if self._stdio is not None:
            return self._stdio if self._stdio.process.condition is Condition.RUNNING else None
        session = self._play.sessions.get(self.name)
        return session if session is not None and session.connected else None

    async def stop(self) -> None:
        if self._stdio is not None:
            await self._stdio.stop()
        elif self.process is not None:
            await self.process.stop()

    async def _start(self) -> None:
        assert self.process is not None
        try:
            await (self.process if self._stdio is None else self._stdio).start()
        except Exception as error:  # noqa: BLE001 - whatever keeps it from starting, it is this bot's matter alone
            self._benched(f"{self.name} cannot be started: {error}")

    def _stdio_changed(self) -> None:
        if self._stdio is not None and self._stdio.benched and not self._why:
            self._benched(self._stdio.process.why_benched)

    def _benched(self, why: str) -> None:
        self._why = why.splitlines()[0]
        self.on_bench(self.name, why)

    def _exited(self, leaving: Exit) -> None:
        """The program is gone: its matches are forfeited, not kept waiting for a reconnect."""
        session = self._play.sessions.get(self.name)
        if session is None or (self.process is not None and self.process.condition is Condition.STOPPED):
            return
        words = leaving.last_lines.strip().splitlines()
        text = f"the bot's program {leaving.text}" + (f": {words[-1].strip()}" if words else "")
        for match, seat in list(session.seats.values()):
            match.forfeit(seat, Termination.CRASH, text[:300])
