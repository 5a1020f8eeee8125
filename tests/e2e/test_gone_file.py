"""The database is removed while matches are played: one sentence, exit code 3, and nothing that was stored is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from ..waiting import PATIENCE, eventually
from .tournament_hall import ENVIRONMENT, Hall

BOT = """\
import time
from pathlib import Path

import arena

here = Path(__file__).parent
asked = 0


def decide(decision):
    global asked
    asked += 1
    if asked == 100:
        (here / "asked").touch()
        while not (here / "go").exists():
            time.sleep(0.02)
    return decision.legal[0]


arena.run(decide)
"""
RUN = ("run", "stop_me_go", "waits.py", "random", "--rounds", "60", "--seed", "gone", "--json", "--no-sandbox")
CLOCK = ("--time", "300s", "--concurrency", "1", "--workers", "1")


def test_a_run_whose_database_is_removed_says_so_and_goes_on_with_what_was_rescued(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(BOT)

    def started(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "referee", *RUN, *CLOCK, *words],
            cwd=tmp_path,
            env=ENVIRONMENT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    cut = started("--db", "kept.db")
    eventually(lambda: (tmp_path / "asked").exists() or cut.poll() is not None)
    for name in ("kept.db", "kept.db-wal", "kept.db-shm"):
        (tmp_path / name).unlink()
    (tmp_path / "go").touch()
    out, said = cut.communicate(timeout=PATIENCE)
    assert cut.returncode == 3, said
    assert "kept.db was removed or replaced by another file while it was in use" in said
    assert "kept.db-rescued" in json.loads(out)["error"]
    assert "Traceback" not in said
    os.replace(tmp_path / "kept.db-rescued", tmp_path / "kept.db")
    whole, again = started(), started("--db", "kept.db")
    wanted, found = (json.loads(one.communicate(timeout=PATIENCE)[0]) for one in (whole, again))
    assert (found["matches"], found["digest"]) == (60, wanted["digest"])


def test_a_server_whose_database_is_removed_stops_and_goes_on_with_what_was_rescued(hall: Hall) -> None:
    hall.start("--concurrency", "1")
    hall.crowd("ada=slow", "bob=slow")
    plan = ("--game", "stop_me_go", "--players", 2, "--rounds", 60, "--bots", "ada,bob")
    hall.steer("create", "league", *plan, "--start")
    eventually(lambda: hall.count() >= 3)
    for ending in ("", "-wal", "-shm"):
        Path(hall.db + ending).unlink()
    assert hall.server is not None
    assert hall.server.wait(PATIENCE) == 3
    said = " ".join((hall.folder / "server.log").read_text().rpartition("error: ")[2].split())
    assert f"{hall.db} was removed or replaced by another file while it was in use" in said
    assert "nothing that was stored is lost" in said
    os.replace(f"{hall.db}-rescued", hall.db)
    before = hall.count()
    assert before >= 3
    hall.start()
    eventually(lambda: hall.count() > before)
