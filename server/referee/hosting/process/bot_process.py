"""One bot's program: started, heard, weighed, started again after a crash, and ended with all it has started.

A bot that keeps crashing is benched, with a message that shows the last lines it wrote. Nothing here waits for a bot:
what happens is told through the `on_…` callbacks, in the event loop.

Start bots from the main thread: the walls around them come down, and the bots with them, when the thread that started
them ends.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.child import Child
from referee.hosting.process.control_group import Group
from referee.hosting.process.limits import Hold
from referee.hosting.process.output import LastLines
from referee.hosting.process.usage import Weight, alive, kept_outside, weigh
from referee.hosting.sandbox.launch import Link, Quarters

GONE_SECONDS = 5.0
"""How long to wait for the kernel to clear away what has been killed."""
REMOVE_SECONDS = 0.1
SHORT_OF = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Why the machine may be unable to start a program, whichever it is: processes, memory or open files are used up."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a bot may crash before it is benched, and how long it rests before it is started again."""

    crashes: int = 5
    within: float = 60.0
    first_rest: float = 0.1
    longest_rest: float = 5.0


class Condition(Enum):
    NEW = "new"
    RUNNING = "running"
    RESTING = "resting"
    BENCHED = "benched"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Exit:
    """How a run of a bot ended."""

    text: str
    """A sentence without a full stop: "exited with code 1"."""
    code: int
    seconds: float
    last_lines: str
    """The end of its stderr, indented for printing."""


class BotProcess:
    """A bot's program. `await start()`, and `await stop()` in the end."""

    def __init__(
        self, spec: BotSpec, quarters: Quarters, link: Link | None = None, *, patience: Patience | None = None
    ) -> None:
        self.spec = spec
        self.condition = Condition.NEW
        self.runs = 0
        self.peak = Weight()
        """The most it ever weighed."""
        self.hold: Hold | None = None
        """The limits on the present run, or on the last one."""
        self.stderr = LastLines()
        self.exits: deque[Exit] = deque(maxlen=16)
        self.before_start: Callable[[], Awaitable[bool]] = _at_once
        """Waited for before every start, the first and those after a crash; False: it was stopped meanwhile."""
        self.on_start: Callable[[], object] = _nothing
        self.on_output: Callable[[bytes, float], object] | None = None
        """Gets stdout as it arrives, with the time; without it stdout is kept like stderr."""
        self.on_stderr: Callable[[bytes], object] = _nothing
        """Gets what is kept, as it arrives."""
        self.on_closed: Callable[[], object] = _nothing
        """The program closed its stdout."""
        self.on_exit: Callable[[Exit], object] = _nothing
        self.on_bench: Callable[[str], object] = _nothing
        self._quarters = quarters
        self._link = link or Link()
        self._patience = patience or Patience()
        self._crashes: deque[float] = deque(maxlen=self._patience.crashes)
        self._run: Child | None = None
        self._groups: list[Group] = []
        """Cgroups of runs that have ended, to be removed."""
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Task[None] | None = None
        self._why_killed = ""
        self._family: frozenset[tuple[int, int]] = frozenset()

    @property
    def name(self) -> str:
        return self._link.name or self.spec.name

    @property
    def pid(self) -> int | None:
        """Of the outermost wrapper around the bot."""
        return None if self._run is None else self._run.pid

    @property
    def why_benched(self) -> str:
        """The message about a bot that keeps crashing."""
        last = self.exits[-1]
        return (
            f"{self.name} is benched: it ended {len(self._crashes)} times within {self._patience.within:g} seconds, "
            f"the last time because it {last.text}. Its last words:\n{last.last_lines}"
        )

    async def start(self) -> None:
        """Start the bot, or start it again; raises WrongUse, SandboxFailed or OSError if it cannot even be tried."""
        self.condition = Condition.NEW
        await self._spawn()

    async def stop(self) -> None:
        """End it and everything it has started; returns when all of it is gone."""
        self.condition = Condition.STOPPED
        if self._timer is not None:
            self._timer.cancel()
        if self._starting is not None:
            with suppress(Exception):
                await self._starting
        if self._run is not None:
            self._family = weigh(self._run.pid).family
            await self._run.end()
        # The kernel clears a sandbox away a moment after its first process has ended.
        until = time.monotonic() + GONE_SECONDS
        while (alive(self._family) or self._groups) and time.monotonic() < until:  # /proc and cgroups tell nobody
            self._remove_groups()
            await asyncio.sleep(0.005)

    async def wait(self, seconds: float) -> bool:
        """Whether the present run ends by itself within so many seconds."""
        if self._run is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._run.over.wait(), seconds)
        return self._run is None

    def kill(self, why: str) -> None:
        """End the present run at once: it counts as a crash, for this reason ("floods its output")."""
        if self._run is not None and not self._why_killed:
            self._why_killed = why
            self._family = weigh(self._run.pid).family
            self._run.signal(self._run.launch.kill)

    def write(self, line: bytes) -> None:
        """Send to its stdin; lost if it is not running."""
        if self._run is not None:
            self._run.write(line)

    def close_stdin(self) -> None:
        """There is nothing more to say: most programs then end by themselves."""
        if self._run is not None:
            self._run.close_stdin()

    @property
    def unread(self) -> int:
        """Bytes sent that it has not read yet (without what the pipe itself holds)."""
        return 0 if self._run is None else self._run.unread

    def weigh(self) -> Weight:
        return Weight() if self._run is None else weigh(self._run.pid)

    async def _spawn(self) -> None:
        if not await self.before_start():
            return
        launch = self._quarters.put_up(self.spec, self._link)
        loop = asyncio.get_running_loop()
        self._why_killed = ""
        piped = self.spec.kind is Kind.STDIO
        try:
            _, run = await loop.subprocess_exec(
                lambda: Child(_Ears(self), launch),
                *launch.argv,
                stdin=asyncio.subprocess.PIPE if piped else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=launch.environment,
                cwd=launch.cwd,
                start_new_session=True,
                pass_fds=launch.descriptors,
            )
        except BaseException:
            self._leave(launch.group)
            raise
        finally:
            for descriptor in launch.descriptors:
                os.close(descriptor)
        self.runs += 1
        if run.over.is_set():
            self._leave(launch.group)
            return
        self._run = run
        self.hold = Hold(launch, run.pid)
        if self.condition is Condition.STOPPED:
            await run.end()
            return
        self.condition = Condition.RUNNING
        self.on_start()

    def _weighed(self, run: Child) -> None:
        weight = weigh(run.pid)
        if weight.memory > run.launch.memory and weight.processes > 1:
            weight = weigh(run.pid, exact=True)
        memory = weight.memory + (kept_outside(weight.family) if run.launch.walled else 0)
        self.peak = Weight(
            max(weight.processes, self.peak.processes),
            max(memory, self.peak.memory),
            max(weight.seconds, self.peak.seconds),
        )
        self._family = weight.family
        if self.hold is not None and (why := self.hold.weighed(weight, memory)):
            self.kill(why)

    def _over(self, code: int, seconds: float) -> None:
        """A run has ended."""
        self._run = None
        if self.hold is not None:
            self.hold.close()
            self._why_killed = self._why_killed or self.hold.why_it_ended() or ""
            self._leave(self.hold.group)
        text = f"was ended: it {self._why_killed}" if self._why_killed else how_it_ended(code)
        leaving = Exit(text, code, seconds, self.stderr.told())
        self.exits.append(leaving)
        if self.condition is Condition.STOPPED:
            self.on_exit(leaving)
            return
        now = time.monotonic()
        self._crashes.append(now)
        recent = [moment for moment in self._crashes if now - moment <= self._patience.within]
        if len(recent) >= self._patience.crashes:
            self.condition = Condition.BENCHED
            self.on_exit(leaving)
            self.on_bench(self.why_benched)
            return
        self.condition = Condition.RESTING
        rest = min(self._patience.longest_rest, self._patience.first_rest * 2 ** (len(recent) - 1))
        self._timer = asyncio.get_running_loop().call_later(rest, self._again)
        self.on_exit(leaving)

    def _leave(self, group: Group | None) -> None:
        if group is not None:
            self._groups.append(group)
            self._remove_groups()

    def _remove_groups(self) -> None:
        """The kernel takes a moment to clear away what has been killed."""
        self._groups = [group for group in self._groups if not group.remove()]
        if self._groups and self.condition is not Condition.STOPPED:
            asyncio.get_running_loop().call_later(REMOVE_SECONDS, self._remove_groups)

    def _again(self) -> None:
        self._timer = None
        if self.condition is Condition.RESTING:
            self._starting = asyncio.get_running_loop().create_task(self._try_again())

    async def _try_again(self) -> None:
        try:
            await self._spawn()
        except OSError as error:
            if error.errno in SHORT_OF:  # the machine's matter: it is tried once more
                self._timer = asyncio.get_running_loop().call_later(self._patience.longest_rest, self._again)
            else:
                self._out(error)
        except Exception as error:  # noqa: BLE001 - it could be started before, so whatever it is, the bot is out
            self._out(error)

    def _out(self, error: Exception) -> None:
        self.exits.append(Exit(f"could not be started again: {error}", -1, 0.0, self.stderr.told()))
        self.condition = Condition.BENCHED
        self.on_bench(self.why_benched)


class _Ears:
    """What a run of the program tells its `BotProcess`. It is a child's `Owner`."""

    def __init__(self, bot: BotProcess) -> None:
        self._bot = bot

    def heard(self, chunk: bytes, now: float) -> bool:
        if self._bot.on_output is None:
            return False
        self._bot.on_output(chunk, now)
        return True

    def muttered(self, chunk: bytes) -> None:
        self._bot.stderr.add(chunk)
        self._bot.on_stderr(chunk)

    def closed(self) -> None:
        self._bot.on_closed()

    def weighed(self, child: Child) -> None:
        self._bot._weighed(child)

    def over(self, code: int, seconds: float) -> None:
        self._bot._over(code, seconds)


def how_it_ended(code: int) -> str:
    """A sentence's end about an exit code: "exited with code 1", "was killed by SIGSEGV"."""
    number = -code if code < 0 else code - 128
    if number > 0:
        with suppress(ValueError):
            return f"was killed by {signal.Signals(number).name}"
    return f"exited with code {code}"


async def _at_once() -> bool:
    """What is waited for where every bot may start as it likes."""
    return True


def _nothing(*arguments: object) -> None:
    """What is done where nobody wants to know."""
