"""Limits of a server: how many connections and watchers there may be at a time, in all and per address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What the host allows. A class of sixty behind one address, each with a bot and a screen, is well within it."""

    connections: int = 5000
    """Connections in all, as far as the limit of open files allows."""
    connections_per_address: int = 256
    """Connections of one address on which no bot plays."""
    watchers: int = 2000
    """Streams of WatchStandings and WatchMatch."""
    watchers_per_address: int = 128
    memory: int = 2048
    """Megabytes for the server's process. Beyond it strangers are sent away; if that does not help, it drains."""
