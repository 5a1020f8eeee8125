"""Where a bot is put up: what is really executed, in which environment, with which address to connect to.

`OpenAir` runs a bot as the person who started the referee, for one's own bots; `bubblewrap.py` shuts it in.
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
"""Bytes a bot may use if nobody says otherwise."""
PASSED_ON = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH",
    "JAVA_HOME", "NODE_PATH", "GOPATH", "CARGO_HOME", "RUSTUP_HOME", "VIRTUAL_ENV", "PYTHONPATH", "PYENV_ROOT",
)  # fmt: skip
"""What a bot of one's own needs to find its language; tokens and passwords of the host's environment stay behind."""


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
    walled: bool = False
    """Whether it has temporary folders and a network of its own, to be weighed with it."""
    wrappers: int = 1
    """Processes of ours around the program that live as long as it does."""
    cores: float = 0.0
    """How many cores it may keep busy; 0: as many as it likes."""
    stop: int = signal.SIGTERM
    """The signal that ends it, with a moment to say goodbye where that is possible."""
    kill: int = signal.SIGHUP
    """The signal that ends it at once, with all it has started."""
    group: Group | None = None
    """The cgroup that the command enters, to be removed when it has ended."""

    def within(self, group: Group | None) -> Launch:
        """The same, held by a cgroup."""
        return self if group is None else replace(self, argv=(*group.words, *self.argv), group=group)


class Quarters(Protocol):
    """A way to put up bots."""

    def put_up(self, spec: BotSpec, link: Link) -> Launch:
        """What to execute. WrongUse or `SandboxFailed` says why it cannot be done."""


@dataclass(frozen=True, slots=True)
class OpenAir:
    """No walls: the bot can do what the person can who started the referee. Nothing of it survives all the same."""

    memory: int = USUAL_MEMORY

    def put_up(self, spec: BotSpec, link: Link) -> Launch:
        environment = plain_environment(os.environ) | link.environment(str(link.socket))
        return Launch(kept(spec.argv), environment, spec.cwd, memory=granted(spec, self.memory))


def kept(command: tuple[str, ...]) -> tuple[str, ...]:
    """A command of which nothing survives, whatever it starts (`process/keeper.py`)."""
    return (sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "process" / "keeper.py"), *command)


def plain_environment(outer: Mapping[str, str]) -> dict[str, str]:
    """The little of an environment that a bot is given."""
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
