"""Content-addressed storage of submitted bots: each package lies in a folder named after the SHA-256 of its contents.

    packages/<digest>/         the files as they were submitted; never changed
    built/<version>/           the same files, built for one version: what is started
    incoming/                  what is being unpacked; emptied when a server starts

The digest is that of a list: one line per file with its SHA-256, whether it can be executed, and its path. A folder is
filled below `incoming` and gets its name when it is whole, in one step: what has a name is complete.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.hosting.bot import folders
from referee.hosting.bot.build_copy import remove
from referee.hosting.submission.zip_check import LIMITS, PackageLimits, PackageRefused, check_zip, unpack
from referee.rules.game import WrongUse

PACKAGES, BUILT, INCOMING = "packages", "built", "incoming"


@dataclass(frozen=True, slots=True)
class Package:
    """A package that was taken in."""

    digest: str
    files: int
    size: int
    """Bytes, unpacked."""


class MissingPackage(Exception):
    """The files of a version are not there, or not what its digest says: a sentence for the host."""


class ContentStore:
    """The packages below one folder, which belongs to the server alone."""

    def __init__(self, folder: Path, limits: PackageLimits = LIMITS) -> None:
        self.folder = folder
        self.limits = limits

    def open(self) -> None:
        """Make the folders, closed to other users, and remove what a killed server was unpacking."""
        for name in ("", PACKAGES, BUILT, INCOMING):
            (self.folder / name).mkdir(mode=0o700, parents=not name, exist_ok=True)
        for path in (self.folder / INCOMING).iterdir():
            remove(path)

    def receive(self) -> Path:
        """A new empty file for an upload."""
        number, name = tempfile.mkstemp(prefix="upload-", dir=self.folder / INCOMING)
        os.close(number)
        return Path(name)

    def take(self, zipped: Path) -> Package:
        """Check a zip, unpack it and keep it under its digest; PackageRefused leaves nothing behind."""
        place = Path(tempfile.mkdtemp(prefix="unpack-", dir=self.folder / INCOMING))
        try:
            files = place / "files"
            files.mkdir(mode=0o755)
            checked = check_zip(zipped, self.limits)
            unpack(checked, files)
            _check_bot(files)
            package = Package(digest_of(files), len(checked.files), checked.size)
            self._keep(files, self.package(package.digest))
            return package
        finally:
            remove(place)

    def package(self, digest: str) -> Path:
        """Where the files of a digest lie as they were submitted."""
        return self.folder / PACKAGES / digest

    def built(self, version: int) -> Path:
        """Where the files of a version lie built; `version` is a number that no other version of any bot has."""
        return self.folder / BUILT / str(version)

    def is_built(self, version: int) -> bool:
        """Whether there is something to start."""
        return self.built(version).is_dir()

    def lay_out(self, digest: str, version: int) -> Path:
        """A fresh copy of a package to be built in place; MissingPackage if it is not what was submitted."""
        source, target = self.package(digest), self.built(version)
        if not source.is_dir():
            raise MissingPackage(f"the files of {digest[:12]} are missing below {self.folder}")
        if digest_of(source) != digest:
            raise MissingPackage(
                f"the files of {digest[:12]} below {self.folder} were changed: restore them from a copy"
            )
        remove(target)
        place = Path(tempfile.mkdtemp(prefix="build-", dir=self.folder / INCOMING))
        try:
            shutil.copytree(source, place / "files")
            os.rename(place / "files", target)
        finally:
            remove(place)
        return target

    def drop(self, digest: str) -> None:
        """Remove the files of a digest."""
        remove(self.package(digest))

    def drop_built(self, version: int) -> None:
        """Remove what was built for a version."""
        remove(self.built(version))

    def _keep(self, files: Path, target: Path) -> None:
        if target.is_dir():  # the same files were submitted before
            return
        try:
            os.rename(files, target)
        except OSError:
            if not target.is_dir():
                raise


def digest_of(folder: Path) -> str:
    """The digest of the files below a folder, whatever they were packed in."""
    listed = hashlib.sha256()
    for path in sorted(_files(folder), key=lambda one: one.relative_to(folder).as_posix()):
        mode = "x" if path.stat().st_mode & 0o100 else "-"
        listed.update(f"{_sha256(path)} {mode} {path.relative_to(folder).as_posix()}\n".encode())
    return listed.hexdigest()


def _check_bot(folder: Path) -> None:
    """PackageRefused if there is no bot in it, or its `bot.toml` is wrong."""
    try:
        if (folder / "bot.toml").is_file():
            folders.read(folder, anywhere=True)
        elif not (folder / "bot.py").is_file():
            raise PackageRefused("there is no bot in it, neither bot.toml nor bot.py beside the other files")
    except WrongUse as error:
        raise PackageRefused(str(error).replace(f"{folder}{os.sep}", "")) from None


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if path.is_symlink() or not path.is_file():
                raise MissingPackage(f"{path} is not a file: it was changed after it was submitted")
            yield path


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
