"""Zip files of strangers (untrusted archives): every entry is checked before the first byte is unpacked.

A submitted bot is a zip file. What it may hold is decided here, from its list of files alone: sizes, counts, names and
kinds of entries. Zip bombs, absolute paths, `..`, links, devices, encrypted entries, names that another file system
would take for each other, and lists that are longer than any bot needs are refused, each with one sentence. Nothing is
written for a zip that is refused.
"""

from __future__ import annotations

import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from referee.rules.game import WrongUse
from referee.rules.spelling import printable

END = b"PK\x05\x06"
END_BYTES = 22
LONGEST_COMMENT = 65_535
ZIP64_LOCATOR = b"PK\x06\x07"
LOCATOR_BYTES = 20
ENTRY_BYTES = 46
"""Of an entry of the list, without its name."""
USUAL_NAME = 512
"""Bytes of the list that are reckoned for the name and the extra fields of an entry."""
LONGEST_PATH = 400
LONGEST_NAME = 200
DEEPEST = 32
KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
OF_FINDER = "__MACOSX/"
"""Where a Mac puts what it knows of files beside them; no bot needs it."""
SHOWN = 80
CHUNK = 1 << 16


class PackageRefused(WrongUse):
    """A submission that is not taken: one sentence says why, and nothing of it is kept."""


@dataclass(frozen=True, slots=True)
class PackageLimits:
    """How large a submission may be."""

    packed: int = 64 << 20
    """Bytes of the zip file."""
    unpacked: int = 256 << 20
    """Bytes of all its files."""
    files: int = 10_000
    """Files and folders."""


LIMITS = PackageLimits()


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file of a package that was checked."""

    path: str
    """Below the folder of the bot, with `/` between its parts."""
    size: int
    executable: bool
    entry: zipfile.ZipInfo


@dataclass(frozen=True, slots=True)
class CheckedZip:
    """The files of a zip that may be unpacked, by path."""

    files: tuple[PackedFile, ...]
    archive: zipfile.ZipFile

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def check_zip(path: Path, limits: PackageLimits = LIMITS) -> CheckedZip:
    """The files of a zip, if all of them may be unpacked; PackageRefused says what is wrong with it.

    The zip stays open for `unpack`, which closes it.
    """
    size = path.stat().st_size
    if size > limits.packed:
        raise PackageRefused(f"the zip has {_mb(size)} MB, and at most {_mb(limits.packed)} MB are taken")
    with path.open("rb") as file:
        _check_list(file, size, limits)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError, UnicodeDecodeError):
        raise PackageRefused("this is not a zip file that can be read: pack it anew") from None
    try:
        files = _bot_files(archive, limits)
    except BaseException:
        archive.close()
        raise
    return CheckedZip(files, archive)


def unpack(checked: CheckedZip, folder: Path) -> None:
    """Write the files below a new folder; PackageRefused if one of them is not what the list says.

    Files are readable for all, as bots run under other user ids; the folder above is for its owner only.
    """
    with checked.archive as archive:
        for file in checked.files:
            place = folder / file.path
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
            _write(archive, file, place)
    for inner, _, _ in os.walk(folder):  # whatever the host's umask is
        os.chmod(inner, 0o755)


def _write(archive: zipfile.ZipFile, file: PackedFile, place: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(place, flags, 0o600), "wb") as out:
        os.fchmod(out.fileno(), 0o755 if file.executable else 0o644)
        written = 0
        try:
            with archive.open(file.entry) as source:
                while chunk := source.read(CHUNK):
                    written += len(chunk)
                    if written > file.size:
                        break
                    out.write(chunk)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError):
            raise PackageRefused(f"{_shown(file.path)} in the zip is damaged: pack it anew") from None
        if written != file.size:
            raise PackageRefused(f"{_shown(file.path)} in the zip is not as long as its list says: pack it anew")


def _check_list(file: BinaryIO, size: int, limits: PackageLimits) -> None:
    """Look at the end of the file before Python reads the whole list into memory: it may have a million entries."""
    file.seek(max(0, size - END_BYTES - LONGEST_COMMENT - LOCATOR_BYTES))
    tail = file.read()
    place = tail.rfind(END)
    if place < 0 or len(tail) - place < END_BYTES:
        raise PackageRefused("this is not a zip file: give a folder, or a zip of it")
    too_many = f"at most {limits.files:,} files and folders are taken"
    if tail[max(0, place - LOCATOR_BYTES) :].startswith(ZIP64_LOCATOR):
        raise PackageRefused(f"the zip is in the form for more than 65,535 files (zip64), and {too_many}")
    count = int.from_bytes(tail[place + 10 : place + 12], "little")
    list_bytes = int.from_bytes(tail[place + 12 : place + 16], "little")
    if count > limits.files or list_bytes > limits.files * (ENTRY_BYTES + USUAL_NAME):
        raise PackageRefused(f"the zip lists {count:,} files in {_mb(list_bytes)} MB of names, and {too_many}")


def _bot_files(archive: zipfile.ZipFile, limits: PackageLimits) -> tuple[PackedFile, ...]:
    entries = archive.infolist()
    if len(entries) > limits.files:
        raise PackageRefused(f"the zip has {len(entries):,} files and folders, and at most {limits.files:,} are taken")
    files: dict[str, PackedFile] = {}
    folders: set[str] = set()
    left = limits.unpacked
    for entry in entries:
        path = _path(entry)
        _check_kind(entry)
        if path.startswith(OF_FINDER):
            continue
        if entry.is_dir():
            folders.add(path)
            continue
        if path in files:
            raise PackageRefused(f"the zip has {_shown(path)} twice")
        left -= entry.file_size
        if left < 0:
            raise PackageRefused(
                f"unpacked it has more than {_mb(limits.unpacked)} MB, which is the most that is taken"
            )
        files[path] = PackedFile(path, entry.file_size, _is_executable(entry), entry)
    _check_names(files.keys(), folders)
    if not files:
        raise PackageRefused("the zip is empty: pack the folder that holds bot.toml")
    return _below_lone_folder(files)


def _below_lone_folder(files: Mapping[str, PackedFile]) -> tuple[PackedFile, ...]:
    """The files by path; of a zip that holds one folder and nothing beside it, what is in that folder."""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) == 1 and all("/" in path for path in files):
        files = {path.partition("/")[2]: replace(one, path=path.partition("/")[2]) for path, one in files.items()}
    return tuple(files[path] for path in sorted(files))


def _path(entry: zipfile.ZipInfo) -> str:
    """The path of an entry below the folder it is unpacked to; PackageRefused if it leads anywhere else."""
    name = entry.orig_filename
    if "\0" in name or any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise PackageRefused(f"the name {_shown(name)} in the zip has characters that no file name has")
    if "\\" in name:
        raise PackageRefused(f"the name {_shown(name)} in the zip has a backslash: pack it with / between folders")
    if name.startswith("/") or (len(name) > 1 and name[1] == ":"):
        raise PackageRefused(
            f"the zip has an absolute path, {_shown(name)}: only paths below the bot's folder are taken"
        )
    parts = name.removesuffix("/").split("/")
    if ".." in parts:
        raise PackageRefused(f"the zip has a path that leads out of it, {_shown(name)}: '..' is not taken")
    if not all(parts) or "." in parts:
        raise PackageRefused(f"the zip has a path with an empty part, {_shown(name)}")
    if len(parts) > DEEPEST:
        raise PackageRefused(f"the zip has more than {DEEPEST} folders inside each other: {_shown(name)}")
    if len(name.encode()) > LONGEST_PATH or any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise PackageRefused(f"the name {_shown(name)} in the zip is too long: at most {LONGEST_PATH} bytes are taken")
    return "/".join(parts)


def _check_kind(entry: zipfile.ZipInfo) -> None:
    mode = entry.external_attr >> 16
    kind, name = stat.S_IFMT(mode), _shown(entry.orig_filename)
    if kind == stat.S_IFLNK:
        raise PackageRefused(f"the zip has a link, {name}: put the file itself in its place")
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or (kind == stat.S_IFDIR) != (kind != 0 and entry.is_dir()):
        raise PackageRefused(f"the zip has {name}, which is neither a file nor a folder")
    if entry.header_offset < 0:  # the list says that it begins later than it does
        raise PackageRefused(f"{name} in the zip is damaged: pack it anew")
    if entry.flag_bits & 0x1:
        raise PackageRefused(f"{name} in the zip is encrypted: pack it without a password")
    if entry.compress_type not in KINDS:
        raise PackageRefused(f"{name} in the zip is packed in an unusual way: use the usual one (deflate)")


def _check_names(files: Iterable[str], folders: set[str]) -> None:
    """No two names that a file system which ignores case would take for each other; no file that is a folder too."""
    paths, every = set(files), set(folders)
    for path in paths:
        parts = path.split("/")
        every.update("/".join(parts[:count]) for count in range(1, len(parts)))
    if both := sorted(paths & every):
        raise PackageRefused(f"the zip has {_shown(both[0])} as a file and as a folder")
    seen: dict[str, str] = {}
    for path in sorted(paths | every):
        other = seen.setdefault(_folded(path), path)
        if other != path:
            raise PackageRefused(f"{_shown(other)} and {_shown(path)} in the zip differ only in case or accents")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _is_executable(entry: zipfile.ZipInfo) -> bool:
    return bool((entry.external_attr >> 16) & 0o111)


def _mb(size: int) -> str:
    return f"{size / (1 << 20):,.1f}".removesuffix(".0")


def _shown(name: str) -> str:
    return printable(name, SHOWN)
