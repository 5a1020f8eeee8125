"""Tests are where the packages of `server/referee` say: every package has its folder here, every folder its package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SERVER = HERE.parent / "server" / "referee"
BESIDE = frozenset(
    [
        "bad_bots",
        "bench",
        "bots",
        "bots_with_dependencies",
        "distribution",
        "e2e",
        "fuzz",
        "goldens",
        "leaderboard",
        "scenarios",
        "sdk",
        "season",
        "simulation",
        "third_party",
    ],
)
"""Folders that mirror no package of the server; `README.md` says what they are for."""


def packages(folder: Path) -> list[str]:
    """All packages below a folder, as paths: `hosting/bot`."""
    return sorted(path.parent.relative_to(folder).as_posix() for path in folder.rglob("*/__init__.py"))


def mirroring(folder: Path) -> list[str]:
    """All folders with tests that have to have a package of the same path."""
    found = {path.parent.relative_to(folder) for path in folder.rglob("*/test_*.py")}
    above = {parent for path in found for parent in path.parents if parent.name}
    return sorted(path.as_posix() for path in found | above if path.parts[0] not in BESIDE)


def untested(server: Path, tests: Path) -> Iterator[str]:
    """Packages with neither a folder of tests nor, for a part of a larger package, a file `test_<part>.py`."""
    folders = set(mirroring(tests))
    by_a_file: set[str] = set()
    for package in packages(server):
        above, _, name = package.rpartition("/")
        if above in by_a_file or (above and (tests / above / f"test_{name}.py").is_file()):
            by_a_file.add(package)
        elif package not in folders:
            yield package


def orphaned(server: Path, tests: Path) -> Iterator[str]:
    """Folders of tests whose package is gone."""
    known = set(packages(server))
    return (folder for folder in mirroring(tests) if folder not in known)


def test_every_package_has_its_tests() -> None:
    assert packages(SERVER)
    assert list(untested(SERVER, HERE)) == [], "make a folder of the same path in tests/, or test_<name>.py one above"


def test_every_folder_of_tests_has_its_package() -> None:
    assert list(orphaned(SERVER, HERE)) == [], "move these tests to where their package is now"


def test_the_folders_beside_are_there_and_in_the_readme() -> None:
    page = (HERE / "README.md").read_text(encoding="utf-8")
    assert [name for name in sorted(BESIDE) if not (HERE / name).is_dir() or f"`{name}/" not in page] == []


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A package `net` with the parts `frames`, tested in a folder, and `codes`, tested in a file; and no other."""
    for package in ("net", "net/frames", "net/codes", "net/codes/old"):
        (tmp_path / "server" / package).mkdir(parents=True)
        (tmp_path / "server" / package / "__init__.py").touch()
    for file in ("net/frames/test_reading.py", "net/test_codes.py"):
        (tmp_path / "tests" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / file).touch()
    return tmp_path / "server"


def test_a_package_without_tests_is_found(server: Path, tmp_path: Path) -> None:
    assert list(untested(server, tmp_path / "tests")) == []
    for package in ("shop", "net/doors"):
        (server / package).mkdir()
        (server / package / "__init__.py").touch()
    assert list(untested(server, tmp_path / "tests")) == ["net/doors", "shop"]


def test_tests_of_a_package_that_has_gone_are_found(server: Path, tmp_path: Path) -> None:
    assert list(orphaned(server, tmp_path / "tests")) == []
    (server / "net" / "frames" / "__init__.py").unlink()
    assert list(orphaned(server, tmp_path / "tests")) == ["net/frames"]
