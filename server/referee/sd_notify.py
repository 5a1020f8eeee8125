"""Service notification (sd_notify): tells systemd that the server is ready, that it lives, and that it stops.

The protocol is a datagram to the socket that systemd names in the environment. Without one nothing is done.
"""

from __future__ import annotations

import asyncio
import os
import socket

from referee.threads import in_thread


def notify(*lines: str) -> bool:
    """Tell systemd; whether it listens. A lost message is no reason to fail."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):  # the abstract namespace of Linux
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
            sender.setblocking(False)
            sender.sendto("\n".join(lines).encode(), address)
    except OSError:
        return False
    return True


def watchdog_seconds() -> float | None:
    """After how long without a sign of life systemd starts the service anew; None if it does not."""
    text, process = os.environ.get("WATCHDOG_USEC", ""), os.environ.get("WATCHDOG_PID", "")
    if not text.isdecimal() or int(text) == 0 or (process.isdecimal() and int(process) != os.getpid()):
        return None
    return int(text) / 1_000_000


async def signs_of_life() -> None:
    """A sign of life of the event loop, twice as often as systemd wants one; ends at once if it wants none."""
    every = watchdog_seconds()
    if every is None:
        return
    while True:
        await in_thread(notify, "WATCHDOG=1")
        await asyncio.sleep(every / 2)
