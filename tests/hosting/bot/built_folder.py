"""A bot folder that is built by a script of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from referee.hosting.bot.build import build
from referee.hosting.bot.spec import parse

FIRST_LEGAL = "import arena\narena.run(lambda decision: decision.legal[0])\n"


def folder(place: Path, script: str, more: str = 'main = "bot.py"', name: str = "entry") -> Path:
    path = place / name
    path.mkdir(exist_ok=True)
    (path / "bot.toml").write_text(f'name = "{name}"\ngames = ["*"]\nabout = "x"\nbuild = "sh build.sh"\n{more}\n')
    (path / "build.sh").write_text(script)
    (path / "bot.src").write_text(FIRST_LEGAL)
    return path


def built(place: Path, script: str, *, network: bool = False) -> Path:
    """Such a folder, built in the sandbox."""
    path = folder(place, script + "\ncp bot.src bot.py\n")
    asyncio.run(build([parse(str(path))], network=network))
    return path
