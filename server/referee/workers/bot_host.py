"""Hosted bots: programs on this machine that play through a unix socket (SDK) or through pipes (JSON lines).

A `Guesthouse` is one place to play: a hall, the play service on a socket in a folder of its own, and bots put up in
their quarters. Each bot is a `Guest`: its program, and the `Player` it is at the tables. A program that ends forfeits
its matches at once (CRASH): nobody waits for a bot that is known to be gone.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from arena.v1 import match_pb2
from referee.hall.hall import Hall
from referee.hall.presence import ConnectedBot, Presence
from referee.hosting.admission.capacity import cores_at_hand
from referee.hosting.admission.starting import OVERLOADED_SECONDS, Arrival, Overloaded, Starts
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.lines.player import StdioPlayer
from referee.hosting.process.bot_process import SHORT_OF, BotProcess, Condition, Exit, Patience
from referee.hosting.sandbox.launch import Link, Quarters
from referee.match.player import Player
from referee.match.result import Termination
from referee.net.listener import Wire
from referee.net.play_service import PlayService

USUAL_CONCURRENCY = 64
PREFIX = "referee-"
STALE_SECONDS = 60.0
SHORT_PLACE = Path("/tmp")
LONGEST_PLACE = 70
"""Bytes: with the folder and the socket in it, the kernel takes little more than a hundred."""


class Tokens:
    """Who may play here: names by token, made for this run. It is an `Authenticator`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def admit(self, name: str) -> str:
        """A new token for a bot."""
        token = secrets.token_hex(16)
        self._names[token] = name
        return token

    async def authenticate(self, token: str, peer: str) -> str | None:
        return self._names.get(token)


class Guest:
    """A bot that connects with an SDK, or talks over pipes, and the program behind it."""

    def __init__(
        self, name: str, spec: BotSpec, process: BotProcess, starts: Starts, pipes: StdioPlayer | None = None
    ) -> None:
        self.name = name
        self.spec = spec
        self.process = process
        self.on_change: Callable[[], object] = lambda: None
        """Called when it came, went, was benched or has become free."""
        self.waiting: set[asyncio.Event] = set()
        """Set at every change, and at every look while it is not there, for those who wait for it."""
        self._pipes = pipes
        self._presence: Presence | None = None
        self.arrival = Arrival(process, starts, lambda: self.player is not None, says_hello=pipes is None)
        self.arrival.on_look = self._wake
        if pipes is not None:
            pipes.on_change = self._changed

    @property
    def player(self) -> Player | None:
        """Who sits down at a table; None while the bot is not there."""
        if self.process.condition is not Condition.RUNNING:
            return None
        return self.session if self._pipes is None else self._pipes

    @property
    def session(self) -> ConnectedBot | None:
        """Its stream, if it plays with an SDK and is connected."""
        return self._presence.find(self.name) if self._presence is not None else None

    @property
    def free(self) -> int:
        """How many more matches it takes now."""
        if self._pipes is not None:
            return self._pipes.free
        return self.session.free if self.session is not None else 0

    @property
    def benched(self) -> bool:
        return self.process.condition is Condition.BENCHED

    @property
    def out(self) -> bool:
        """Whether it will not come by itself."""
        return self.process.condition in (Condition.BENCHED, Condition.STOPPED)

    async def start(self) -> None:
        """Start its program when its turn comes; Overloaded if the machine cannot."""
        try:
            await self.process.start()
        except BaseException as error:
            self.arrival.close()
            if isinstance(error, OSError) and error.errno in SHORT_OF:
                raise Overloaded(f"{self.name} could not be started: {error.strerror}") from None
            raise

    async def stop(self) -> None:
        """End its program; it can be started again."""
        self.arrival.close()
        await self.process.stop()

    def watch(self, presence: Presence) -> None:
        """Blame a crash of the program on its matches."""
        self._presence = presence
        self.process.on_exit = self._exited
        self.process.on_bench = lambda text: self._changed()
        presence.on_change(self._changed)

    def _exited(self, leaving: Exit) -> None:
        assert self._presence is not None
        bot = self._presence.bots.get(self.name)  # also one whose stream has ended already: its matches wait for it
        if bot is not None:
            for match, seat in list(bot.seats.values()):
                match.forfeit(seat, Termination.CRASH, f"the bot {leaving.text}")
        self._changed()

    def _changed(self) -> None:
        self.arrival.changed()
        self._wake()
        self.on_change()

    def _wake(self) -> None:
        for event in self.waiting:
            event.set()


class Guesthouse:
    """A place to play for hosted bots. `async with Guesthouse(quarters) as house: await house.host(spec)`."""

    def __init__(self, quarters: Quarters, hall: Hall | None = None, starts: Starts | None = None) -> None:
        """`starts` bounds how many bots start at once, here and in other houses that share it; usually one per core."""
        self.hall = hall or Hall()
        self.guests: dict[str, Guest] = {}
        self._quarters = quarters
        self._starts = starts or Starts(cores_at_hand())
        self._tokens = Tokens()
        self.presence = Presence()
        self.play = PlayService(self._tokens, self.presence)
        service = match_pb2.DESCRIPTOR.services_by_name["MatchService"]
        self._wire = Wire([(service, self.play)])
        self._beat: asyncio.Task[None] | None = None
        self._own_hall = hall is None
        self._folder: Path | None = None

    async def __aenter__(self) -> Self:
        place = short_place()
        clear_away(place)
        # Closed to everybody else on this machine.
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))
        try:
            await self._wire.start(f"unix:{self.socket}")
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        if self._own_hall:
            self._beat = asyncio.get_running_loop().create_task(self.hall.beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        closing = asyncio.ensure_future(self._close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:  # whoever is in a hurry waits all the same: nothing may be left behind
            await closing
            raise

    async def _close(self) -> None:
        await asyncio.gather(*(guest.stop() for guest in self.guests.values()))
        self.play.close_all()
        await self._wire.stop(0.2)
        if self._beat is not None:
            self._beat.cancel()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def socket(self) -> Path:
        assert self._folder is not None
        return self._folder / "socket"

    def admit(self, name: str) -> str:
        """A token for a bot that is started elsewhere and connects to the socket."""
        return self._tokens.admit(name)

    async def host(
        self,
        spec: BotSpec,
        *,
        name: str = "",
        concurrency: int = USUAL_CONCURRENCY,
        patience: Patience | None = None,
        quarters: Quarters | None = None,
    ) -> Guest:
        """Start a bot, built before if it has to be; it is there once `guest.player` is (see `arrive`)."""
        name = name or spec.name
        quarters = quarters or self._quarters
        if spec.kind is Kind.STDIO:
            pipes = StdioPlayer(spec, quarters, name=name, concurrency=concurrency, patience=patience)
            guest = Guest(name, spec, pipes.process, self._starts, pipes)
        else:
            link = Link(self.socket, self.admit(name), name, concurrency)
            guest = Guest(name, spec, BotProcess(spec, quarters, link, patience=patience), self._starts)
            guest.watch(self.presence)
        self.guests[name] = guest
        await guest.start()
        return guest

    async def arrive(self, guest: Guest, seconds: float = 30.0) -> bool:
        """Wait for a bot to be there; False if it is out, or was not there although it had so many seconds.

        Overloaded if the machine kept it from its start for so long that it cannot be said whether it would have come.
        """
        changed = asyncio.Event()
        guest.waiting.add(changed)
        before = guest.arrival.passed
        guest.arrival.changed()
        try:
            while guest.player is None and not guest.out and guest.arrival.had < seconds:
                if (passed := guest.arrival.passed - before) >= max(OVERLOADED_SECONDS, seconds):
                    raise Overloaded(
                        f"{guest.name} was not there after {passed:.0f} seconds, "
                        f"of which the machine left it {guest.arrival.had:.0f}"
                    )
                changed.clear()
                await changed.wait()
        finally:
            guest.waiting.discard(changed)
        return guest.player is not None


def short_place() -> Path:
    """Where temporary folders go; the usual place, unless its path is too long for the address of a unix socket."""
    usual = Path(tempfile.gettempdir())
    return usual if len(os.fsencode(usual)) <= LONGEST_PLACE or not SHORT_PLACE.is_dir() else SHORT_PLACE


def clear_away(place: Path) -> None:
    """Remove the folders of guesthouses that were killed: those of ours whose socket nobody listens to any more."""
    for path in place.glob(f"{PREFIX}*/socket"):
        try:
            about = path.stat()
            if about.st_uid != os.getuid() or time.time() - about.st_mtime < STALE_SECONDS:
                continue
            with socket.socket(socket.AF_UNIX) as knock:
                knock.settimeout(1)
                knock.connect(str(path))
        except ConnectionRefusedError:
            shutil.rmtree(path.parent, ignore_errors=True)
        except OSError:  # gone meanwhile, or not for us to know
            continue
