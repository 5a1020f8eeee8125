"""Every rule that is shown by a scenario holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.rules.scenario import load, run

SCENARIOS = Path(__file__).parents[1] / "scenarios"
FILES = sorted(SCENARIOS.rglob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(SCENARIOS).with_suffix("")) for path in FILES])
def test_scenario(path: Path) -> None:
    scenario = load(path)
    assert scenario.about, "a scenario says which rule it shows"
    assert scenario.game.name == path.relative_to(SCENARIOS).parts[0], "a scenario lives in the folder of its game"
    run(scenario)
