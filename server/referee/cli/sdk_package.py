"""The package of an SDK, as `make dist` makes it, taken into a bot's folder: `referee new --sdk`."""

from __future__ import annotations

import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from referee.cli.errors import wrong_use
from referee.cli.languages import Language

PLACE = "sdk"
"""The folder within the bot's."""
GO_PREFIX = re.compile(r"^.*?@v[^/]+/")
"""In a zip of a Go module every name begins with the module and its version."""


@dataclass(frozen=True, slots=True)
class SdkPackage:
    """What an SDK's package puts into a bot's folder."""

    version: str
    files: dict[str, bytes]


def take(given: Path, language: Language) -> SdkPackage:
    """Read the package at a path, or in a folder; what is wrong with it is said before anything is written."""
    file = _found(given, language)
    version = _version(file.name, language.package)
    try:
        if language.name == "typescript":
            files = {file.name: file.read_bytes()}
        elif language.name == "java":
            jar = file.with_suffix(".jar")
            files = {"referee-sdk.pom": file.read_bytes(), "referee-sdk.jar": jar.read_bytes()}
        else:
            files = dict(_unpacked(file))
    except OSError as error:
        wrong_use(f"{error.filename or file} cannot be read: {error.strerror or error}")
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, ValueError):
        wrong_use(f"{file} is damaged, or no package of an SDK: make it anew with 'make dist'")
    return SdkPackage(version, {f"{PLACE}/{name}": content for name, content in files.items()})


def _found(given: Path, language: Language) -> Path:
    if given.is_file():
        if not fnmatchcase(given.name, language.package):
            wrong_use(f"{given} is not a package of the {language.name} SDK: its name would be {language.package}")
        return given
    if not given.is_dir():
        wrong_use(f"--sdk: there is no {given}; name the folder that 'make dist' filled, or a package in it")
    there = sorted(path for path in given.glob(language.package) if _version(path.name, language.package))
    if not there:
        wrong_use(f"{given} holds no {language.package}: 'make dist' in a checkout of Referee makes it, into dist/")
    if len(there) > 1:
        wrong_use(f"{given} holds {' and '.join(path.name for path in there)}: name one of them")
    return there[0]


def _version(name: str, pattern: str) -> str:
    """What stands for the `*`, if that is a version."""
    before, after = pattern.split("*")
    middle = name.removeprefix(before).removesuffix(after)
    return middle if re.fullmatch(r"\d[0-9A-Za-z.+-]*", middle) else ""


def _unpacked(file: Path) -> Iterator[tuple[str, bytes]]:
    """The regular files of an archive, without the folder that all of them lie in."""
    if file.suffix == ".zip":
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield _inside(GO_PREFIX.sub("", entry.filename)), archive.read(entry)
        return
    with tarfile.open(file, "r:gz") as packed:
        for member in packed:
            content = packed.extractfile(member) if member.isreg() else None
            if content is not None:
                yield _inside(member.name.partition("/")[2]), content.read()


def _inside(name: str) -> str:
    """The name, if it stays within the folder it is unpacked to."""
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        raise ValueError(name)
    return name
