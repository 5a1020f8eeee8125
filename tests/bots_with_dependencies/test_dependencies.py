"""Bots with dependencies: built in the sandbox with the network, then playing in the sandbox without it.

Each folder beside this file is such a bot, and an example of how its language is done.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.build import build
from referee.hosting.bot.spec import parse
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.match.clock import TimeControl
from referee.match.result import Termination

if TYPE_CHECKING:
    from tests.hosted_bots import Host

HERE = Path(__file__).resolve().parent
NEEDS = {
    "python": ("python3",),
    "rust": ("cargo",),
    "go": ("go",),
    "node": ("node", "npm"),
    "java": ("javac", "mvn"),
}
UNHURRIED = TimeControl(limit=30.0, bank=30.0, grace=5.0)


def test_every_example_is_tried() -> None:
    assert {path.parent.name for path in HERE.glob("*/bot.toml")} == set(NEEDS)


@pytest.mark.sdks
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("language", sorted(NEEDS))
async def test_a_bot_with_dependencies_is_built_and_plays(
    host: Host, bubblewrap: None, tmp_path: Path, language: str
) -> None:
    missing = [program for program in NEEDS[language] if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{language}: {missing[0]} is not installed")
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    shutil.copytree(HERE / language, tmp_path / language)
    spec = parse(str(tmp_path / language))
    await build([spec], network=True)
    started = await host.start_bot(parse(str(tmp_path / language)), Sandbox())
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.FINISHED
