"""Several machines, here as processes on one: scheduler and workers over TLS, one of which is killed.

The same between network namespaces, with links that are cut and slowed, is in `test_namespaces.py` (soak).
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.workers.cluster.certs import make_certs

from ...waiting import eventually
from .processes import RealCluster

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")

FIRST_LEGAL = """\
import arena

def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""
TOURNAMENT = ["run", "stop_me_go", "patient", "mixed", "patient", "first.py", "--rounds", "24", "--seed", "7", "--json"]
DIGEST = "f6ad750490d70964b99ce17d7a6784bbe8e76395df4e1b5cb3cdf6e152f6fe67"
"""What `referee run` gives on one machine."""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[RealCluster]:
    make_certs(tmp_path / "certs")
    made = RealCluster(tmp_path, tmp_path / "certs")
    yield made
    made.close()


def finished_in(db: Path) -> int:
    try:
        with sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=5) as connection:
            [count] = connection.execute("select count(*) from matches where state = 'finished'").fetchone()
            return int(count)
    except sqlite3.OperationalError:  # not made yet
        return 0


def test_a_killed_worker_changes_nothing_of_the_result(
    cluster: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "first.py").write_text(FIRST_LEGAL)
    monkeypatch.chdir(tmp_path)
    _, two = cluster.worker("one", "--no-sandbox"), cluster.worker("two", "--no-sandbox")
    two.says("plays for")

    def kill_one() -> None:
        eventually(lambda: finished_in(tmp_path / "cup.db"))
        two.kill()

    killing = threading.Thread(target=kill_one)
    killing.start()
    words = [*TOURNAMENT, "--no-sandbox", "--db", "cup.db", "--cluster", cluster.address, *cluster.certs]
    assert main(words) == 0
    killing.join()
    value = json.loads(capsys.readouterr().out)
    assert (value["matches"], value["digest"]) == (24, DIGEST)
    assert all(row["faults"] == 0 for row in value["standings"])
