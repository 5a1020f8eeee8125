"""Packing a bot's folder for submission: a zip file of its regular files, made where the author is.

Left out is what no bot needs where it plays: version control, caches of Python, and editors' leftovers. A link is
refused here already, as the server would refuse it.
"""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path
from typing import BinaryIO

from referee.hosting.submission.zip_check import LIMITS, PackageLimits
from referee.rules.game import WrongUse
from referee.rules.spelling import printable

LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".venv"})
"""Names of folders that are not packed."""
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The earliest that a zip can tell: two packings of the same files are the same bytes."""


def pack(folder: Path, out: BinaryIO, limits: PackageLimits = LIMITS) -> list[str]:
    """Write a zip of a folder; returns the folders that were left out. WrongUse says why it cannot be packed."""
    if not (folder / "bot.toml").is_file() and not (folder / "bot.py").is_file():
        raise WrongUse(
            f"{folder}: there is no bot in this folder, neither bot.toml nor bot.py ('referee new' makes one)"
        )
    left_out: list[str] = []
    count, size = 0, 0
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, allowZip64=False) as archive:
        for path, about in _files(folder, left_out):
            count, size = count + 1, size + about.st_size
            if count > limits.files:
                raise WrongUse(f"{folder} has more than {limits.files:,} files, which is the most that is taken")
            if size > limits.unpacked:
                raise WrongUse(f"{folder} has more than {limits.unpacked >> 20:,} MB, which is the most that is taken")
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), FIRST_DATE)
            entry.external_attr = (stat.S_IFREG | (0o755 if about.st_mode & 0o111 else 0o644)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return left_out


def _files(folder: Path, left_out: list[str]) -> list[tuple[Path, os.stat_result]]:
    """The regular files below a folder, by path."""
    found = []
    for place, folders, names in os.walk(folder):
        here = Path(place)
        left_out += [(here / name).relative_to(folder).as_posix() for name in folders if name in LEFT_OUT]
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in [*folders, *sorted(names)]:
            path = here / name
            about = path.lstat()
            if stat.S_ISLNK(about.st_mode):
                shown = printable(str(path.relative_to(folder)))
                raise WrongUse(f"{shown} is a link, and links are not taken: put the file itself in its place")
            if stat.S_ISREG(about.st_mode):
                found.append((path, about))
    return found
