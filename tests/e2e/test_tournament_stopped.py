"""A tournament that is played on the file, right here, and is asked to stop: once, and twice."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..waiting import PATIENCE, eventually
from .tournament_hall import ENVIRONMENT, Hall

ROUNDS = 3000


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    opened = Hall(tmp_path)
    plan = ("--game", "flip7", "--players", 4, "--rounds", ROUNDS, "--bots", "odds,cautious,random,random")
    opened.referee("tournament", "create", "league", *plan, "--seed", "here", "--repeatable", "--db", opened.db)
    yield opened
    opened.close()


@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT, signal.SIGTERM]])
def test_it_says_how_to_go_on_and_keeps_what_was_played(hall: Hall, signals: list[signal.Signals]) -> None:
    words = [sys.executable, "-m", "referee", "tournament", "start", "league", "--db", hall.db, "-c", "8"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as process:
        eventually(lambda: hall.count() > 0, why=lambda: f"exit code {process.poll()}")
        for number in signals:
            process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "stopped; 'referee tournament resume league' goes on from here"
    assert "Traceback" not in err
    assert 0 < hall.count() < ROUNDS
    if len(signals) == 1:
        assert hall.count("playing") == 0  # they were played to their end
    assert hall.state("league") == "running"
