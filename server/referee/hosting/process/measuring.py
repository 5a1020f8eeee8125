"""Measuring a bot: memory of all its processes and of the kernel for them, measured in a thread, with a budget.

How long a measurement takes is in the bot's hand: the kernel walks through every mapping of every process to say what
is shared. In the event loop it would hold up all clocks, so it is done in a thread of its own, which all bots of this
process share. It stops at a number of mappings and at an amount of processor time. A bot that cannot be measured within
these is ended, for what cannot be measured cannot be limited.

Two things that the kernel keeps for a process are in no figure of /proc: the list of its mappings, which is counted,
and what lies in its pipes, which is bounded by the number of descriptors (the filter keeps pipes at their usual size).
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from referee.hosting.process.usage import BeyondBudget, Usage, kept_outside, measure

MOST_MAPPINGS = 100_000
"""Of all processes of a bot together. A program has some hundreds; a large Java program a few thousand."""
MAPPING_BYTES = 256
"""What the kernel keeps for a mapping."""
BUDGET = 1.0
"""Seconds of processor time that one measurement may take."""
PART = 0.2
"""How much of the time the thread may measure one bot: the longer it takes, the longer the pause afterwards."""

THREAD = ThreadPoolExecutor(1, thread_name_prefix="measuring")


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a bot used at a moment."""

    usage: Usage
    memory: int
    """Bytes, with what belongs to none of its processes."""
    at: float
    cost: float
    """Seconds of processor time that the measurement took."""
    why: str | None = None
    """Why it could not be measured."""

    @property
    def pause(self) -> float:
        """Seconds until it may be measured again, at least."""
        return self.cost / PART


def measure_run(pid: int, granted: int, *, sandboxed: bool) -> Measurement:
    """What a process uses with all its descendants; `exact` figures are taken where the quick ones are too high."""
    began = time.thread_time()
    at = time.monotonic()
    usage = measure(pid)
    mappings = 0
    why = None
    for member, _ in usage.family:
        mappings += mappings_of(member, MOST_MAPPINGS + 1 - mappings)
        if mappings > MOST_MAPPINGS:
            why = f"mapped its memory in more than {MOST_MAPPINGS:,} pieces"
            break
    beside = mappings * MAPPING_BYTES + (kept_outside(usage.family) if sandboxed else 0)
    if why is None and usage.memory + beside > granted and usage.processes > 1:
        try:
            usage = measure(pid, exact=True, until=began + BUDGET)
        except BeyondBudget:
            why = f"could not be measured within {BUDGET:g} seconds of processor time: its memory is in too many pieces"
    return Measurement(usage, usage.memory + beside, at, time.thread_time() - began, why)


def mappings_of(pid: int, most: int) -> int:
    """How many mappings a process has, counted up to so many; 0 if that may not be seen."""
    found = 0
    try:
        with open(f"/proc/{pid}/maps", "rb", buffering=0) as file:
            while found < most and (chunk := file.read(1 << 16)):
                found += chunk.count(b"\n")
    except OSError:  # it has just ended, or is a wrapper that does not show itself
        pass
    return min(found, most)
