"""Files that an option names: who may name one, where it may lie, and how much of it is read.

An option may come from anywhere: a command line, a scenario, a stored tournament, a record, a bot on the network. Only
some of these may make this process open a file, and only the caller knows which one it is. So a game never opens a
file itself; it asks the `Files` that its option was read with:

| what is read | files |
|---|---|
| options over the network, in records, in stored tournaments | `NO_FILES`, also where nothing is said |
| a scenario | `FilesInside` the folder of the scenario |
| a person's command line on this machine | `AnyFile`, relative to the current folder |

Whatever the kind, no more than a given number of bytes is read.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

AT_A_TIME = 64 * 1024
"""Bytes that are asked for at once: room for as many as a file may have would be taken for each small one."""


class Files(ABC):
    """What an option may read files from."""

    @abstractmethod
    def read_text(self, name: str, what: str, most: int) -> str:
        """The UTF-8 text of a file of at most so many bytes; ValueError with a sentence if it cannot be had.

        `what` is what the sentence calls it, such as "sheet file". `Missing` if it is not there.
        """


class Missing(ValueError):
    """There is no such file; a sentence that a game may go on with."""


class NoFiles(Files):
    """No file is opened, under any name; the answer does not depend on what files there are."""

    def read_text(self, name: str, what: str, most: int) -> str:
        raise ValueError(f"a {what} is read only where a person names it on the command line: give its content here")


NO_FILES = NoFiles()


class AnyFile(Files):
    """Any file of this machine that a person names, also a pipe; a name is relative to the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read_text(self, name: str, what: str, most: int) -> str:
        path = self._folder / name
        with _in_words(path, what):
            return read_bounded(path, most).decode("utf-8-sig")


class FilesInside(Files):
    """Regular files in a folder or below it; no other path, and no link that leads out."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read_text(self, name: str, what: str, most: int) -> str:
        path = self._folder / name
        with _in_words(path, what):
            found = path.resolve()
            if Path(name).is_absolute() or not found.is_relative_to(self._folder.resolve()):
                raise ValueError(f"it must lie in the folder {str(self._folder)!r} or below it")
            return read_bounded(found, most, regular=True).decode("utf-8-sig")


def read_bounded(path: Path, most: int, *, regular: bool = False) -> bytes:
    """All of a file; OSError if it cannot be read, has more bytes than that, or should be `regular` and is not."""
    with open_regular(path) if regular else path.open("rb", buffering=0) as file:
        parts, left = [], most + 1
        while left and (more := file.read(min(left, AT_A_TIME))):
            parts.append(more)
            left -= len(more)
    data = b"".join(parts)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", str(path))
    return data


def read_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text; TOMLDecodeError also for nesting and numbers that Python gives up on."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise tomllib.TOMLDecodeError("a number has too many digits") from None
    except RecursionError:
        raise tomllib.TOMLDecodeError("lists and tables are nested too deeply") from None


def open_regular(path: Path) -> BinaryIO:
    """A regular file to read from; OSError if it is anything else, such as a device without an end."""
    # Without O_NONBLOCK, opening a pipe waits for a writer.
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    return os.fdopen(number, "rb")


@contextmanager
def _in_words(path: Path, what: str) -> Iterator[None]:
    """Everything that can go wrong with a file, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        raise Missing(f"there is no {what} {str(path)!r}") from None
    except UnicodeDecodeError:
        raise ValueError(f"the {what} {str(path)!r} is not UTF-8 text") from None
    except (OSError, ValueError, RuntimeError) as error:  # no permission, a name that no file can have, links in a ring
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"the {what} {str(path)!r} cannot be read: {reason}") from None
