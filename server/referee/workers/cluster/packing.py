"""Bots packed for another machine: a tar archive of a bot's files, the same bytes for the same files, known by SHA-256.

House bots are not packed: they are part of the package that every worker has. What a folder or a command names is
packed below one top, and unpacked below one top elsewhere, where the same text means the same bot.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from referee.hosting.bot.build_copy import MOST_FILES
from referee.hosting.bot.spec import FOLDER, STDIO, BotSpec, Kind
from referee.rules.game import WrongUse
from referee.rules.spelling import printable

MOST_BYTES = 256 << 20
"""Of one bot's files: they are sent to every worker."""
LEFT_OUT = frozenset({".git", "__pycache__", ".venv", "node_modules/.cache"})
"""Folders that are made anew wherever they are needed."""


@dataclass(frozen=True, slots=True)
class PackedBot:
    """A bot on its way to workers; one of the house has no archive."""

    text: str
    """What names it, where its archive was unpacked."""
    data: bytes = b""

    @property
    def digest(self) -> str:
        """What its archive is known by; empty without one."""
        return digest_of(self.data) if self.data else ""


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def pack(spec: BotSpec, base: Path) -> PackedBot:
    """A bot as it is named in the folder `base`; WrongUse if its files are not all of its own folder, or below it."""
    if spec.kind is Kind.HOUSE:
        return PackedBot(spec.text)
    if spec.folder is not None:
        return PackedBot(".", _archive(spec, spec.folder, [spec.folder]))
    top, text = _top(spec, base.resolve())
    outside = [path for path in spec.files if not path.is_relative_to(top)]
    if outside:
        raise WrongUse(
            f"{printable(spec.name)} cannot be sent to other machines: {outside[0]} lies outside {top}; "
            "make a bot folder of it ('referee new' shows one)"
        )
    return PackedBot(text, _archive(spec, top, spec.files))


def _top(spec: BotSpec, base: Path) -> tuple[Path, str]:
    """The folder from which a lone file or a command is packed, and the text that names it from there."""
    prefixes, rest = "", spec.text
    name, equals, behind = rest.partition("=")
    if equals and name == spec.name:
        rest = behind
    while rest.startswith((FOLDER, STDIO)):
        prefix = FOLDER if rest.startswith(FOLDER) else STDIO
        prefixes, rest = prefixes + prefix, rest.removeprefix(prefix).strip()
    path = base / os.path.expanduser(rest)
    if path.is_file():
        return path.parent.resolve(), f"{prefixes}./{path.name}"
    named = [word for word in spec.argv[1:] if os.path.isabs(word) and Path(word) in spec.files]
    if named:
        raise WrongUse(
            f"{printable(spec.name)} cannot be sent to other machines: its command names {named[0]}; name files "
            "relative to the folder in which you start the tournament, or make a bot folder of it"
        )
    return base, f"{prefixes}{rest}"


def _archive(spec: BotSpec, top: Path, paths: Iterable[Path]) -> bytes:
    made = io.BytesIO()
    bytes_left, files_left = MOST_BYTES, MOST_FILES
    with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in _walk(sorted(set(paths))):
            about = path.lstat()
            entry = tarfile.TarInfo(str(path.relative_to(top)))
            entry.mode = 0o755 if about.st_mode & 0o111 or stat.S_ISDIR(about.st_mode) else 0o644
            files_left -= 1
            if stat.S_ISLNK(about.st_mode):
                entry.type, entry.linkname = tarfile.SYMTYPE, _inner_link(spec, top, path)
                tar.addfile(entry)
            elif stat.S_ISDIR(about.st_mode):
                entry.type = tarfile.DIRTYPE
                tar.addfile(entry)
            elif stat.S_ISREG(about.st_mode):
                data = path.read_bytes()
                bytes_left -= len(data)
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
            if bytes_left < 0 or files_left < 0:
                raise WrongUse(
                    f"{printable(spec.name)} cannot be sent to other machines: its files are more than "
                    f"{MOST_BYTES >> 20} MB or {MOST_FILES:,}"
                )
    return made.getvalue()


def _walk(paths: Iterable[Path]) -> Iterator[Path]:
    """Files and what is in folders, in an order that does not depend on the disk."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            inside = sorted(one for one in path.iterdir() if one.name not in LEFT_OUT)
            if path.name not in LEFT_OUT:
                yield path
                yield from _walk(inside)
        else:
            yield path


def _inner_link(spec: BotSpec, top: Path, path: Path) -> str:
    to = os.readlink(path)
    if os.path.isabs(to) or not Path(os.path.realpath(path)).is_relative_to(top):
        where = printable(f"{path.relative_to(top)} -> {to}")
        raise WrongUse(f"{printable(spec.name)} cannot be sent to other machines: a link leads out of it, {where}")
    return to


def unpack(data: bytes, digest: str, top: Path) -> None:
    """Unpack an archive into a new folder; WrongUse if it is not the one that was promised, or leads out of there."""
    if digest_of(data) != digest:
        raise WrongUse("a bot arrived damaged: its bytes are not those that were sent")
    top.mkdir(mode=0o755)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r") as tar:
            tar.extractall(top, filter="data")
    except (tarfile.TarError, OSError) as error:
        raise WrongUse(f"a bot cannot be unpacked: {error}") from None
