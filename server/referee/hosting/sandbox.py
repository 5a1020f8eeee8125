"""The sandbox: bubblewrap around a bot, so that it plays and does nothing else.

A bot in here has no network, sees no process but its own, reads the system's programs, its interpreter and its own
folder, and writes only to a temporary folder of limited size that vanishes with it. It reaches one thing outside: the
unix socket of its worker. It runs under a user id of its own without any capability, with limits on memory, processes,
processor time, open files and file size, at lower priority than the referee. When the worker dies, however it dies,
the kernel ends the sandbox with everything in it.

Two ways lead in. As root, bubblewrap lays out the files with root's eyes (an interpreter below a closed home is found)
and `setpriv` then gives up root for good inside: `bwrap --uid` alone would only rename it. As anybody else, bubblewrap
uses a user namespace, in which the bot has the same id as the referee but can reach nothing of it.

Memory: RLIMIT_AS would be exact and cheap, but the runtimes of Java, Go, JavaScript and .NET reserve far more address
space than they use and would not even start. So the exact limit is kept by weighing (`process.py` sums up what the
bot's processes hold and ends it), and RLIMIT_DATA, which does not count what is only reserved, stops a single process
that grows between two weighings.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from referee.hosting import programs, seccomp
from referee.hosting.quarters import ALWAYS, USUAL_MEMORY, Launch, Link, granted
from referee.hosting.spec import BotSpec, Kind

SOCKET_INSIDE = "/run/referee.sock"
HOME_INSIDE = "/tmp"
FIRST_UID, UIDS = 61_000, 4_000
"""User ids for bots where the referee runs as root: no account has them, and every bot gets another."""
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
CONFIGURATION = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "java",
    "ssl",
)
PATH = "/usr/local/bin:/usr/bin:/bin"
PIPES_ASIDE = ("/bin/sh", "-c", 'exec "$@" 8<&0 9>&1 </dev/null >/dev/null', "sh")
PIPES_BACK = ("/bin/sh", "-c", 'exec "$@" <&8 >&9 8<&- 9>&-', "sh")
"""Bubblewrap would keep the bot's stdin and stdout open beside it, and nobody would see them closed; it lets go of
other descriptors."""


class SandboxFailed(Exception):
    """There is no sandbox here, or it will not take this bot: says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot in the sandbox may use."""

    memory: int = USUAL_MEMORY
    processes: int = 128
    """Threads count too."""
    files: int = 512
    """Open at once."""
    disk: int = 64 << 20
    """Bytes in its temporary folder."""
    cores: float = 1.0
    """Cores it may keep busy in the long run (`throttle.py`)."""
    seconds: int = 24 * 3600
    """Processor time of one process; the clock of a match is much stricter, this ends what runs on for days."""
    nice: int = 5
    """Lower priority than the referee's, so that no bot makes the referee late."""


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Quarters with walls. `Sandbox()` is fine for tournaments; call `probe` first to tell people what is missing."""

    limits: Limits = Limits()

    def put_up(self, spec: BotSpec, link: Link) -> Launch:
        if (missing := probe()) is not None:
            raise SandboxFailed(missing)
        return self.wrap(spec, link)

    def wrap(self, spec: BotSpec, link: Link) -> Launch:
        """The bot's command inside all its wrappers."""
        root = os.geteuid() == 0
        if root:
            _check_open(_own(spec))
        limits, memory = self.limits, granted(spec, self.limits.memory)
        uid = FIRST_UID + (os.getpid() * 61 + next(_LODGERS)) % UIDS if root else os.getuid()
        passwd = seccomp.descriptor(f"bot:x:{uid}:{uid}::{HOME_INSIDE}:/bin/sh\n".encode())
        descriptors = [passwd]
        walls = ["--die-with-parent", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        walls += ["--unshare-cgroup-try", "--new-session", "--hostname", "bot"]
        if root:
            walls += ["--cap-drop", "ALL"]
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):  # for setpriv, which then drops them too
                walls += ["--cap-add", capability]
        else:
            walls += ["--unshare-user"]
        if (filter_program := seccomp.program()) is not None:
            descriptors.append(seccomp.descriptor(filter_program))
            walls += ["--seccomp", str(descriptors[-1])]
        rooms = [*_system(), "--proc", "/proc", "--dev", "/dev"]
        rooms += ["--dev-bind", "/dev/null", "/dev/zero"]  # mapped and shared, it is memory that belongs to no process
        for folder in ("/tmp", "/dev/shm"):
            rooms += ["--perms", "1777", "--size", str(limits.disk), "--tmpfs", folder]
        rooms += [*_shown(_readable(spec)), *_folders([spec.cwd / "x", Path(SOCKET_INSIDE)])]
        rooms += ["--perms", "0444", "--ro-bind-data", str(passwd), "/etc/passwd"]
        if link.socket is not None:
            if root:
                os.chmod(link.socket, 0o666)  # its folder stays closed: only who has it bound gets there
            rooms += ["--bind", str(link.socket), SOCKET_INSIDE]
        rooms += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(spec.cwd)]
        keys = [
            "prlimit", f"--nproc={limits.processes}", f"--nofile={limits.files}", f"--data={2 * memory + (1 << 30)}",
            f"--fsize={limits.disk}", f"--cpu={limits.seconds}", "--core=0", "--memlock=0", "--msgqueue=0",
        ]  # fmt: skip
        if root:
            keys += ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--inh-caps=-all"]
            keys += ["--bounding-set=-all", "--no-new-privs"]
        outside, inside = (PIPES_ASIDE, PIPES_BACK) if spec.kind is Kind.STDIO else ((), ())
        argv = (*outside, "nice", "-n", str(limits.nice), "bwrap", *walls, *rooms, "--", *keys, *inside, *spec.argv)
        return Launch(
            argv,
            _environment(spec, link),
            Path("/"),
            tuple(descriptors),
            memory,
            walled=True,
            cores=limits.cores,
            stop=signal.SIGKILL,
            kill=signal.SIGKILL,
        )


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


OWN_BOTS = "for bots that are your own, or that you trust, there is --no-sandbox"
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
        return (
            f"bubblewrap may not make a sandbox ({last}): this system forbids user namespaces. Allow them "
            "('sysctl kernel.unprivileged_userns_clone=1', or --privileged for a container), or run as root"
        )
    return f"bubblewrap failed ({last})"


def _system() -> list[str]:
    """The system's programs and libraries, read-only, laid out as they are outside."""
    rooms = []
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            rooms += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            rooms += ["--ro-bind", str(folder), str(folder)]
    etc = [Path("/etc") / name for name in CONFIGURATION] + sorted(Path("/etc").glob("java-*"))
    return rooms + _shown([path for path in etc if path.exists()])


def _shown(paths: Iterable[Path]) -> list[str]:
    """These paths, read-only, at the place where they are outside."""
    ordered = sorted(dict.fromkeys(paths), key=lambda path: len(path.parts))
    rooms = _folders(ordered)
    for path in ordered:
        rooms += ["--ro-bind", str(path), str(path)]
    return rooms


def _folders(paths: Iterable[Path]) -> list[str]:
    """The folders above these paths, empty but passable: those that bubblewrap makes by itself are root's alone."""
    rooms = []
    for folder in sorted({parent for path in paths for parent in path.parents}, key=lambda path: len(path.parts)):
        if folder not in (Path("/"), Path("/tmp")) and not _within_system(folder):
            rooms += ["--perms", "0755", "--dir", str(folder)]
    return rooms


def _readable(spec: BotSpec) -> list[Path]:
    """What this bot may read besides: its folder or files, and the interpreter it runs on."""
    paths = [*([spec.folder] if spec.folder is not None else []), *spec.files]
    for program in _programs(spec):
        if program.parent == Path(sys.executable).parent:
            paths += _python()
        elif not _within_system(program):
            paths += _prefix(program, spec.folder)
    return [path for path in paths if not _within_system(path)]


def _programs(spec: BotSpec) -> list[Path]:
    """What is started, and what that runs on if it is a script."""
    needed = programs.interpreter(Path(spec.argv[0]))
    return [Path(spec.argv[0]), *([Path(needed)] if needed is not None else [])]


@cache
def _python() -> tuple[Path, ...]:
    """This interpreter with its packages, and the SDK wherever it is installed; nothing of the referee's own files."""
    paths = [Path(sys.prefix), Path(sys.base_prefix), Path(os.path.realpath(sys.executable))]
    sdk = importlib.util.find_spec("arena")
    if sdk is not None:
        paths += [Path(place) for place in sdk.submodule_search_locations or ()]
    return tuple(paths)


def _prefix(program: Path, folder: Path | None) -> list[Path]:
    """A program of another place: where it is installed (X of X/bin/program), if that is not somebody's home.

    What a bot's folder names, or links to, its author has chosen: it opens no place that is not on the host's PATH.
    """
    real = Path(os.path.realpath(program))
    if folder is not None and not _chosen_by_host(program):
        for one in (program, real):
            if not (folder in one.parents or _within_system(one) or _chosen_by_host(one)):
                raise SandboxFailed(f"{one} is neither in the bot's folder nor on the PATH: the sandbox keeps it out")
    closed = {Path("/"), Path.home(), *Path.home().parents, *Path.cwd().parents, Path.cwd()}
    homes = [one.parents[1] for one in (program, real) if one.parent.name == "bin"]
    return [program, real, *(home for home in homes if home not in closed and not _holds_more(home))]


def _chosen_by_host(program: Path) -> bool:
    """Whether it is a program on the PATH, or lies beside the Python we run on."""
    places = {os.path.realpath(place) for place in (*os.get_exec_path(), os.path.join(sys.base_prefix, "bin"))}
    return os.path.realpath(program.parent) in places or programs.on_path(program.name) == str(program)


def _holds_more(home: Path) -> bool:
    """~/.local, ~/.cargo and the like hold a person's own files beside the programs."""
    return home.parent == Path.home() and home.name.startswith(".") and not (home / "pyvenv.cfg").exists()


def _own(spec: BotSpec) -> list[Path]:
    """The bot's folder, or its files; of a folder, also the files its command names."""
    if spec.folder is None:
        return list(spec.files)
    named = [spec.folder / word for word in spec.argv]
    return [spec.folder, *(path for path in named if os.path.isfile(path) and spec.folder in path.parents)]


def _check_open(paths: Iterable[Path]) -> None:
    """The bot runs under a user id of its own, which has to be able to read what is the bot's."""
    for path in paths:
        needed = stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH
        if path.exists() and path.stat().st_mode & needed != needed:
            raise SandboxFailed(f"{path} is closed to others, so its own bot could not read it: 'chmod -R o+rX {path}'")


def _within_system(path: Path) -> bool:
    return any(Path(folder) in (path, *path.parents) for folder in SYSTEM)


def _environment(spec: BotSpec, link: Link) -> dict[str, str]:
    places = [str(program.parent) for program in _programs(spec)[1:] if not _within_system(program)]
    private = {
        "PATH": ":".join([*places, PATH]),
        "HOME": HOME_INSIDE,
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
        "USER": "bot",
    }
    return private | ALWAYS | link.environment(SOCKET_INSIDE)
