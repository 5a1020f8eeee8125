"""Staging copy for builds: a private copy of a bot's folder, and taking over what the build has made in it.

A build never writes to the folder itself: it may run under another user id, and what it leaves could be anything. Back
come regular files, folders and links that stay inside the folder, of limited number and size; devices, pipes, sockets
and set-user-id bits do not. Every step goes through open folders and follows no link, so that nothing is read or
written outside, whatever is exchanged meanwhile. All is looked at before the first file is touched: a build that is
refused, or that fails, leaves the folder as it was.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from referee.hosting.sandbox.toolchains import within_system
from referee.rules.game import WrongUse
from referee.rules.spelling import printable

MOST_BYTES = 4 << 30
MOST_FILES = 250_000
DEEPEST = 64
PREFIX = "referee-build-"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
CHUNK = 1 << 20


class Staging:
    """A private copy of a folder. Made by `staged`."""

    def __init__(self, folder: Path, copy: Path, uid: int) -> None:
        self.folder = folder
        self.copy = copy
        self._given = _Tree(folder, _Allowance(f"{folder} is too large to be built"))
        with _opened(folder) as source, _opened(copy) as target:
            owner = (uid, uid) if os.geteuid() == 0 else None
            self._given.copy(source, target, _Rules(owner))
            if owner is not None:
                os.fchown(target, *owner)

    def bring_back(self) -> None:
        """Take over what the build has made; WrongUse says why nothing of it is taken."""
        refused = f"what the build left in {self.folder} is not taken over"
        with _opened(self.copy, force=True) as source, _opened(self.folder) as target:
            about = os.fstat(target)
            root = os.geteuid() == 0
            rules = _Rules((about.st_uid, about.st_gid) if root else None, 0o444 if root else 0o400)
            for place in (None, target):
                _Tree(self.folder, _Allowance(refused), self._given).copy(source, place, rules)


@contextmanager
def staged(folder: Path, uid: int) -> Iterator[Staging]:
    """A copy that belongs to this user id, gone afterwards."""
    place = _place()
    _clear_away(place)
    outer = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))  # closed to all other users
    lock = os.open(outer, FOLDER)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        copy = outer / "folder"
        copy.mkdir(mode=0o755)
        yield Staging(folder, copy, uid)
    finally:
        remove(outer)
        os.close(lock)


def remove(folder: Path) -> None:
    """Remove a folder even if a build has closed parts of it, or made it endlessly deep; nothing may run in it now."""
    for command in (("chmod", "-R", "u+rwX", "--"), ("rm", "-rf", "--")):
        subprocess.run([*command, str(folder)], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def _place() -> str:
    """Where copies are made: on a disk if possible, and where programs may be started."""
    for place in (os.environ.get("TMPDIR", ""), "/var/tmp", tempfile.gettempdir()):
        if os.path.isdir(place) and os.access(place, os.W_OK) and not os.statvfs(place).f_flag & os.ST_NOEXEC:
            return place
    return tempfile.gettempdir()


def _clear_away(place: str) -> None:
    """Remove the copies of referees that were killed: those of this user that no process holds locked."""
    for path in Path(place).glob(f"{PREFIX}*"):
        try:
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            lock = os.open(path, FOLDER)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(path)
        except OSError:  # another process builds there
            continue
        finally:
            os.close(lock)


@dataclass(slots=True)
class _Allowance:
    """How much may be copied; WrongUse says what happened when it is used up."""

    refused: str
    bytes: int = field(default_factory=lambda: MOST_BYTES)
    files: int = field(default_factory=lambda: MOST_FILES)

    def take(self, size: int) -> None:
        self.files -= 1
        self.bytes -= size
        if self.files < 0:
            raise WrongUse(f"{self.refused}: there are more than {MOST_FILES:,} files and folders")
        if self.bytes < 0:
            raise WrongUse(f"{self.refused}: it is more than {MOST_BYTES >> 20:,} MB")


@dataclass(frozen=True, slots=True)
class _Rules:
    owner: tuple[int, int] | None
    readable: int = 0o400


@dataclass(slots=True)
class _Tree:
    """A folder on its way from one place to the other, folder by folder."""

    folder: Path
    """The folder as people know it."""
    allowance: _Allowance
    given: _Tree | None = None
    """On the way back, what the build was given: links that were there stay, and what is gone is removed."""
    seen: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)

    def copy(self, source: int, target: int | None, rules: _Rules, inner: str = "") -> None:
        """From one open folder to the other; without a target everything is only looked at."""
        if inner.count("/") >= DEEPEST:
            raise WrongUse(f"{self.allowance.refused}: there are more than {DEEPEST} folders inside each other")
        names = sorted(os.listdir(source))
        for name in names:
            about = os.stat(name, dir_fd=source, follow_symlinks=False)
            path = inner + name
            self.seen.add(path)
            if stat.S_ISDIR(about.st_mode):
                self.allowance.take(0)
                self._folder(name, source, target, rules, path)
            elif stat.S_ISREG(about.st_mode):
                self._file(name, source, target, rules)
            elif stat.S_ISLNK(about.st_mode):
                self.allowance.take(0)
                self._link(name, source, target, rules, path)
        if target is not None and self.given is not None:
            for name in set(os.listdir(target)) - set(names):
                if inner + name in self.given.seen:
                    _remove_at(name, target)

    def _folder(self, name: str, source: int, target: int | None, rules: _Rules, path: str) -> None:
        with _opened(name, source, force=self.given is not None) as inner:
            if target is None:
                self.copy(inner, None, rules, f"{path}/")
                return
            made = not _is(name, target, stat.S_ISDIR)
            if made:
                _remove_at(name, target)
                os.mkdir(name, 0o755, dir_fd=target)
            with _opened(name, target) as other:
                self.copy(inner, other, rules, f"{path}/")
                if made and rules.owner is not None:
                    os.fchown(other, *rules.owner)

    def _file(self, name: str, source: int, target: int | None, rules: _Rules) -> None:
        file = _open(name, source, FILE, force=self.given is not None)
        try:
            about = os.fstat(file)
            if not stat.S_ISREG(about.st_mode):
                return
            self.allowance.take(about.st_size)
            if target is None or (self.given is not None and _is_same(name, target, about)):
                return
            new = f".{PREFIX}{secrets.token_hex(8)}"
            made = os.open(new, NEW_FILE, 0o600, dir_fd=target)
            try:
                _pour(file, made, about.st_size)
                if rules.owner is not None:
                    os.fchown(made, *rules.owner)
                os.fchmod(made, about.st_mode & 0o755 | rules.readable)
                os.utime(made, ns=(about.st_mtime_ns, about.st_mtime_ns))
                _put(new, name, target)
            except BaseException:
                with suppress(OSError):
                    os.unlink(new, dir_fd=target)
                raise
            finally:
                os.close(made)
        finally:
            os.close(file)

    def _link(self, name: str, source: int, target: int | None, rules: _Rules, path: str) -> None:
        to = self.links[path] = os.readlink(name, dir_fd=source)
        if self.given is not None:
            if self.given.links.get(path) == to:
                return
            if not self._stays_inside(to, path):
                where = printable(f"{path} -> {to}")
                raise WrongUse(f"{self.allowance.refused}: it made a link that leads out of the folder, {where}")
        if target is not None:
            new = f".{PREFIX}{secrets.token_hex(8)}"
            os.symlink(to, new, dir_fd=target)
            if rules.owner is not None:
                os.chown(new, *rules.owner, dir_fd=target, follow_symlinks=False)
            _put(new, name, target)

    def _stays_inside(self, to: str, path: str) -> bool:
        """Whether a link leads to a place in the folder or in the system.

        Dots are taken only at the beginning, where they lead up through real folders: behind the name of another link
        they would lead anywhere.
        """
        if os.path.isabs(to):
            place = Path(to)
            return ".." not in place.parts and (within_system(place) or self.folder in (place, *place.parents))
        words = [word for word in to.split("/") if word not in ("", ".")]
        up = next((number for number, word in enumerate(words) if word != ".."), len(words))
        return ".." not in words[up:] and up <= path.count("/")


@contextmanager
def _opened(name: str | Path, folder: int | None = None, *, force: bool = False) -> Iterator[int]:
    """A folder, opened; itself, not what a link of that name leads to."""
    file = _open(name, folder, FOLDER, force=force)
    try:
        yield file
    finally:
        os.close(file)


def _open(name: str | Path, folder: int | None, flags: int, *, force: bool) -> int:
    """Open a file or folder; by `force`, even if a build that ran under our own id has closed it."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except PermissionError:
        if not force:
            raise
        handle = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            if not stat.S_ISLNK(os.fstat(handle).st_mode):
                os.chmod(f"/proc/self/fd/{handle}", 0o700)
        finally:
            os.close(handle)
        return os.open(name, flags, dir_fd=folder)


def _pour(source: int, target: int, size: int) -> None:
    """Copy so many bytes, or fewer if there are no more."""
    while size > 0 and (chunk := os.read(source, min(size, CHUNK))):
        size -= len(chunk)
        view = memoryview(chunk)
        while view:
            view = view[os.write(target, view) :]


def _is(name: str, folder: int, kind: Callable[[int], bool]) -> bool:
    try:
        return kind(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _is_same(name: str, folder: int, about: os.stat_result) -> bool:
    """Whether a file lies there already as it is here: make and its kind go by the same signs."""
    try:
        there = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    signs = [(one.st_size, one.st_mtime_ns, stat.S_IFMT(one.st_mode), one.st_mode & 0o111) for one in (there, about)]
    return signs[0] == signs[1]


def _put(new: str, name: str, folder: int) -> None:
    """Give a finished file its name, in place of whatever has it."""
    if _is(name, folder, stat.S_ISDIR):
        _remove_at(name, folder)
    os.rename(new, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove_at(name: str, folder: int) -> None:
    if _is(name, folder, stat.S_ISDIR):
        shutil.rmtree(name, dir_fd=folder)
    else:
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)
