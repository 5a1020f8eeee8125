"""Machines of their own on one: network namespaces with addresses, joined by a bridge, whose links a test can cut."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


class NotAllowed(Exception):
    """Namespaces cannot be made here: says why."""


class Machine:
    """A network namespace with one link to the bridge."""

    def __init__(self, name: str, link: str, address: str) -> None:
        self.name = name
        self.link = link
        """Its end of the cable at the bridge."""
        self.address = address
        self.within = ["ip", "netns", "exec", name]

    def cut(self) -> None:
        ip("link", "set", self.link, "down")

    def mend(self) -> None:
        ip("link", "set", self.link, "up")

    def slow(self, kilobits: int) -> None:
        """Let no more than so much a second through to it."""
        limit = ["rate", f"{kilobits}kbit", "burst", "16kb", "latency", "400ms"]
        _run("tc", "qdisc", "add", "dev", self.link, "root", "tbf", *limit)


class Network:
    """A bridge with machines; this process is one of them."""

    def __init__(self) -> None:
        number = os.getpid() % 250
        self._id = f"rf{os.getpid() % 100000}"
        self._bridge = f"{self._id}b"
        self._net = f"10.231.{number}"
        self.address = f"{self._net}.1"
        self.machines: list[Machine] = []

    def open(self) -> None:
        if os.geteuid() != 0:
            raise NotAllowed("network namespaces need root")
        for program in ("ip", "tc"):
            if shutil.which(program) is None:
                raise NotAllowed(f"there is no program {program!r}")
        try:
            ip("link", "add", self._bridge, "type", "bridge")
            ip("addr", "add", f"{self.address}/24", "dev", self._bridge)
            ip("link", "set", self._bridge, "up")
            self.machine("probe")
        except subprocess.CalledProcessError as error:
            raise NotAllowed(f"network namespaces cannot be made here: {error.stderr.decode().strip()}") from None

    def machine(self, name: str) -> Machine:
        number = len(self.machines) + 2
        made = Machine(f"{self._id}-{name}", f"{self._id}v{number}", f"{self._net}.{number}")
        inner = f"{self._id}i{number}"
        ip("netns", "add", made.name)
        self.machines.append(made)
        ip("link", "add", made.link, "type", "veth", "peer", "name", inner)
        ip("link", "set", made.link, "master", self._bridge, "up")
        ip("link", "set", inner, "netns", made.name)
        _run(*made.within, "ip", "addr", "add", f"{made.address}/24", "dev", inner)
        _run(*made.within, "ip", "link", "set", inner, "up")
        _run(*made.within, "ip", "link", "set", "lo", "up")
        return made

    def close(self) -> None:
        for machine in self.machines:
            with suppress(subprocess.CalledProcessError):
                ip("netns", "del", machine.name)
            with suppress(subprocess.CalledProcessError):
                ip("link", "del", machine.link)
        with suppress(subprocess.CalledProcessError):
            ip("link", "del", self._bridge)


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own that is soon full."""
    place.mkdir()
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=1777", "tmpfs", str(place))
    try:
        yield place
    finally:
        _run("umount", "-l", str(place))


def ip(*words: str) -> None:
    _run("ip", *words)


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)
