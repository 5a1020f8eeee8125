"""Hosted bots: programs on this machine that play through a unix socket (SDK) or through pipes (JSON lines).

A `BotHost` has a hall, the play service on a socket in a folder of its own, and the bots that it has started. Each bot
is a `HostedBot`: its process, and the `Player` that takes its seat at tables. A program that ends forfeits its matches
at once (CRASH): no match waits for a bot that is known to be gone.
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
from referee.hosting.admission.starting import OVERLOADED_SECONDS, Overloaded, StartQueue, Startup
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.lines.player import StdioPlayer
from referee.hosting.process.bot_process import SHORT_OF, BotProcess, Condition, Exit, RestartPolicy
from referee.hosting.sandbox.launch import Launcher, Link
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


class RunTokens:
    """Tokens of this run, with the name of the bot for each. It is an `Authenticator`."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def admit(self, name: str) -> str:
        """A new token for a bot."""
        token = secrets.token_hex(16)
        self._names[token] = name
        return token

    def dismiss(self, name: str) -> None:
        """Its tokens are worth nothing any more."""
        self._names = {token: one for token, one in self._names.items() if one != name}

    async def authenticate(self, token: str, peer: str) -> str | None:
        return self._names.get(token)


class HostedBot:
    """A bot that connects with an SDK, or talks over pipes, and the program behind it."""

    def __init__(
        self, name: str, spec: BotSpec, process: BotProcess, starts: StartQueue, pipes: StdioPlayer | None = None
    ) -> None:
        self.name = name
        self.spec = spec
        self.process = process
        self.on_change: Callable[[], object] = lambda: None
        """Called when it came, went, was benched or has become free."""
        self.waiting: set[asyncio.Event] = set()
        """Set at every change, and at every look while it is not there, for callers of `wait_ready`."""
        self._pipes = pipes
        self._presence: Presence | None = None
        self.startup = Startup(process, starts, lambda: self.player is not None, says_hello=pipes is None)
        self.startup.on_look = self._wake
        if pipes is not None:
            pipes.on_change = self._changed

    @property
    def player(self) -> Player | None:
        """What takes its seat at a table; None while the bot is not connected."""
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

    def complaint(self, match: str) -> str:
        """What was wrong with the first line over pipes that was no answer, in this match; nothing if all were."""
        complaints = self._pipes.complaints if self._pipes is not None else ()
        return next((text for id, text in complaints if id == match), "")

    @property
    def benched(self) -> bool:
        return self.process.condition is Condition.BENCHED

    @property
    def out(self) -> bool:
        """Whether it will not be started again by itself."""
        return self.process.condition in (Condition.BENCHED, Condition.STOPPED)

    async def start(self) -> None:
        """Start its program when its turn comes; Overloaded if the machine cannot."""
        try:
            await self.process.start()
        except BaseException as error:
            self.startup.close()
            if isinstance(error, OSError) and error.errno in SHORT_OF:
                raise Overloaded(f"{self.name} could not be started: {error.strerror}") from None
            raise

    async def stop(self) -> None:
        """End its program; it can be started again."""
        self.startup.close()
        await self.process.stop()

    def watch(self, presence: Presence) -> None:
        """Blame a crash of the program on its matches."""
        self._presence = presence
        self.process.on_exit = self._exited
        self.process.on_bench = lambda text: self._changed()
        presence.on_change(self._changed)

    def unwatch(self) -> None:
        """It has gone for good."""
        if self._presence is not None:
            self._presence.forget(self._changed)

    def _exited(self, leaving: Exit) -> None:
        assert self._presence is not None
        bot = self._presence.bots.get(self.name)  # also one whose stream has ended already: its matches wait for it
        if bot is not None:
            for match, seat in list(bot.seats.values()):
                match.forfeit(seat, Termination.CRASH, f"the bot {leaving.text}")
        self._changed()

    def _changed(self) -> None:
        self.process.arrived = self.process.arrived or self.session is not None
        self.startup.changed()
        self._wake()
        self.on_change()

    def _wake(self) -> None:
        for event in self.waiting:
            event.set()


class BotHost:
    """Hosts bots and plays their matches. `async with BotHost(launcher) as host: await host.host(spec)`."""

    def __init__(
        self,
        launcher: Launcher,
        hall: Hall | None = None,
        starts: StartQueue | None = None,
        *,
        patient: bool = False,
    ) -> None:
        """`starts` bounds how many bots start at once, here and in other hosts that share it; usually one per core.

        `patient`: bots may be silent for as long as they like, as under a debugger.
        """
        self.hall = hall or Hall()
        self.bots: dict[str, HostedBot] = {}
        self._launcher = launcher
        self._starts = starts or StartQueue(cores_at_hand())
        self._tokens = RunTokens()
        self.presence = Presence()
        self.play = PlayService(self._tokens, self.presence, before_frame=self._read_output)
        service = match_pb2.DESCRIPTOR.services_by_name["MatchService"]
        self._wire = Wire([(service, self.play)], patient=patient)
        self._beat: asyncio.Task[None] | None = None
        self._own_hall = hall is None
        self._folder: Path | None = None

    async def __aenter__(self) -> Self:
        place = short_place()
        clear_away(place)
        # Closed to all other users of this machine.
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
        except asyncio.CancelledError:  # a cancelled caller waits all the same: no process may be left behind
            await closing
            raise

    async def _close(self) -> None:
        await asyncio.gather(*(hosted.stop() for hosted in self.bots.values()))
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
        restart_policy: RestartPolicy | None = None,
        launcher: Launcher | None = None,
        on_stderr: Callable[[bytes], object] | None = None,
    ) -> HostedBot:
        """Start a bot, built before if it has to be; it is there once `hosted.player` is (see `wait_ready`).

        `on_stderr` gets what it writes to stderr, as it comes.
        """
        name = name or spec.name
        launcher = launcher or self._launcher
        if spec.kind is Kind.STDIO:
            pipes = StdioPlayer(spec, launcher, name=name, concurrency=concurrency, restart_policy=restart_policy)
            hosted = HostedBot(name, spec, pipes.process, self._starts, pipes)
        else:
            link = Link(self.socket, self.admit(name), name, concurrency)
            hosted = HostedBot(
                name, spec, BotProcess(spec, launcher, link, restart_policy=restart_policy), self._starts
            )
            hosted.watch(self.presence)
        if on_stderr is not None:
            hosted.process.on_stderr = on_stderr
        self.bots[name] = hosted
        await hosted.start()
        return hosted

    async def dismiss(self, name: str) -> None:
        """End a bot and forget it; its name is free for another."""
        hosted = self.bots.pop(name, None)
        if hosted is not None:
            await hosted.stop()
            hosted.unwatch()
            self._tokens.dismiss(name)

    def _read_output(self, name: str) -> None:
        """Before an answer of a bot is taken: what it wrote before it belongs to the same question."""
        if name in self.bots:
            self.bots[name].process.read_output()

    async def wait_ready(self, hosted: HostedBot, seconds: float = 30.0) -> bool:
        """Wait until a bot is ready to play; False if it is out, or was not ready after so many usable seconds.

        Overloaded if the machine kept it waiting for so long that it cannot be told whether the bot is to blame.
        """
        changed = asyncio.Event()
        hosted.waiting.add(changed)
        before = hosted.startup.passed
        hosted.startup.changed()
        try:
            while hosted.player is None and not hosted.out and hosted.startup.had < seconds:
                if (passed := hosted.startup.passed - before) >= max(OVERLOADED_SECONDS, seconds):
                    raise Overloaded(
                        f"{hosted.name} was not there after {passed:.0f} seconds, "
                        f"of which the machine left it {hosted.startup.had:.0f}"
                    )
                changed.clear()
                await changed.wait()
        finally:
            hosted.waiting.discard(changed)
        return hosted.player is not None


def short_place() -> Path:
    """Where temporary folders go; the usual place, unless its path is too long for the address of a unix socket."""
    usual = Path(tempfile.gettempdir())
    return usual if len(os.fsencode(usual)) <= LONGEST_PLACE or not SHORT_PLACE.is_dir() else SHORT_PLACE


def clear_away(place: Path) -> None:
    """Remove the folders of hosts that were killed: those of this user on whose socket no process listens any more."""
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
        except OSError:  # gone meanwhile, or not readable for us
            continue
