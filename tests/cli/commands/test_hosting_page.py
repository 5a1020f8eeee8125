"""`server/HOSTING.md` tells the settings of `referee serve` as the code has them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from referee.cli.commands import serve
from referee.cli.main import COMMANDS

PAGE = (Path(__file__).parents[3] / "server" / "HOSTING.md").read_text(encoding="utf-8")


def listed() -> dict[str, object]:
    """Every key of the table of settings, with its default as TOML reads it; None for `none`."""
    table = PAGE.split("## Settings")[1].split("## TLS")[0]
    found: dict[str, object] = {}
    for row in re.findall(r"^\| (`.*)$", table, re.MULTILINE):
        names, defaults = (re.findall(r"`([^`]*)`|none", cell) for cell in row.split(" | ")[:2])
        defaults = defaults * len(names) if len(defaults) < len(names) else defaults
        for name, text in zip(names, defaults, strict=True):
            default = serve.DEFAULTS.get(name)
            found[name] = text if isinstance(default, str) else tomllib.loads(f"x = {text}")["x"] if text else None
    return found


def test_every_key_of_the_config_file_is_listed_with_its_default_and_no_other() -> None:
    assert listed() == serve.DEFAULTS


def test_every_command_on_the_page_exists() -> None:
    named = set(re.findall(r"\breferee ([a-z-]+)", PAGE))
    assert len(named) > 8
    assert named <= set(COMMANDS)
