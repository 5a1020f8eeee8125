"""Resource limits on one run of a bot: its cgroup where there is one, measured memory, and the CPU throttle.

Processor time is read from the cgroup, which misses nothing, else put together from /proc. The throttle gets it in any
case. Where the cgroup sets a quota it has nothing to do, unless the system takes the quota away meanwhile.
"""

from __future__ import annotations

import time

from referee.hosting.process.control_group import Group
from referee.hosting.process.processor_time import ProcessorTime
from referee.hosting.process.throttle import Throttle
from referee.hosting.process.usage import Usage, measure
from referee.hosting.sandbox.launch import Launch

MOST_SLIPS = 5
"""Measurements in a row at which a bot that is held goes on starting processes."""
BESIDE_QUOTA = 1.5
"""How much more the throttle allows where a cgroup quota limits the bot, so that the two do not interfere."""


class RunLimits:
    """Tell it every measurement; it says when the bot has to be ended."""

    def __init__(self, launch: Launch, pid: int) -> None:
        self.group: Group | None = launch.group
        self.seconds = 0.0
        """Processor time used so far."""
        self._launch = launch
        self._time = ProcessorTime(time.monotonic())
        self.throttle: Throttle | None = None
        if launch.cores:
            quota = self.group is not None and "cpu" in self.group.held
            cores = launch.cores * BESIDE_QUOTA if quota else launch.cores
            self.throttle = Throttle(cores, lambda: measure(pid).family)

    def measured(self, usage: Usage, memory: int, at: float) -> str | None:
        """Why it must be ended, if it must; `memory` counts what belongs to none of its processes too."""
        counted = None if self.group is None else self.group.seconds()
        self.seconds = self._time.seconds(usage, at) if counted is None else counted
        if memory > self._launch.memory:
            return self._too_much_memory
        if self.throttle is not None:
            self.throttle.used(self.seconds)
            if self.throttle.slips >= MOST_SLIPS:
                return f"started processes faster than they could be held to its {self._launch.cores:g} cores"
        return self.why_it_ended()

    def why_it_ended(self) -> str | None:
        """Why the kernel has ended the bot or one of its processes, if it has."""
        return self._too_much_memory if self.group is not None and self.group.out_of_memory() else None

    def close(self) -> None:
        """The run is over."""
        if self.throttle is not None:
            self.throttle.close()

    @property
    def _too_much_memory(self) -> str:
        return f"used more than its {self._launch.memory >> 20} MB of memory"
