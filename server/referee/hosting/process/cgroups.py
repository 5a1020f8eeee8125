"""Control groups (cgroups), v1 and v2: finds out which limits the kernel can set on bots on this machine.

cgroup v2: one hierarchy for all controllers. A group that has controllers for its subgroups must have no processes of
its own, so our own group is usable as it is only at the very top. Otherwise, in this order: if only we and our
children are in our group (a service of systemd with `Delegate=yes`), we move into a subgroup; if our group sets no
limits of its own and the one above may be written (a terminal of systemd's user manager), groups are made beside ours,
with the controllers that are on there already.

cgroup v1: a hierarchy per controller; groups are made below our own.

What cgroups cannot limit is measured from outside (`processor_time.py`, `throttle.py`, `usage.py`).
"""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from referee.hosting.process.control_group import CgroupLimits, Group, Hierarchy, clear_away, processes, write
from referee.hosting.process.usage import measure

CONTROLLERS = ("cpu", "memory", "pids")
NAMES = {"cpu": "processor time", "memory": "memory", "pids": "processes"}
DIFFERENCE = "so a burst is noticed a fraction of a second late"
OWN_LEAF = "referee.itself"
"""The subgroup that we move into ourselves."""
AHEAD = "10000"
"""The weight of our own subgroup among the bots': the most there is, so that no number of bots makes us late."""
TRIAL = CgroupLimits(cores=1.0, memory=64 << 20, processes=16, nice=0)
TRIAL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Cgroups:
    """What can be used here. `Cgroups()` uses nothing."""

    hierarchies: tuple[Hierarchy, ...] = ()

    @property
    def held(self) -> frozenset[str]:
        """The controllers that hold a bot."""
        return frozenset(name for one in self.hierarchies for name in one.controllers if name in CONTROLLERS)

    def group(self, share: CgroupLimits) -> Group | None:
        """For one run of a bot; None: it has to be measured from outside."""
        return Group.make(self.hierarchies, share)

    def clear_away(self) -> None:
        """Remove what killed referees have left."""
        for hierarchy in self.hierarchies:
            clear_away(hierarchy.base)

    def told(self) -> str:
        """One line for people."""
        held = ", ".join(NAMES[name] for name in CONTROLLERS if name in self.held)
        measured = ", ".join(NAMES[name] for name in CONTROLLERS if name not in self.held)
        if not self.hierarchies:
            return f"bots are measured from outside ({measured}), {DIFFERENCE}: no writable cgroups here"
        if not held:
            why = "cgroups here count processor time, but set no limits"
            return f"bots are measured from outside ({measured}), {DIFFERENCE}: {why}"
        versions = sorted({one.version for one in self.hierarchies if one.controllers & set(CONTROLLERS)})
        words = f"bots are held by cgroups {' and '.join(f'v{version}' for version in versions)} ({held})"
        return f"{words} and measured from outside ({measured})" if measured else words


@cache
def find() -> Cgroups:
    """What this process may use. Clears away what killed referees have left."""
    return find_in(Path("/proc/self"))


def find_in(process: Path) -> Cgroups:
    """The same, for the process of a folder in /proc."""
    usable: list[Hierarchy] = []
    taken: frozenset[str] = frozenset()
    with suppress(OSError, ValueError, IndexError):
        for version, folder, controllers in _own_groups(process):
            hierarchy = _version_2(folder) if version == 2 else _version_1(folder, controllers - taken)
            if hierarchy is not None and _works(hierarchy):
                usable.append(hierarchy)
                taken |= hierarchy.controllers | {"cpuacct"} if version == 2 else hierarchy.controllers
    return Cgroups(tuple(usable))


def _own_groups(process: Path) -> list[tuple[int, Path, frozenset[str]]]:
    """Of every mounted hierarchy: its version, our own group's folder and the controllers; v2 comes first."""
    paths: dict[frozenset[str], str] = {}
    for line in (process / "cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        paths[frozenset(names.split(",")) - {""}] = path
    found = []
    for line in (process / "mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        root, point = before.split()[3:5]
        kind, _, settings = after.split()[:3]
        if kind not in ("cgroup", "cgroup2"):
            continue
        mounted = set(settings.split(","))
        for controllers, path in paths.items():
            if (controllers and controllers <= mounted) if kind == "cgroup" else not controllers:
                below = os.path.relpath(path, root)
                folder = Path(os.path.normpath(Path(_unescaped(point)) / below))
                if not below.startswith("..") and os.getpid() in processes(folder):
                    found.append((2 if kind == "cgroup2" else 1, folder, controllers))
    return sorted(found, key=lambda one: -one[0])


def _unescaped(text: str) -> str:
    return text.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")


def _version_1(folder: Path, controllers: frozenset[str]) -> Hierarchy | None:
    wanted = controllers & {*CONTROLLERS, "cpuacct"}
    return Hierarchy(1, folder, wanted) if wanted else None


def _version_2(folder: Path) -> Hierarchy | None:
    """Where groups may be made without breaking the rule of no processes beside subgroups."""
    if folder.name == OWN_LEAF:  # of the process that started this one
        base: Path | None = folder.parent
    elif not (folder / "cgroup.type").exists():  # the very top, where the rule does not hold
        base = folder
        _switch_on(base)
    elif os.access(folder / "cgroup.subtree_control", os.W_OK) and _ours_alone(folder):
        base = folder
        with suppress(OSError):
            _move_down(folder)
            _switch_on(base)
    else:
        base = folder.parent if _unlimited(folder) else None
    if base is None:
        return None
    on = (base / "cgroup.subtree_control").read_text().split()
    return Hierarchy(2, base, frozenset(on) & set(CONTROLLERS))


def _ours_alone(folder: Path) -> bool:
    ours = {pid for pid, _ in measure(os.getpid()).family}
    return set(processes(folder)) <= ours


def _move_down(folder: Path) -> None:
    leaf = folder / OWN_LEAF
    leaf.mkdir(exist_ok=True)
    for pid in processes(folder):
        with suppress(ProcessLookupError):
            write(leaf / "cgroup.procs", str(pid))


def _switch_on(base: Path) -> None:
    for controller in CONTROLLERS:
        with suppress(OSError):
            write(base / "cgroup.subtree_control", f"+{controller}")
    with suppress(OSError):
        write(base / OWN_LEAF / "cpu.weight", AHEAD)


def _unlimited(folder: Path) -> bool:
    """Whether leaving this group would escape no limit that is set on it."""
    for file in ("cpu.max", "memory.max", "memory.high"):
        with suppress(FileNotFoundError):
            if not (folder / file).read_text().startswith("max"):
                return False
    return True


def _works(hierarchy: Hierarchy) -> bool:
    """A trial with a real process; v2 without controllers is of use too, for it counts processor time."""
    if not os.access(hierarchy.base, os.W_OK):
        return False
    clear_away(hierarchy.base)
    group = Group.make((hierarchy,), TRIAL)
    if group is None:
        return False
    try:
        done = subprocess.run(
            [*group.words, "/bin/true"],
            capture_output=True,
            timeout=TRIAL_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
    finally:
        until = time.monotonic() + TRIAL_SECONDS
        while not group.remove() and time.monotonic() < until:
            time.sleep(0.001)
