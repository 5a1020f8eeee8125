"""CPU throttle: a bot that keeps more cores busy than its share is stopped (SIGSTOP) until the share has caught up.

Bots that play at once share the machine, and a program with many threads or processes would take it from the others,
whose clocks run. Priorities do not help against sheer number. So what a bot has used beyond its share is measured, and
its processes are stopped until the share has caught up. Its own clock runs on meanwhile: only it suffers.

Where a cgroup sets a quota the kernel does this better, and the throttle never has to.

Signals reach one process at a time. A program whose processes live for less than a look takes, each starting the next,
escapes them. A stopped program starts nothing, so new processes during a hold give it away: `slips` counts them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from referee.match.allowance import Allowance

RESERVE = 0.5
"""Seconds of processor time a bot may use at once beyond its share: short, for the others wait meanwhile."""
LONGEST_HOLD = 1.0
MOST_LOOKS = 5
"""How often new processes are looked for, which were started while the others were being stopped."""

Family = Iterable[tuple[int, int]]


class Throttle:
    """Keeps one run of a bot to its share. Tell it at every measurement how much was `used` so far."""

    def __init__(self, cores: float, family: Callable[[], Family]) -> None:
        """`family` looks up the processes to be held, as they are now."""
        self.holds = 0
        """How often it was held."""
        self.slips = 0
        """At how many measurements in a row it had new processes although all of it was being held."""
        self._family = family
        self._allowance = Allowance(RESERVE, cores, time.monotonic())
        self._used = 0.0
        self._held: asyncio.TimerHandle | None = None
        self._told: set[tuple[int, int]] = set()

    def used(self, seconds: float) -> None:
        """So much processor time has been used altogether."""
        within = self._allowance.spend(max(0.0, seconds - self._used), time.monotonic())
        self._used = max(seconds, self._used)
        if self._held is not None:
            self.slips = self.slips + 1 if self._signal_all(signal.SIGSTOP) else 0
        elif not within:
            self.holds += 1
            self._told.clear()
            self._signal_all(signal.SIGSTOP)
            rest = min(LONGEST_HOLD, self._allowance.wait)
            self._held = asyncio.get_running_loop().call_later(rest, self._let_go)

    def close(self) -> None:
        """The run is over."""
        if self._held is not None:
            self._held.cancel()

    def _let_go(self) -> None:
        self._held = None
        self._told.clear()
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: int) -> bool:
        """Signal the whole family; whether it had processes that had not been signalled before."""
        before = len(self._told)
        for _ in range(MOST_LOOKS):
            new = set(self._family()) - self._told
            if not new:
                break
            for pid, _ in new:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
            self._told |= new
        return len(self._told) > before
