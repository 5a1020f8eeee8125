"""The sandbox (bubblewrap): namespaces, a seccomp filter, a user id and limits around each bot.

A bot in here has no network, sees no process but its own, reads the system's programs, its interpreter and its own
folder, and writes only to a temporary folder of limited size that vanishes with it. It reaches one thing outside: the
unix socket of its worker. It runs under a user id of its own without any capability, with limits on memory, processes,
processor time, open files and file size, at lower priority than the referee. When the worker dies, however it dies,
the kernel ends the sandbox with everything in it.

There are two set-ups. As root, bubblewrap mounts the files with root's rights (an interpreter below a closed home is
found), and `setpriv` then gives up root for good inside: `bwrap --uid` alone would only rename it. As any other user,
bubblewrap uses a user namespace, in which the bot has the same id as the referee but can reach nothing of it.

Memory: RLIMIT_AS would be exact and cheap, but the runtimes of Java, Go, JavaScript and .NET reserve far more address
space than they use and would not even start. So the exact limit is kept by measuring (`process/bot_process.py` sums up
what the bot's processes hold and ends it), and RLIMIT_DATA, which does not count what is only reserved, stops a single
process that grows between two measurements. A cgroup, where one can be had, holds all processes together
(`process/cgroups.py`).
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.process import cgroups
from referee.hosting.process.cgroups import Cgroups
from referee.hosting.process.control_group import CgroupLimits
from referee.hosting.sandbox import mounts, seccomp, toolchains
from referee.hosting.sandbox.launch import ALWAYS, USUAL_MEMORY, Launch, Link, granted
from referee.hosting.sandbox.mounts import SandboxFailed as SandboxFailed

SOCKET_INSIDE = "/run/referee.sock"
HOME_INSIDE = "/tmp"
HOSTNAME = "referee-bot"
FIRST_UID, UIDS = 61_000, 4_000
"""User ids for bots where the referee runs as root: no account has them, and every bot gets another."""
PATH = "/usr/local/bin:/usr/bin:/bin"
CACHE = 64 << 20
"""Bytes of a bot's cgroup for what is its own and not measured: kernel structures, and files kept in memory."""
WRAPPERS = 4
"""Processes of ours that are in a bot's cgroup at most."""
ASIDE = (
    "{{ echo 1000 >/proc/self/oom_score_adj; }} 2>/dev/null; "
    'exec "$@" 7>/proc/$PPID/fd/{life} 8<&0 9>&1 </dev/null >/dev/null'
)
BACK = 'printf . >&7 || exit 1; exec "$@" <&8 >&9 7>&- 8<&- 9>&-'
"""Shell wrappers around bubblewrap. It would keep the bot's stdin and stdout open beside it, and the referee would not
see them closed; it lets go of other descriptors. And it binds what it has started to itself only at the end of its
work: what has come this far without us (no reader is left of our pipe) ends by itself. If the machine runs out of
memory before a bot's memory was measured, the kernel ends a bot, and not the referee."""


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What a bot in the sandbox may use."""

    memory: int = USUAL_MEMORY
    processes: int = 128
    """Threads count too."""
    files: int = 512
    """Open at once."""
    disk: int = 64 << 20
    """Bytes in its temporary folder."""
    cores: float = 1.0
    """Cores it may keep busy in the long run."""
    seconds: int = 24 * 3600
    """Processor time of one process; the clock of a match is much stricter, this ends what runs on for days."""
    nice: int = 5
    """Lower priority than the referee's, so that no bot makes the referee late."""

    def share(self, memory: int) -> CgroupLimits:
        """For the cgroup of a bot. It counts the wrappers too, and of memory also what lies in the temporary folders
        and the cache of files: the exact limit is kept by measuring, this one stops a bot that grows faster."""
        return CgroupLimits(self.cores, memory + 2 * self.disk + CACHE, self.processes + WRAPPERS, self.nice)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A `Launcher` with a sandbox. `Sandbox()` is fine for tournaments; call `probe` first, it says what is missing."""

    limits: SandboxLimits = SandboxLimits()
    groups: Cgroups | None = None
    """The cgroups to use; None: what can be had here."""

    def prepare(self, spec: BotSpec, link: Link) -> Launch:
        if (missing := probe()) is not None:
            raise SandboxFailed(missing)
        _clear_once()
        launch = self.wrap(spec, link)
        groups = cgroups.find() if self.groups is None else self.groups
        return launch.within(groups.group(self.limits.share(launch.memory)))

    def wrap(self, spec: BotSpec, link: Link) -> Launch:
        """The bot's command inside all its wrappers."""
        root = os.geteuid() == 0
        if root:
            mounts.check_open(mounts.own(spec))
        inside = [*mounts.readable(spec), *mounts.folders_above([spec.cwd / "x", Path(SOCKET_INSIDE)])]
        if link.socket is not None:
            if root:
                os.chmod(link.socket, 0o666)  # its folder stays closed: only a sandbox that binds it reaches it
            # Connecting needs no more than reading. All bots share the socket, and where the referee is not root they
            # own it: writable, one of them could close it to the others.
            inside += ["--ro-bind", str(link.socket), SOCKET_INSIDE]
        return enclosed(
            spec, self.limits, inside, _environment(spec, link), own_uid(), granted(spec, self.limits.memory)
        )


def own_uid() -> int:
    """The user id for a bot: another for every one as root, else our own, behind a user namespace.

    The kernel counts processes by user id, so two bots with one id would share their limit. Other workers, and other
    runs on this machine, take ids from the same range: an id that any process has is passed over.
    """
    if os.geteuid() != 0:
        return os.getuid()
    taken = _uids_in_use()
    ids = (FIRST_UID + (os.getpid() * 61 + next(_LODGERS)) % UIDS for _ in range(UIDS))
    return next((uid for uid in ids if uid not in taken), FIRST_UID)


def _uids_in_use() -> set[int]:
    found = set()
    with os.scandir("/proc") as entries:
        for entry in entries:
            if entry.name.isdecimal():
                with suppress(OSError):  # it has just ended
                    found.add(entry.stat().st_uid)
    return found


def enclosed(
    spec: BotSpec,
    limits: SandboxLimits,
    mounts_inside: list[str],
    environment: dict[str, str],
    uid: int,
    memory: int,
    *,
    network: bool = False,
    building: bool = False,
) -> Launch:
    """The command of a spec inside a sandbox; it sees the system and these mounts."""
    root = os.geteuid() == 0
    passwd = seccomp.descriptor(f"bot:x:{uid}:{uid}::{HOME_INSIDE}:/bin/sh\n".encode())
    descriptors = [passwd]
    isolation = ["--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    isolation += ["--new-session", "--hostname", HOSTNAME, *([] if network else ["--unshare-net"])]
    if root:
        isolation += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for setpriv, which then drops them too
            isolation += ["--cap-add", capability]
    else:
        isolation += ["--unshare-user"]
    if (filter_program := seccomp.program(building=building)) is not None:
        descriptors.append(seccomp.descriptor(filter_program))
        isolation += ["--seccomp", str(descriptors[-1])]
    inside = [*mounts.system(), "--proc", "/proc", "--dev", "/dev"]
    inside += ["--dev-bind", "/dev/null", "/dev/zero"]  # mapped and shared, it is memory that belongs to no process
    for folder in ("/tmp", "/dev/shm"):
        inside += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", folder]
    inside += [*mounts_inside, "--perms", "0444", "--ro-bind-data", str(passwd), "/etc/passwd"]
    # A bot that could write to /proc would take back that the kernel ends it first when memory runs out.
    inside += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(spec.cwd)]
    keys = [
        "prlimit", f"--nproc={_most(limits.processes, resource.RLIMIT_NPROC)}",
        f"--nofile={_most(limits.files, resource.RLIMIT_NOFILE)}", f"--data={2 * memory + (1 << 30)}",
        f"--fsize={limits.disk}", f"--cpu={limits.seconds}", "--core=0", "--memlock=0", "--msgqueue=0",
    ]  # fmt: skip
    if root:
        keys += ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
        keys += ["--bounding-set=-all", "--no-new-privs"]
    aside = ("/bin/sh", "-c", ASIDE.format(life=_life()), "sh")
    back = ("/bin/sh", "-c", BACK, "sh")
    bound = ("setpriv", "--pdeathsig", "KILL", *aside, "nice", "-n", str(limits.nice))
    argv = (*bound, "bwrap", *isolation, *inside, "--", *keys, *back, *spec.argv)
    return Launch(
        argv,
        environment,
        Path("/"),
        tuple(descriptors),
        memory,
        sandboxed=True,
        wrappers=2,
        cores=limits.cores,
        stop=signal.SIGKILL,
        kill=signal.SIGKILL,
    )


def _most(wanted: int, kind: int) -> int:
    """A limit, but not above what we have ourselves: only root can raise that."""
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


@cache
def probe() -> str | None:
    """None if bots can be sandboxed here; else what is missing and how to get it."""
    if sys.platform != "linux":
        return f"the sandbox needs Linux (bubblewrap); {OWN_BOTS}"
    if shutil.which("bwrap") is None:
        return (
            "the sandbox needs bubblewrap, which is not installed: 'apt-get install bubblewrap', "
            f"'dnf install bubblewrap' or 'pacman -S bubblewrap'; {OWN_BOTS}"
        )
    for program in ("prlimit", "setpriv", "nice"):
        if shutil.which(program) is None:
            return (
                f"the sandbox needs {program!r}, which is not installed (package util-linux or coreutils); {OWN_BOTS}"
            )
    trial = BotSpec("trial", (shutil.which("true") or "/bin/true",), Kind.STDIO, Path("/tmp"))
    launch = Sandbox().wrap(trial, Link())
    try:
        done = subprocess.run(
            launch.argv,
            env=launch.environment,
            cwd=launch.cwd,
            pass_fds=launch.descriptors,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"a trial of the sandbox did not end within 20 seconds; {OWN_BOTS}"
    finally:
        for file in launch.descriptors:
            os.close(file)
    if done.returncode == 0:
        return None
    return f"{_why(done.stderr.decode('utf-8', 'replace'))}; {OWN_BOTS}"


def what_holds() -> str:
    """One line: how bots are kept to their share of processor time, memory and processes on this machine."""
    return cgroups.find().told()


def clear_away() -> None:
    """End orphaned sandboxes: when a worker is killed, a half-built sandbox may wait for ever for the rest."""
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":\t", 1) for line in status.read_text().splitlines() if ":\t" in line)
            first_inside = fields.get("NSpid", "").split()[1:] == ["1"]
            if fields["Name"] == "bwrap" and first_inside and fields["PPid"] == "1" and _is_ours(status.parent):
                os.kill(int(status.parent.name), signal.SIGKILL)
        except (OSError, ValueError):  # gone meanwhile, or not ours to end
            continue


def _is_ours(process: Path) -> bool:
    words = (process / "cmdline").read_bytes().split(b"\0")
    return b"--hostname" in words and words[words.index(b"--hostname") + 1] == HOSTNAME.encode()


@cache
def _clear_once() -> None:
    clear_away()


def _life() -> int:
    """The end of a pipe that has a reader as long as this process lives."""
    reader = _pipe()
    with suppress(BlockingIOError):
        os.read(reader, 1 << 16)  # what earlier starts have written, or it would be full one day
    return reader


@cache
def _pipe() -> int:
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    os.close(writer)
    return reader


OWN_BOTS = "for bots that are your own, or that you trust, there is --no-sandbox"
DROP_IN = (
    "Install server/deploy/submissions.conf beside the unit, then 'systemctl daemon-reload' and 'systemctl restart "
    "referee'"
)
"""The unit that comes with Referee forbids what a sandbox needs, and so does many another."""
_LODGERS = count()


def _why(words: str) -> str:
    last = (words.strip().splitlines() or ["no reason given"])[-1]
    if any(hint in words for hint in ("uid map", "new namespace", "No permissions", "Operation not permitted")):
        switch = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
        if switch.exists() and switch.read_text().strip() != "0":
            return (
                f"bubblewrap may not make a sandbox ({last}): AppArmor blocks user namespaces here. Allow them for "
                "bwrap with a profile in /etc/apparmor.d, or for all programs with "
                "'sysctl kernel.apparmor_restrict_unprivileged_userns=0'"
            )
        if "NOTIFY_SOCKET" in os.environ:
            return (
                f"bubblewrap may not make a sandbox ({last}): the unit of this service forbids namespaces, or the "
                f"system does. {DROP_IN}"
            )
        return (
            f"bubblewrap may not make a sandbox ({last}): this system forbids user namespaces. Allow them "
            "('sysctl kernel.unprivileged_userns_clone=1', or --privileged for a container), or run as root"
        )
    return f"bubblewrap failed ({last})" + (f": {DROP_IN[0].lower()}{DROP_IN[1:]}" if "NETLINK" in words else "")


def _environment(spec: BotSpec, link: Link) -> dict[str, str]:
    places = [program.parent for program in toolchains.chain(spec)[1:]]
    return private_environment(places) | link.environment(SOCKET_INSIDE)


def private_environment(places: Iterable[Path]) -> dict[str, str]:
    """The variables of a program in the sandbox, which finds others in these places and where they usually are."""
    private = {
        "PATH": ":".join(dict.fromkeys([*map(str, places), *PATH.split(":")])),
        "HOME": HOME_INSIDE,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "USER": "bot",
    }
    return private | ALWAYS
