"""Clocks stay honest on a machine at twice its load: 80 % of the limit is always enough, 120 % never is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

LIMIT = 0.5
BOT = """\
import time

import arena


def decide(decision):
    time.sleep({share} * decision.budget)
    return decision.legal[0]


arena.run(decide)
"""


@pytest.fixture
def twice_the_load() -> Iterator[None]:
    """Twice as many processes that never rest as there are cores, for as long as the test takes."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.xdist_group("clocks")
@pytest.mark.usefixtures("twice_the_load")
def test_a_bot_within_80_percent_of_its_limit_is_never_timed_out_and_one_at_120_always_is(tmp_path: Path) -> None:
    (tmp_path / "steady.py").write_text(BOT.format(share=0.8))
    (tmp_path / "late.py").write_text(BOT.format(share=1.2))
    # A game in which everybody is asked at once: nobody's card can put the late bot out before its first question.
    words = ["stop_me_go", "steady.py", "late.py", "random", "--no-sandbox", "--rounds", "8", "--concurrency", "4"]
    clock = ["--time", f"{LIMIT}s", "--bank", "0s"]
    done = subprocess.run(
        [sys.executable, "-m", "referee", "run", *words, *clock, "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["steady"]["faults"] == 0
    assert rows["late"]["faults"] == rows["late"]["matches"] == 8
    assert rows["random"]["faults"] == 0
