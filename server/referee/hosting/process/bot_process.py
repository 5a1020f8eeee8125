"""A bot's process under supervision: started, limited, restarted after a crash, and ended with all its descendants.

A bot that keeps crashing is benched, with a message that shows the last lines it wrote. Nothing here waits for a bot:
what happens is told through the `on_…` callbacks, in the event loop.

Start bots from the main thread: the kernel ends a sandbox, and the bot in it, when the thread that started it ends.
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

from referee.hosting.bot import advice
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process.child import Child
from referee.hosting.process.control_group import Group
from referee.hosting.process.limits import RunLimits
from referee.hosting.process.measuring import THREAD, Measurement, measure_run
from referee.hosting.process.output import LastLines
from referee.hosting.process.output_pipe import OutputPipe
from referee.hosting.process.usage import Usage, alive, measure
from referee.hosting.sandbox.launch import Launcher, Link
from referee.threads import in_thread_of

GONE_SECONDS = 5.0
"""How long to wait for the kernel to clear away what has been killed."""
REMOVE_SECONDS = 0.1
SHORT_OF = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE)
"""Why the machine may be unable to start a program, whichever it is: processes, memory or open files are used up."""


@dataclass(frozen=True, slots=True)
class RestartPolicy:
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
    advice: str = ""
    """What its author should do, where that can be told."""


class BotProcess:
    """A bot's program. `await start()`, and `await stop()` in the end."""

    def __init__(
        self,
        spec: BotSpec,
        launcher: Launcher,
        link: Link | None = None,
        *,
        restart_policy: RestartPolicy | None = None,
    ) -> None:
        self.spec = spec
        self.condition = Condition.NEW
        self.runs = 0
        self.peak = Usage()
        """The most that was ever measured."""
        self.limits: RunLimits | None = None
        """The limits on the present run, or on the last one."""
        self.arrived = False
        """Whether it ever connected; set by the server it connects to."""
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
        self._launcher = launcher
        self._link = link or Link()
        self._restart_policy = restart_policy or RestartPolicy()
        self._crashes: deque[float] = deque(maxlen=self._restart_policy.crashes)
        self._run: Child | None = None
        self._groups: list[Group] = []
        """Cgroups of runs that have ended, to be removed."""
        self._timer: asyncio.TimerHandle | None = None
        self._starting: asyncio.Task[None] | None = None
        self._measuring: asyncio.Task[None] | None = None
        self._why_killed = ""
        self._sandboxed = False
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
            f"{self.name} is benched: it ended {len(self._crashes)} times "
            f"within {self._restart_policy.within:g} seconds, "
            f"the last time because it {last.text}. Its last words:\n{last.last_lines}"
            + (f"\n{last.advice}." if last.advice else "")
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
            self._family = measure(self._run.pid).family
            await self._run.end()
        # The kernel clears a sandbox away a moment after its first process has ended.
        until = time.monotonic() + GONE_SECONDS
        while (alive(self._family) or self._groups) and time.monotonic() < until:  # /proc and cgroups send no event
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
            self._family = measure(self._run.pid).family
            self._run.signal(self._run.launch.kill)

    def write(self, line: bytes) -> None:
        """Send to its stdin; lost if it is not running."""
        if self._run is not None:
            self._run.write(line)

    def close_stdin(self) -> None:
        """There is nothing more to say: most programs then end by themselves."""
        if self._run is not None:
            self._run.close_stdin()

    def read_output(self) -> None:
        """Hear now what it has written: before an answer is taken, so that it belongs to its question."""
        if self._run is not None:
            self._run.read_output()

    @property
    def unread(self) -> int:
        """Bytes sent that it has not read yet (without what the pipe itself holds)."""
        return 0 if self._run is None else self._run.unread

    def usage(self) -> Usage:
        """What it uses now, with all its descendants."""
        return Usage() if self._run is None else measure(self._run.pid)

    async def _spawn(self) -> None:
        if not await self.before_start():
            return
        launch = self._launcher.prepare(self.spec, self._link)
        self._sandboxed = launch.sandboxed
        loop = asyncio.get_running_loop()
        self._why_killed = ""
        piped = self.spec.kind is Kind.STDIO
        events = _ChildEvents(self)
        output = OutputPipe(events.output_received)
        try:
            _, run = await loop.subprocess_exec(
                lambda: Child(events, launch, output),
                *launch.argv,
                stdin=asyncio.subprocess.PIPE if piped else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE if piped else output.theirs,
                stderr=output.theirs,
                env=launch.environment,
                cwd=launch.cwd,
                start_new_session=True,
                pass_fds=launch.descriptors,
            )
        except BaseException:
            output.close()
            self._retire_group(launch.group)
            raise
        finally:
            output.started()
            for descriptor in launch.descriptors:
                os.close(descriptor)
        self.runs += 1
        if run.over.is_set():
            self._retire_group(launch.group)
            return
        self._run = run
        self.limits = RunLimits(launch, run.pid)
        if self.condition is Condition.STOPPED:
            await run.end()
            return
        self.condition = Condition.RUNNING
        self.on_start()

    async def _measure(self, run: Child) -> None:
        launch = run.launch
        found = await in_thread_of(THREAD, measure_run, run.pid, launch.memory, sandboxed=launch.sandboxed)
        if self._run is run:
            self._measured(found)
            run.measure_again(found.pause)

    def _measured(self, found: Measurement) -> None:
        usage, memory = found.usage, found.memory
        self.peak = Usage(
            max(usage.processes, self.peak.processes),
            max(memory, self.peak.memory),
            max(usage.seconds, self.peak.seconds),
        )
        self._family = usage.family
        if self.limits is not None and (why := found.why or self.limits.measured(usage, memory, found.at)):
            self.kill(why)

    def _over(self, code: int, seconds: float) -> None:
        """A run has ended."""
        self._run = None
        if self.limits is not None:
            self.limits.close()
            self._why_killed = self._why_killed or self.limits.why_it_ended() or ""
            self._retire_group(self.limits.group)
        text = f"was ended: it {self._why_killed}" if self._why_killed else how_it_ended(code)
        leaving = Exit(text, code, seconds, self.stderr.told(), "" if self._why_killed else self._advice(code))
        self.exits.append(leaving)
        if self.condition is Condition.STOPPED:
            self.on_exit(leaving)
            return
        now = time.monotonic()
        self._crashes.append(now)
        recent = [moment for moment in self._crashes if now - moment <= self._restart_policy.within]
        if len(recent) >= self._restart_policy.crashes:
            self.condition = Condition.BENCHED
            self.on_exit(leaving)
            self.on_bench(self.why_benched)
            return
        self.condition = Condition.RESTING
        rest = min(self._restart_policy.longest_rest, self._restart_policy.first_rest * 2 ** (len(recent) - 1))
        self._timer = asyncio.get_running_loop().call_later(rest, self._again)
        self.on_exit(leaving)

    def _advice(self, code: int) -> str:
        lines = self.stderr.lines()
        return advice.after_exit(self.spec, code, lines, sandboxed=self._sandboxed, arrived=self.arrived)

    def _retire_group(self, group: Group | None) -> None:
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
                self._timer = asyncio.get_running_loop().call_later(self._restart_policy.longest_rest, self._again)
            else:
                self._out(error)
        except Exception as error:  # noqa: BLE001 - it could be started before, so whatever it is, the bot is out
            self._out(error)

    def _out(self, error: Exception) -> None:
        self.exits.append(Exit(f"could not be started again: {error}", -1, 0.0, self.stderr.told()))
        self.condition = Condition.BENCHED
        self.on_bench(self.why_benched)


class _ChildEvents:
    """What a run of the program tells its `BotProcess`. It is a `ChildListener`."""

    def __init__(self, bot: BotProcess) -> None:
        self._bot = bot

    def stdout_received(self, chunk: bytes, now: float) -> bool:
        if self._bot.on_output is None:
            return False
        self._bot.on_output(chunk, now)
        return True

    def output_received(self, chunk: bytes) -> None:
        self._bot.stderr.add(chunk)
        self._bot.on_stderr(chunk)

    def stdout_closed(self) -> None:
        self._bot.on_closed()

    def measurement_due(self, child: Child) -> None:
        self._bot._measuring = asyncio.ensure_future(self._bot._measure(child))

    def exited(self, code: int, seconds: float) -> None:
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
    """The callback where none was given."""
