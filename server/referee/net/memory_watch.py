"""Memory watchdog (RSS): notices that this process takes more memory than it may, and gives back what is free.

What gRPC keeps for a peer is outside all other limits. The allocator also holds on to memory that was freed, for good:
after a flood a process would stay as large as it was at its peak. So once the process is above its limit, the allocator
is asked to give back what it can. If it still is above, the caller ends connections. If even that has not helped after
a while, there is a leak that only a new process cures: the server drains, and its supervisor starts it again.
"""

from __future__ import annotations

from enum import Enum, auto

from referee.memory import give_back, resident

LOOK_SECONDS = 1.0
LOOKS = 30
"""How many looks in a row above the limit are lasting."""
FREED_SECONDS = 2.0
"""How long gRPC may take to let go of what it kept for a connection that was ended."""
TIMES = 4
"""How often memory is given back afterwards, after growing pauses: calls that had come in on it are still answered."""


class Pressure(Enum):
    NONE = auto()
    HIGH = auto()
    """Above the limit: something has to go."""
    LASTING = auto()
    """Above the limit whatever was done; said once."""


class MemoryWatch:
    """Looks at the memory of this process."""

    def __init__(self, limit: int) -> None:
        """`limit` in megabytes."""
        self.limit = limit
        self.used = 0
        """Megabytes at the last look."""
        self._looked = float("-inf")
        self._above = 0
        self._to_give_back = float("inf")
        self._pause = FREED_SECONDS

    def freed(self, now: float) -> None:
        """Much was freed just now, or will be in a moment."""
        self._pause = FREED_SECONDS
        self._to_give_back = now + self._pause

    def look(self, now: float) -> Pressure:
        """How it stands; looks about once a second. It may take a moment, so not in the event loop."""
        if now - self._looked < LOOK_SECONDS:
            return Pressure.NONE
        self._looked = now
        self.used = resident()
        if self.used > self.limit or now >= self._to_give_back:
            self._pause *= 2
            last = self._pause >= FREED_SECONDS * 2**TIMES
            self._to_give_back = float("inf") if last else now + self._pause
            give_back()
            self.used = resident()
        if self.used <= self.limit:
            self._above = 0
            return Pressure.NONE
        self._above += 1
        return Pressure.LASTING if self._above == LOOKS else Pressure.HIGH

    @property
    def told(self) -> str:
        """A sentence for the host."""
        return (
            f"the server takes {self.used} MB of memory, more than its {self.limit} MB (max_memory), and ending the "
            "connections of strangers has not helped"
        )
