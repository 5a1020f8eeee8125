"""Zip files for tests: of a small bot, with further entries of any kind."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

TOML = 'name = "mine"\ngames = ["stop_me_go"]\nabout = "A bot of a test"\ncommand = "sh bot.sh"\nkind = "stdio"\n'
SCRIPT = """#!/bin/sh
while read -r line; do
  case $line in *'"legal":["'*)
    decision=${line#*'"decision":'}; decision=${decision%%,*}
    legal=${line#*'"legal":["'}; move=${legal%%'"'*}
    echo "{\\"decision\\":$decision,\\"move\\":\\"$move\\"}";; esac
done
"""
"""A bot in shell that takes the first legal move."""


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(name)
    made.external_attr = mode << 16
    made.compress_type = zipfile.ZIP_DEFLATED
    return made


def bot_zip(path: Path, *more: tuple[zipfile.ZipInfo, bytes], top: str = "", toml: str = TOML) -> Path:
    """A zip with a bot in it, and whatever else."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry(f"{top}bot.toml"), toml)
        archive.writestr(entry(f"{top}bot.sh", stat.S_IFREG | 0o755), SCRIPT)
        for info, content in more:
            archive.writestr(info, content)
    return path


def bot_folder(folder: Path, note: str = "") -> Path:
    """The same bot as a folder; another `note` makes it another package."""
    folder.mkdir(parents=True)
    (folder / "bot.toml").write_text(TOML)
    (folder / "bot.sh").write_text(SCRIPT + (f"# {note}\n" if note else ""))
    (folder / "bot.sh").chmod(0o755)
    return folder
