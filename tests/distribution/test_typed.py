"""With the wheel of the SDK and what it depends on, and nothing else, type checkers know what a bot sees."""

from __future__ import annotations

import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.installation import Installation

pytestmark = pytest.mark.xdist_group("distribution")
NEEDED = ("google", "google-stubs", "grpc", "typing_extensions.py")
"""What the SDK's dependencies install."""

BOT = """
import arena
from arena.games.flip7.v1 import flip7_pb2 as flip7

def decide(decision: arena.Decision[flip7.View]) -> str:
    reveal_type(decision.view.players[0].cards)
    return decision.legal[0]

def untyped(decision: arena.Decision) -> str:
    return str(decision.view.anything)

class Bot:
    def start(self, match: arena.Match) -> None: ...
    async def decide(self, decision: arena.Decision[flip7.View]) -> str:
        return "hit"
    def end(self, result: arena.Result) -> None: ...

arena.run(decide, concurrency=4)
arena.run(untyped)
arena.run(Bot, games=("flip7",))
reveal_type(arena.testing.decision("flip7", flip7.View()))
"""
WRONG = """
import arena
from arena.games.flip7.v1 import flip7_pb2 as flip7

def decide(decision: arena.Decision[flip7.View]) -> str:
    return str(decision.view.playrs)

arena.run(decide, concurency=4)
arena.run(3)
arena.Decison
"""


@pytest.fixture
def sdk_alone(empty: Installation, built: Path) -> Installation:
    """Only the SDK: no referee, no other stubs."""
    (empty.packages / "dependencies.pth").unlink()
    for name in NEEDED:
        (empty.packages / name).symlink_to(Path(sysconfig.get_path("purelib")) / name)
    empty.install(sorted(built.glob("referee_sdk-*.whl")))
    return empty


def mypy(installation: Installation, code: str, exit_code: int) -> str:
    installation.home.joinpath("mybot.py").write_text(code)
    words = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installation.python, "mybot.py"]
    return installation.run(words, exit_code)


def test_the_views_are_known_to_mypy_strict(sdk_alone: Installation) -> None:
    said = mypy(sdk_alone, BOT, 0)
    assert 'Revealed type is "google.protobuf.internal.containers.RepeatedScalarFieldContainer[' in said
    assert 'Revealed type is "arena.decision.Decision[arena.games.flip7.v1.flip7_pb2.View]"' in said


def test_mistakes_are_found_by_mypy_strict(sdk_alone: Installation) -> None:
    said = mypy(sdk_alone, WRONG, 1)
    assert '"View" has no attribute "playrs"' in said
    assert 'Unexpected keyword argument "concurency" for "run"; did you mean "concurrency"?' in said
    assert 'Argument 1 to "run" has incompatible type "int"' in said
    assert 'Module has no attribute "Decison"' in said


def test_the_wheel_says_what_these_need(built: Path) -> None:
    (wheel,) = built.glob("referee_sdk-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        needs = [line for line in archive.read(metadata).decode().splitlines() if line.startswith("Requires-Dist: ")]
    assert "arena/py.typed" in names
    always = [line for line in needs if "extra ==" not in line]
    assert [line.split()[1].partition(">")[0].partition("<")[0] for line in always] == ["grpcio", "protobuf"]
    assert [line for line in needs if "types-protobuf" in line and "extra == 'types'" in line]
