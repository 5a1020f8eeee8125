"""A season of a competition: whatever happens to it day after day, in the end everything verifies."""

from __future__ import annotations

import sys
from pathlib import Path
from subprocess import run

import pytest

from referee.hosting.sandbox.bubblewrap import probe

from .checks import Broken
from .season import ERAS, FATE, Season, play

ROOT = Path(__file__).resolve().parents[2]
SHORT = {"days": 5, "matches": 12, "deeds": 4}
LONG_SEEDS = 4


def test_a_short_season_through_four_upgrades_verifies(tmp_path: Path) -> None:
    season = play(3, tmp_path, **SHORT)
    assert season.deaths >= 1
    assert {f"upgrade from {schema}" for schema, _ in ERAS} <= set(season.done)
    assert {"backup", "prune"} <= set(season.done)
    assert season.mailbox.nights["up"] >= 1  # of the receiver of webhooks
    assert season.mailbox.nights.total() > season.mailbox.nights["up"]
    assert sum(season.done[deed] for deed in FATE) >= 1


def test_a_bot_from_the_sandbox_plays_in_a_season(tmp_path: Path, bubblewrap: None) -> None:
    season = play(4, tmp_path, days=2, matches=6, deeds=2, sandbox=True)
    assert season.done["sandbox"] == 1


def test_what_does_not_hold_is_told_with_the_command_that_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(self: Season, day: int) -> None:
        raise Broken("as this test has it")

    monkeypatch.setattr(Season, "_day", break_down)
    again = r"python -m tests\.season --seed 5 --days 5 --matches 12 --deeds 4"
    with pytest.raises(Broken, match=rf"seed 5: Broken: as this test has it; again: \.venv/bin/{again}"):
        play(5, tmp_path, **SHORT)


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize("seed", range(LONG_SEEDS))
def test_three_weeks_with_everything_that_can_happen(seed: int) -> None:
    """In a process of its own, with a day in the sandbox where there is one."""
    words = [sys.executable, "-m", "tests.season", "--seed", str(seed), "--all"]
    words += ["--sandbox"] if probe() is None else []
    done = run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
