"""The rules of the games can be imported in the sandbox by a bot that says so in its bot.toml, and by no other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.spec import parse
from referee.hosting.sandbox import mounts, toolchains
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.match.result import Termination
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from tests.hosted_bots import Host

PLAYS = """
import json, sys
try:
    from referee.rules import registry
    seen = registry.find("flip7").name
except ImportError as error:
    seen = "nothing"
print("saw", seen, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "legal" in message:
        print(json.dumps({"decision": message["decision"], "move": message["legal"][0]}), flush=True)
"""


def folder(tmp_path: Path, more: str) -> Path:
    for place in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        place.chmod(0o755)
    path = tmp_path / "bot"
    path.mkdir()
    (path / "bot.py").write_text(PLAYS)
    (path / "bot.toml").write_text(
        f'name = "bot"\ngames = ["*"]\nabout = "x"\nmain = "bot.py"\nkind = "stdio"\n{more}\n'
    )
    return path


@pytest.mark.parametrize(("more", "seen"), [('imports = ["referee"]', "saw flip7"), ("", "saw nothing")])
async def test_a_bot_sees_the_rules_if_it_asks_for_them(
    host: Host, sandbox: Sandbox, tmp_path: Path, more: str, seen: str
) -> None:
    started = await host.start_bot(parse(str(folder(tmp_path, more))), sandbox)
    ending = await host.play(started)
    assert ending.terminations[0] is Termination.FINISHED
    assert started.process.stderr.lines() == [seen]


async def test_where_the_referee_is_installed_beside_other_packages_it_is_covered(
    host: Host, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an installation from a wheel, where the package lies among those of Python that all bots see."""
    path = folder(tmp_path, "")
    monkeypatch.setattr(toolchains, "python", lambda: (*PYTHON, toolchains.referee().parent))
    assert str(toolchains.referee()) in mounts.readable(parse(str(path)))
    started = await host.start_bot(parse(str(path)), sandbox)
    ending = await host.play(started)
    assert ending.terminations[0] is Termination.FINISHED
    assert started.process.stderr.lines() == ["saw nothing"]


PYTHON = toolchains.python()


async def test_a_bot_inside_the_covered_package_sees_its_own_folder(
    host: Host, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """House bots lie in the package after an installation."""
    path = folder(tmp_path, "")
    monkeypatch.setattr(toolchains, "referee", lambda: tmp_path)
    monkeypatch.setattr(toolchains, "python", lambda: (*PYTHON, tmp_path.parent))
    started = await host.start_bot(parse(str(path)), sandbox)
    ending = await host.play(started)
    assert ending.terminations[0] is Termination.FINISHED


@pytest.mark.parametrize(
    ("more", "why"), [('imports = ["numpy"]', "its build installs"), ('imports = "referee"', "must be a list")]
)
def test_other_packages_are_no_matter_of_imports(tmp_path: Path, more: str, why: str) -> None:
    path = folder(tmp_path, more)
    with pytest.raises(WrongUse, match=why):
        parse(str(path))
