"""Every block of Python in the SDK's README works as it stands there: bots play, tests pass."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..waiting import PATIENCE
from .conftest import Server

SDKS = Path(__file__).resolve().parents[2] / "sdk"
README = (SDKS / "python" / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
TESTS = [block for block in BLOCKS if "def test_" in block]
BOTS = [block for block in BLOCKS if block not in TESTS]
TYPED_BOT = BOTS[1]
PRACTICE = ("--practice", "flip7", "--against", "random,random")


def test_there_are_bots_and_tests() -> None:
    assert (len(BOTS), len(TESTS)) == (4, 4)
    assert "arena.Decision[flip7.View]" in TYPED_BOT, "the bot that the tests are about"


@pytest.mark.parametrize("language", ["python", "typescript", "go", "rust", "java", "cpp"])
def test_a_program_with_a_loop_of_its_own_plays_as_it_is_printed(language: str) -> None:
    readme = (SDKS / language / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\S+\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    [program] = [block for block in blocks if re.search(r"\bClient\b.*\(|NewClient|run_async|arena::Client", block)]
    for word in ("localhost:7700", "REFEREE_TOKEN", "flip7"):
        assert word in program, f"{word}: the server, the token and the practice that the page has told of before"


async def run(folder: Path, *words: str, **environment: str) -> str:
    """What a Python program says, run in the folder; it must end well."""
    program = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=folder, env={**os.environ, **environment},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    said = (await asyncio.wait_for(program.communicate(), 3 * PATIENCE))[0].decode()
    assert program.returncode == 0, said
    return said


@pytest.mark.parametrize("block", BOTS, ids=["smallest", "typed", "class", "async"])
async def test_a_bot_of_the_readme_plays(server: Server, tmp_path: Path, block: str) -> None:
    tmp_path.joinpath("mybot.py").write_text(block, encoding="utf-8")
    token = server.settings().token
    words = () if "arena.Practice(" in block else PRACTICE
    said = await run(tmp_path, "mybot.py", *words, REFEREE_SERVER=server.referee.address, REFEREE_TOKEN=token)
    assert "flip7 practice/1: rank " in said
    if "def end(" in block:
        assert re.search(r"rank \d with \d+ points after \d+ decisions", said)


async def test_the_tests_of_the_readme_pass(server: Server, tmp_path: Path) -> None:
    tmp_path.joinpath("mybot.py").write_text(TYPED_BOT, encoding="utf-8")
    for number, block in enumerate(TESTS):
        tmp_path.joinpath(f"test_{number}.py").write_text(block, encoding="utf-8")
    token = server.settings().token
    where = {"REFEREE_SERVER": server.referee.address, "REFEREE_TOKEN": token}
    await run(tmp_path, "mybot.py", *PRACTICE, "--record", "game.jsonl", **where)
    said = await run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path))
    assert f"{len(TESTS)} passed" in said
