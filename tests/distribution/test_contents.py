"""What the sdists and wheels hold: everything that is needed, and nothing that is not."""

from __future__ import annotations

import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("distribution")


def files(folder: Path) -> set[str]:
    """The files below a folder of the checkout, without what running it leaves behind."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {str(path) for path in found if "__pycache__" not in path.parts}


def house_bots() -> set[str]:
    """The files of `bots/` without the bots that have to be built with another language's SDK."""
    return {
        name for name in files(ROOT / "bots") if not (ROOT / "bots" / name.partition("/")[0] / "Makefile").is_file()
    }


def below(place: str, names: Iterable[str]) -> set[str]:
    return {f"{place}/{name}" for name in names}


def in_wheel(built: Path, name: str) -> set[str]:
    (wheel,) = built.glob(f"{name}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return {entry for entry in archive.namelist() if not entry.partition("/")[0].endswith(".dist-info")}


def in_sdist(built: Path, name: str) -> set[str]:
    (sdist,) = built.glob(f"{name}-*.tar.gz")
    with tarfile.open(sdist) as archive:
        return {member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}


def test_the_wheel_holds_the_server_the_leaderboard_the_house_bots_and_the_conformance_cases(built: Path) -> None:
    server = below("referee", files(ROOT / "server" / "referee"))
    leaderboard = below("referee_leaderboard", files(ROOT / "leaderboard" / "referee_leaderboard"))
    house = below("referee/house", house_bots())
    cases = below("referee/conformance/cases", files(ROOT / "sdk" / "conformance"))
    assert in_wheel(built, "referee_arena") == server | leaderboard | house | cases


def test_the_wheel_of_the_sdk_holds_the_sdk(built: Path) -> None:
    assert in_wheel(built, "referee_sdk") == below("arena", files(ROOT / "sdk" / "python" / "arena"))


def test_the_sdist_holds_what_the_wheel_is_built_from(built: Path) -> None:
    held = in_sdist(built, "referee_arena")
    for folder in ("server", "leaderboard", "proto", "sdk/conformance"):
        assert below(folder, files(ROOT / folder)) <= held
    assert {name for name in held if name.startswith("bots/")} == below("bots", house_bots())
    assert {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"} <= held
    # Named one by one, because a program without them starts and fails only later.
    assert "server/referee/py.typed" in held
    assert "leaderboard/referee_leaderboard/py.typed" in held
    for ending in ("migrations/env.py", "standard_sheet.json", "flip7/RULES.md", "python/bot.py.txt", "odds/bot.toml"):
        assert any(name.endswith(ending) for name in held), ending


def test_the_sdist_of_the_sdk_holds_what_the_wheel_is_built_from(built: Path) -> None:
    held = in_sdist(built, "referee_sdk")
    assert below("arena", files(ROOT / "sdk" / "python" / "arena")) <= held
    assert {"LICENSE", "README.md", "pyproject.toml", "arena/py.typed"} <= held


def test_nothing_of_the_tests_and_of_a_working_copy_is_handed_out(built: Path) -> None:
    for held in (in_sdist(built, "referee_arena"), in_sdist(built, "referee_sdk"), in_wheel(built, "referee_arena")):
        for name in held:
            assert not name.startswith(("tests/", ".venv/", ".git/")), name
            assert not name.endswith((".pyc", ".db")), name


def test_both_distributions_carry_the_same_licence(built: Path) -> None:
    licence = (ROOT / "LICENSE").read_bytes()
    assert (ROOT / "sdk" / "python" / "LICENSE").read_bytes() == licence
    for wheel in built.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
            assert archive.read(name) == licence
