"""Install this package the way an installer would leave it, without a network: a folder for the module search path.

The entry points are taken from `pyproject.toml`, so what the tests register is what a real installation registers.
"""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def install(target: Path) -> Path:
    """Fill a folder with the packages and their metadata; put it on `sys.path` or `PYTHONPATH` to have it installed."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    for package in ("tall_tales", "matchsticks", "four_in_a_row"):
        shutil.copytree(HERE / package, target / package, ignore=shutil.ignore_patterns("__pycache__"))
    metadata = target / f"third_party_games-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return target
