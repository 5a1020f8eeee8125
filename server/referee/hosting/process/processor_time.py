"""CPU time accounting from /proc, where no cgroup counts it: includes children that no process waits for.

/proc tells what living processes have used, and what ended children had used that their parent waited for. A program
that ignores SIGCHLD has children that leave no trace there. It could keep every core busy with children that live for
milliseconds, and be charged nothing.

So the time of vanished processes is estimated. A thread counts as having run for the whole time between two
measurements if it was ready to run at the first and gone at the second. It stands for all those that came and went in
between. Measurements come at random moments (`child.py`), so the estimate is right on average, however short such
threads live. Ready is not yet running: on a busy machine the processors are divided among all threads that are ready,
those of other programs included. The bot's own threads that live on are left out of this division. They would only
make the share of the vanished ones look smaller.

What parents did wait for is exact and is subtracted from the estimate: only the rest is charged. A shell that runs
programs and waits for them is therefore charged what they used, and nothing twice. Where the estimate has been too low
for a while, `CREDIT` is the most that it makes up for later. So a bot cannot save up time in honest children and spend
it in hidden ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from referee.hosting.process.usage import Member, Usage

CREDIT = 1.0
"""Seconds. Much smaller, and chance would charge honest bots; much larger, and it could be saved up and spent."""


@dataclass(frozen=True, slots=True)
class _Sight:
    """A process as it was last seen."""

    member: Member
    used: float
    """Seconds it used itself between the last two measurements."""


def ready_threads() -> int:
    """How many threads on this machine are running or ready to run."""
    try:
        with open("/proc/loadavg", "rb") as file:
            return int(file.read().split()[3].partition(b"/")[0])
    except (OSError, ValueError, IndexError):
        return 0


class ProcessorTime:
    """Adds up one run of a bot. Tell it every measurement."""

    def __init__(self, now: float, processors: int | None = None, ready: Callable[[], int] = ready_threads) -> None:
        self.hidden = 0.0
        """Seconds charged for processes that vanished without a trace."""
        self._processors = processors or os.cpu_count() or 1
        self._seen: Mapping[tuple[int, int], _Sight] = {}
        self._at = now
        self._span = 0.0
        """Seconds between the last two measurements."""
        self._ready = ready
        self._others = 0
        """Threads of other programs that were ready to run at the last measurement."""
        self._open = 0.0
        """What vanished by estimate, less what was waited for; charged as far as it exceeds zero."""

    def seconds(self, usage: Usage, now: float) -> float:
        """All that was used up to now."""
        span = max(0.0, now - self._at)
        others = max(0, self._ready() - sum(member.running for member in usage.members.values()))
        seen: dict[tuple[int, int], _Sight] = {}
        waited = 0.0
        for key, member in usage.members.items():
            before = self._seen.get(key)
            waited += member.waited - (before.member.waited if before else 0.0)
            seen[key] = _Sight(member, member.own - (before.member.own if before else 0.0))
        gone = [sight for key, sight in self._seen.items() if key not in seen]
        known = sum(sight.member.own + sight.member.waited for sight in gone)
        part = self._part(sum(sight.member.running for sight in gone), self._others)
        unknown = sum(max(0.0, sight.member.running * part * self._span - sight.used) for sight in gone)
        unknown += usage.missed * self._part(usage.missed, others) * span
        self._open = max(self._open + known + unknown - waited, -CREDIT)
        if self._open > 0:
            self.hidden += self._open
            self._open = 0.0
        self._seen, self._at, self._span, self._others = seen, now, span, others
        return usage.seconds + self.hidden

    def _part(self, threads: int, others: int) -> float:
        """How much of a processor each of these threads had."""
        return min(1.0, self._processors / max(1, threads + others))
