"""Launchers: the command line, environment and address with which a bot is really executed.

`NoSandbox` runs a bot as the person who started the referee, for one's own bots. The launcher with a
sandbox is in `bubblewrap.py`.

Children are only ever started through wrapper programs: code between fork and exec (preexec_fn, user=, group=) has
crashed children of a process that holds a gRPC server.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from referee.hosting.bot.spec import BotSpec
from referee.hosting.process.control_group import Group

USUAL_MEMORY = 1 << 30
"""Bytes of memory a bot may use unless the host sets another limit."""
PASSED_ON = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
    "JAVA_HOME", "NODE_PATH", "GOPATH", "CARGO_HOME", "RUSTUP_HOME", "VIRTUAL_ENV", "PYTHONPATH", "PYENV_ROOT",
)  # fmt: skip
"""Variables that a bot needs to find its language; tokens and passwords of the environment are not passed on."""


@dataclass(frozen=True, slots=True)
class Link:
    """How a bot reaches the referee: the unix socket of its worker, its own token and name."""

    socket: Path | None = None
    token: str = ""
    name: str = ""
    concurrency: int = 0

    def environment(self, socket: str) -> dict[str, str]:
        """The variables an SDK reads."""
        if self.socket is None:
            return {}
        return {
            "REFEREE_SERVER": f"unix:{socket}",
            "REFEREE_TOKEN": self.token,
            "REFEREE_NAME": self.name,
            "REFEREE_CONCURRENCY": str(self.concurrency),
        }


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of one bot, ready for exec."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: Path
    descriptors: tuple[int, ...] = field(default=())
    """Open files handed down to the child, closed here once it is started."""
    memory: int = USUAL_MEMORY
    sandboxed: bool = False
    """Whether it has temporary folders and a network of its own, to be measured with it."""
    wrappers: int = 1
    """Processes of ours around the program that live as long as it does."""
    cores: float = 0.0
    """How many cores it may keep busy; 0: as many as it likes."""
    stop: int = signal.SIGTERM
    """The signal that ends it, with a moment to clean up where that is possible."""
    kill: int = signal.SIGHUP
    """The signal that ends it at once, with all it has started."""
    group: Group | None = None
    """The cgroup that the command enters, to be removed when it has ended."""

    def within(self, group: Group | None) -> Launch:
        """The same, held by a cgroup."""
        return self if group is None else replace(self, argv=(*group.words, *self.argv), group=group)


class Launcher(Protocol):
    """A way to start bots."""

    def prepare(self, spec: BotSpec, link: Link) -> Launch:
        """What to execute. WrongUse or `SandboxFailed` says why it cannot be done."""


@dataclass(frozen=True, slots=True)
class NoSandbox:
    """No sandbox: the bot can do what the person can who started the referee. All its processes end with it."""

    memory: int = USUAL_MEMORY

    def prepare(self, spec: BotSpec, link: Link) -> Launch:
        environment = plain_environment(os.environ) | link.environment(str(link.socket))
        return Launch(supervised(spec.argv), environment, spec.cwd, memory=granted(spec, self.memory))


def supervised(command: tuple[str, ...]) -> tuple[str, ...]:
    """A command wrapped so that all its descendants end with it (`process/subreaper.py`)."""
    return (sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "process" / "subreaper.py"), *command)


def plain_environment(outer: Mapping[str, str]) -> dict[str, str]:
    """The few variables of an environment that a bot is given."""
    kept = {name: outer[name] for name in PASSED_ON if name in outer}
    return {"PATH": os.defpath, "LANG": "C.UTF-8"} | kept | ALWAYS


def granted(spec: BotSpec, most: int) -> int:
    """The memory a bot gets: what it asks for, but not more than the host allows."""
    return most if spec.memory is None else min(spec.memory, most)


ALWAYS = {
    "GRPC_ENABLE_FORK_SUPPORT": "0",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
