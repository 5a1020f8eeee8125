"""Start-up of hosted bots: a queue that bounds how many start at once, and a deadline that counts only usable time.

A bot waits for its turn before its program is started. Its turn ends when it is there, when its program ends, when it
does nothing any more, or when it has had its turn long enough: then the next one starts. The time it has had is what
passed since its start, less the time for which the machine kept it waiting (`overload.py`).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from referee.hosting.admission.overload import Contention, SchedstatContention
from referee.hosting.process.bot_process import BotProcess, Condition

FIRST_LOOK = 0.05
LOOK_EVERY = 0.1
"""Seconds between two looks at a bot that is not there yet."""
LONGEST_TURN = 5.0
"""Seconds of usable time that a bot may take for its start before the next one is started beside it."""
LONGEST_TURN_BY_CLOCK = 30.0
"""The same by the clock, waiting time included: if the machine starves one bot, the others must not wait for ever."""
AT_REST = 0.1
"""A bot that runs, or waits for a core, for less than this part of the time has nothing left to do for its start."""
LOOKS_AT_REST = 3
"""So many times in a row for a bot that has to say hello: the kernel sets up a sandbox with pauses."""
OVERLOADED_SECONDS = 300.0
"""A bot that the machine has kept waiting for so long in all could not be started."""


class Overloaded(Exception):
    """The machine could not start a bot: too little processor time, memory or open files. No bot is to blame."""


class StartQueue:
    """How many bots may be starting at once; the others wait in a queue."""

    def __init__(self, at_once: int, contention: Callable[[], Contention] = SchedstatContention) -> None:
        """`contention` tells for each start how long the machine kept it waiting."""
        self.contention = contention
        self._free = at_once
        self._line: deque[asyncio.Future[bool]] = deque()

    def ask(self) -> asyncio.Future[bool]:
        """A future that is done, with True, when the turn has come; set it to False to leave the queue."""
        turn: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        if self._free > 0:
            self._free -= 1
            turn.set_result(True)
        else:
            self._line.append(turn)
        return turn

    def over(self) -> None:
        """A turn is over: the next one's begins."""
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_result(True)
                return
        self._free += 1


class Startup:
    """The start-up of one bot: from its start, or from when it was last connected, until it is ready."""

    def __init__(
        self,
        process: BotProcess,
        starts: StartQueue,
        there: Callable[[], bool],
        *,
        says_hello: bool,
    ) -> None:
        """`says_hello`: it tells when it has started; otherwise it counts as started once it is at rest."""
        self.had = 0.0
        """Seconds it really had since it started, or since it went away."""
        self.passed = 0.0
        """Seconds that passed on the clock meanwhile, without the time in the queue."""
        self.on_look: Callable[[], object] = lambda: None
        self._process = process
        self._starts = starts
        self._there = there
        self._says_hello = says_hello
        self._figures = starts.contention()
        self._asked: asyncio.Future[bool] | None = None
        self._turn = False
        self._turn_had = self._turn_passed = 0.0
        self._looks_at_rest = 0
        self._runs = 0
        self._timer: asyncio.TimerHandle | None = None
        self._looked_at = 0.0
        self._due = 0.0
        process.before_start = self._wait_for_turn

    def changed(self) -> None:
        """The bot has changed: see whether it is ready, starting, or out."""
        there = self._there()
        if there:
            if self._timer is None:  # as nearly always: this is called at the end of every match
                return
            self.had = self.passed = 0.0
        out = self._process.condition in (Condition.BENCHED, Condition.STOPPED)
        ended = self._process.pid is None and not self._spawning
        if out or ended or (there and self._says_hello):
            self._end_turn()
        if out or (there and not self._turn):
            self._rest()
        elif self._timer is None and self._process.condition is not Condition.NEW:
            self._look_in(FIRST_LOOK)

    def close(self) -> None:
        """It is being stopped, or could not be started."""
        if self._asked is not None and not self._asked.done():
            self._asked.set_result(False)
        self._end_turn()
        self._rest()
        self.had = self.passed = 0.0

    async def _wait_for_turn(self) -> bool:
        self._asked = self._starts.ask()
        try:
            self._turn = await self._asked
        except asyncio.CancelledError:
            if self._asked.done() and not self._asked.cancelled() and self._asked.result():
                self._starts.over()
            raise
        finally:
            self._asked = None
        self._turn_had = self._turn_passed = 0.0
        self._looks_at_rest, self._runs = 0, self._process.runs
        self._figures = self._starts.contention()
        if self._process.condition is Condition.STOPPED:
            self._end_turn()
            return False
        self._look_in(FIRST_LOOK)
        return True

    @property
    def _spawning(self) -> bool:
        """Whether it is its turn, and there is no program yet."""
        return self._turn and self._process.runs == self._runs

    def _look(self) -> None:
        elapsed = asyncio.get_running_loop().time() - self._looked_at
        if self._asked is None and not self._spawning:  # before that its time does not run
            self._account(elapsed)
        self._timer = None
        if self._there():
            self.had = self.passed = 0.0
        if not self._there() or self._turn:
            self._look_in(LOOK_EVERY)
        self.on_look()

    def _account(self, elapsed: float) -> None:
        """What became of the time since the last look."""
        kept, ran = 0.0, 0.0
        if (pid := self._process.pid) is not None:
            kept, ran = self._figures.look(pid, elapsed)
        self._looks_at_rest = self._looks_at_rest + 1 if ran + kept < AT_REST * elapsed else 0
        kept = min(elapsed, max(kept, elapsed - self._due))  # or we were late ourselves, and did not hear it
        self._turn_had += elapsed - kept
        self._turn_passed += elapsed
        if not self._there():
            self.had += elapsed - kept
            self.passed += elapsed
        at_rest = self._looks_at_rest >= (LOOKS_AT_REST if self._says_hello else 1)
        long = self._turn_had >= LONGEST_TURN or self._turn_passed >= LONGEST_TURN_BY_CLOCK
        if self._turn and (at_rest or long):
            self._end_turn()

    def _look_in(self, seconds: float) -> None:
        self._rest()
        loop = asyncio.get_running_loop()
        self._looked_at, self._due = loop.time(), seconds
        self._timer = loop.call_later(seconds, self._look)

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_turn(self) -> None:
        if self._turn:
            self._turn = False
            self._starts.over()
