"""Write a folder of files from the templates beside this module: `referee new` and `referee new-game`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from referee.cli.errors import ENVIRONMENT, Failure, wrong_use

GAP = re.compile(r"(.*\S) {3,}(?=\S)")
TEMPLATES = Path(__file__).with_name("templates")


def write(folder: Path, template: str, words: Mapping[str, str], further: Mapping[str, bytes] | None = None) -> None:
    """Fill a folder that is not there or is empty; `@word@` in texts and names of files becomes its value.

    `further` files are written as they are.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        wrong_use(f"{folder} is there already: choose another name, nothing is overwritten")
    root = TEMPLATES / template
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for source in sorted(root.rglob("*.txt")):
            path = folder / _filled(str(source.relative_to(root)).removesuffix(".txt"), words)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = _filled(source.read_text(encoding="utf-8"), words)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            if text.startswith("#!"):
                path.chmod(0o755)
        for name, content in (further or {}).items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as binary:
                binary.write(content)
    except OSError as error:
        raise Failure(f"{error.filename or folder}: {error.strerror}", ENVIRONMENT) from None


def _filled(text: str, words: Mapping[str, str]) -> str:
    return "".join(_filled_line(line, words) for line in text.splitlines(keepends=True))


def _filled_line(line: str, words: Mapping[str, str]) -> str:
    """A line with its words. What stands in a column of its own, behind a gap, stays in that column."""
    gap = GAP.search(line)
    if gap is not None and "@" in gap[1]:
        left, right = (_replaced(part, words) for part in (gap[1], line[gap.end() :]))
        return left + " " * max(2, gap.end() - len(left)) + right
    return _replaced(line, words)


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text
