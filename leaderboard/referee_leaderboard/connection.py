"""The connection to the server that the standings come from: there, or lost and retried."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Connection:
    """`Connection()` is a server that answers; `Connection.lost(3)` one that went away, tried again in 3 seconds."""

    alive: bool = True
    retry_in: float | None = None
    reason: str = ""
    busy: bool = False

    @classmethod
    def lost(cls, retry_in: float | None = None, reason: str = "") -> Connection:
        """The server went away."""
        return cls(False, retry_in, reason)

    @classmethod
    def turned_away(cls, retry_in: float | None = None, reason: str = "") -> Connection:
        """The server is there, but has no room for one more."""
        return cls(False, retry_in, reason, busy=True)

    def after(self, seconds: float) -> Connection:
        """The same connection so many seconds later: the wait for the next try grows shorter."""
        if self.retry_in is None or seconds <= 0:
            return self
        return replace(self, retry_in=max(0.0, self.retry_in - seconds))

    @property
    def sentence(self) -> str:
        """What the screen says of it; empty while the server answers."""
        if self.alive:
            return ""
        why = f" ({self.reason})" if self.reason else ""
        what = f"server {'busy' if self.busy else 'gone'}{why}"
        if self.retry_in is None:
            return f"{what}; showing what was last known"
        wait = max(0, round(self.retry_in))
        retrying = f"retrying in {wait} s" if wait else "retrying now"
        return f"{what}, {retrying}; showing what was last known"
