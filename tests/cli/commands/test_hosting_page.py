"""`server/HOSTING.md` tells the settings of `referee serve` as the code has them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from referee.cli.main import COMMANDS
from referee.cli.serve_settings import DEFAULTS, markdown, read_config

from ..conftest import Referee

SERVER = Path(__file__).parents[3] / "server"
PAGE = (SERVER / "HOSTING.md").read_text(encoding="utf-8")
DEPLOY = SERVER / "deploy"


def test_the_table_of_settings_is_the_one_that_the_code_uses() -> None:
    assert f"\n{markdown()}\n" in PAGE


def test_the_file_that_serve_shows_is_one_that_it_reads(referee: Referee, tmp_path: Path) -> None:
    shown = referee("serve", "--show-config")
    assert shown.code == 0
    file = tmp_path / "referee.toml"
    file.write_text(shown.out)
    assert DEFAULTS | read_config(file) == DEFAULTS
    everything = "\n".join(line.removeprefix("# ") if " = " in line else line for line in shown.out.splitlines())
    assert tomllib.loads(everything).keys() == DEFAULTS.keys()


def test_the_unit_is_one_that_systemd_reads() -> None:
    """Not whether it starts: that takes a machine with systemd. But no line may be one that it would ignore."""
    unit = (DEPLOY / "referee.service").read_text()
    lines = [line for line in unit.splitlines() if line and not line.startswith("#")]
    assert all(re.fullmatch(r"\[(Unit|Service|Install)\]|[A-Z][A-Za-z]+=.*", line) for line in lines)
    assert "Type=notify" in lines
    for name in re.findall(r"server/deploy/([\w.]+)", PAGE):
        assert (DEPLOY / name).is_file(), name


def test_every_command_on_the_page_exists() -> None:
    named = set(re.findall(r"\breferee ([a-z-]+)", PAGE))
    assert len(named) > 8
    assert named <= set(COMMANDS)
