"""`referee run --mirror` with real workers: few processes at once, no blame, the same digest at any concurrency."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from referee.hosting.admission.capacity import FRESH_PER_CORE, cores_at_hand

ROOT = Path(__file__).resolve().parents[2]
AWK = str(ROOT / "bots" / "awk")


def children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        return [int(word) for task in tasks for word in Path(f"/proc/{pid}/task/{task}/children").read_text().split()]
    except OSError:
        return []


def mirrored(folder: Path, *more: str) -> tuple[dict[str, Any], int]:
    """A mirror run of three hosted bots, and the most bots that were seen alive at once."""
    words = ["run", "stop_me_go", AWK, AWK, AWK, "--players", "3", "--mirror", "--rounds", "2", "--seed", "m"]
    command = [sys.executable, "-m", "referee", *words, "--no-sandbox", "--json", *more]
    most = 0
    with (
        open(folder / "err", "wb") as errors,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors) as run,
    ):
        while run.poll() is None:
            most = max(most, sum(len(children(worker)) for worker in children(run.pid)))
            time.sleep(0.02)
        assert run.stdout is not None
        said = run.stdout.read()
    assert run.returncode == 0, (folder / "err").read_text()
    value: dict[str, Any] = json.loads(said)
    return value, most


def test_fresh_processes_for_every_match_are_few_at_once_and_the_digest_does_not_depend_on_it(tmp_path: Path) -> None:
    many, most = mirrored(tmp_path)
    two, fewer = mirrored(tmp_path, "--concurrency", "2")
    assert many["matches"] == two["matches"] == 6
    assert 3 <= most <= max(3, FRESH_PER_CORE * cores_at_hand())
    assert fewer <= 6
    assert all(row["faults"] == 0 for row in many["standings"])
    assert many["digest"] == two["digest"]
    assert many["notices"] == []
