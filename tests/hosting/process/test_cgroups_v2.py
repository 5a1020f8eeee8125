"""cgroup v2 with controllers, played by ordinary files: where groups are made, and what is written into them.

What a kernel makes of it is not checked here; few machines for tests offer it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.hosting.process import cgroups, control_group
from referee.hosting.process.cgroups import AHEAD, OWN_LEAF, Cgroups, find_in
from referee.hosting.process.control_group import CgroupLimits, Hierarchy

SHARE = CgroupLimits(cores=0.5, memory=100 << 20, processes=30, nice=5)
FILES = {"cpu": ("cpu.max", "cpu.weight"), "memory": ("memory.max", "memory.events"), "pids": ("pids.max",)}


class Tree:
    """cgroup v2 as ordinary files: what the kernel puts into a new group, and /proc/self to find it."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.top = tmp_path / "cgroup"
        self.proc = tmp_path / "self"
        self.proc.mkdir()
        self._mkdir, self._rmdir = os.mkdir, os.rmdir
        self.made: list[Path] = []
        self.limits: dict[str, str] = {}
        monkeypatch.setattr(os, "mkdir", self.mkdir)
        monkeypatch.setattr(os, "rmdir", self.rmdir)
        self._writes = control_group.write
        for module in (control_group, cgroups):
            monkeypatch.setattr(module, "write", self.write)

    def own(self, path: str, *, procs: str, above: str = "", limits: str = "max 100000\n") -> Path:
        """Put this process into a group."""
        self.fill(self.top, above, top=True)
        folder = self.top
        for name in Path(path).parts[1:]:
            folder /= name
            self._mkdir(folder)
            self.fill(folder, above)
            (folder / "cpu.max").write_text(limits)
        (folder / "cgroup.procs").write_text(procs)
        (folder / "cgroup.subtree_control").write_text("")
        (self.proc / "cgroup").write_text(f"0::{path}\n")
        (self.proc / "mountinfo").write_text(f"41 31 0:38 / {self.top} rw,relatime - cgroup2 cgroup2 rw\n")
        return folder

    def fill(self, folder: Path, controllers: str, *, top: bool = False) -> None:
        if top:
            self._mkdir(folder)
        for name in ("cgroup.procs", "cgroup.kill", *(() if top else ("cgroup.type",))):
            (folder / name).write_text("")
        (folder / "cgroup.subtree_control").write_text(controllers)
        (folder / "cpu.stat").write_text("usage_usec 2500000\nuser_usec 1\n")

    def mkdir(self, folder: Path, mode: int = 0o777) -> None:
        self._mkdir(folder, mode)
        if self.top in Path(folder).parents:
            self.made.append(Path(folder))
            self.fill(Path(folder), "")
            self.switch_on(Path(folder))

    @staticmethod
    def switch_on(folder: Path) -> None:
        """Every controller that is on above has its files here."""
        for controller in (folder.parent / "cgroup.subtree_control").read_text().split():
            for name in FILES[controller]:
                (folder / name).touch()

    def rmdir(self, folder: Path) -> None:
        if self.top in Path(folder).parents:
            for file in Path(folder).iterdir():
                file.unlink()
        self._rmdir(folder)

    def write(self, file: Path, text: str) -> None:
        if file.name == "cgroup.subtree_control":  # the kernel adds, and refuses where there are processes
            if (file.parent / "cgroup.procs").read_text().strip() and file.parent != self.top:
                raise OSError(16, "busy")
            file.write_text(f"{file.read_text()} {text[1:]}".strip())
            for below in file.parent.glob("*/cgroup.procs"):
                self.switch_on(below.parent)
        elif file.name == "cgroup.procs":  # who enters one group leaves the other
            for other in self.top.rglob("cgroup.procs"):
                left = [pid for pid in other.read_text().split() if pid != text]
                other.write_text("\n".join(left))
            file.write_text(f"{file.read_text()}\n{text}".strip())
        else:
            self._writes(file, text)
            self.limits[file.name] = text


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    return Tree(tmp_path, monkeypatch)


def test_v2_a_service_of_its_own_moves_into_a_leaf_and_makes_groups_beside_it(tree: Tree) -> None:
    own = tree.own("/system.slice/referee.service", procs=str(os.getpid()))
    found = find_in(tree.proc)
    assert found.hierarchies == (Hierarchy(2, own, frozenset({"cpu", "memory", "pids"})),)
    assert (own / OWN_LEAF / "cgroup.procs").read_text() == str(os.getpid())
    assert (own / OWN_LEAF / "cpu.weight").read_text() == AHEAD
    assert found.told() == "bots are held by cgroups v2 (processor time, memory, processes)"
    group = found.group(SHARE)
    assert group is not None
    folder = tree.made[-1]
    assert (folder / "cpu.max").read_text() == "50000 100000"
    assert (folder / "cpu.weight").read_text() == "66"
    assert (folder / "memory.max").read_text() == str(100 << 20)
    assert (folder / "pids.max").read_text() == "30"
    assert str(folder / "cgroup.procs") in group.words
    assert group.seconds() == 2.5
    assert not group.out_of_memory()
    (folder / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
    assert group.out_of_memory()
    assert group.remove()
    assert tree.limits["cgroup.kill"] == "1"
    assert not folder.exists()


def test_v2_a_worker_uses_what_its_parent_has_prepared(tree: Tree) -> None:
    leaf = tree.own(f"/referee.service/{OWN_LEAF}", procs=f"1 {os.getpid()}", above="cpu memory pids")
    assert find_in(tree.proc).hierarchies == (Hierarchy(2, leaf.parent, frozenset({"cpu", "memory", "pids"})),)


def test_v2_in_a_group_with_others_nobody_is_moved_and_groups_are_made_beside_it(tree: Tree) -> None:
    own = tree.own("/app.slice/terminal.scope", procs=f"1\n{os.getpid()}", above="memory pids")
    found = find_in(tree.proc)
    assert found.hierarchies == (Hierarchy(2, own.parent, frozenset({"memory", "pids"})),)
    assert not (own / OWN_LEAF).exists()
    assert found.told() == "bots are held by cgroups v2 (memory, processes) and measured from outside (processor time)"


def test_v2_limits_that_somebody_has_set_on_our_own_group_are_not_escaped(tree: Tree) -> None:
    tree.own("/app.slice/job.scope", procs=f"1\n{os.getpid()}", above="cpu memory pids", limits="50000 100000\n")
    assert find_in(tree.proc) == Cgroups()


def test_a_group_that_is_not_ours_to_write_is_left_alone(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.own("/app.slice/terminal.scope", procs=str(os.getpid()), above="cpu memory pids")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    found = find_in(tree.proc)
    assert found == Cgroups()
    assert "no writable cgroups here" in found.told()


def test_where_there_are_no_cgroups_at_all_bots_are_measured(tmp_path: Path) -> None:
    assert find_in(tmp_path) == Cgroups()
    assert Cgroups().group(SHARE) is None
