"""Several hosts with addresses of their own: killed, cut off, slowed down, restarted, without disk; with PostgreSQL."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.workers.cluster.certs import make_certs

from ...waiting import eventually
from .namespaces import Network, NotAllowed, small_disk
from .processes import REFEREE, SLOW_START, Started

pytest.importorskip("distributed", reason="referee-arena[cluster] is not installed")
pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

FIRST_LEGAL = "import arena\narena.run(lambda decision: decision.legal[0])\n"
SLOWLY = FIRST_LEGAL.replace("lambda decision: ", "lambda decision: time.sleep(0.02) or ").replace(
    "import", "import time,", 1
)
"""The same moves at a pace that does not depend on the machine: everything has to happen while matches are played."""
TOURNAMENT = ["run", "stop_me_go", "patient", "mixed", "patient", "first.py", "--seed", "7", "--json"]
ROUNDS = 2_500
CUT_SECONDS = 60.0


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network()
    try:
        made.open()
    except NotAllowed as why:
        made.close()
        pytest.skip(str(why))
    yield made
    made.close()


def result(words: list[str], folder: Path) -> dict[str, Any]:
    done = subprocess.run([*REFEREE, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_nothing_that_happens_to_hosts_changes_the_result(
    network: Network, open_folder: Path, postgres_url: str
) -> None:
    folder = open_folder
    (folder / "first.py").write_text(SLOWLY)
    make_certs(folder / "certs")
    certs = ["--certs", str(folder / "certs")]
    started: list[Started] = []

    def start(name: str, within: list[str], *words: str) -> Started:
        one = Started([*REFEREE, *words, *certs], folder / f"{name}-{len(started)}.log", within)
        started.append(one)
        return one

    head, one, two, three = (network.machine(name) for name in ("head", "one", "two", "three"))
    address = f"tls://{head.address}:8786"
    listen = ["cluster", "scheduler", "--listen", address]
    play = ["worker", "--scheduler", address, "--cores", "1"]
    hard: list[tuple[str, int]] = []
    """What has happened, and how many matches were over when it was past."""
    log = folder / "run.log"

    def over() -> int:
        found = re.findall(rf"([\d,]+)/{ROUNDS:,} matches", log.read_text())
        return int(found[-1].replace(",", "")) if found else 0

    def past(what: str) -> None:
        """Not before further matches are over: it is survived, not only met."""
        before = over()
        eventually(lambda: over() > before or run.poll() is not None, SLOW_START)
        hard.append((what, over()))

    def hardship() -> None:
        """Everything that can happen, one after the other, while matches are played."""
        workers["one"].kill()
        workers["one"] = start("one", one.within, *play, "--name", "one")
        workers["one"].says("plays for")
        past("killed")
        two.cut()
        time.sleep(CUT_SECONDS)
        two.mend()
        past("cut")
        three.slow(256)
        past("slowed")
        workers["head"].kill()
        workers["head"] = start("head", head.within, *listen)
        workers["head"].says("listens on")
        past("scheduler restarted")
        with suppress_full(disk / "full"):
            (disk / "full").write_bytes(b"x" * (64 << 20))
        past("disk full")

    with small_disk(folder / "disk", 16) as disk:
        try:
            workers = {"head": start("head", head.within, *listen)}
            workers["head"].says("listens on")
            for name, machine in (("one", one), ("two", two)):
                workers[name] = start(name, machine.within, *play, "--name", name)
            small = ["env", f"TMPDIR={disk}"]
            workers["three"] = start("three", [*three.within, *small], *play, "--name", "three")
            for name in ("one", "two", "three"):
                workers[name].says("plays for")
            words = [*TOURNAMENT, "--rounds", str(ROUNDS), "--db", postgres_url, "--cluster", address, *certs]
            with (
                log.open("wb") as said,
                subprocess.Popen([*REFEREE, *words], cwd=folder, stdout=subprocess.PIPE, stderr=said) as run,
            ):
                eventually(lambda: over() > 0 or run.poll() is not None, SLOW_START)
                thread = threading.Thread(target=hardship)
                thread.start()
                out, _ = run.communicate()
                thread.join()
            assert run.returncode == 0, log.read_text()
        finally:
            for each in reversed(started):
                each.stop()
    assert "Traceback" not in log.read_text()
    value = json.loads(out)
    assert [what for what, _ in hard] == ["killed", "cut", "slowed", "scheduler restarted", "disk full"]
    assert all(done < ROUNDS for _, done in hard), hard
    assert value["faults"] == []
    assert all(row["faults"] == 0 for row in value["standings"])
    (folder / "first.py").write_text(FIRST_LEGAL)
    assert value["digest"] == result([*TOURNAMENT, "--rounds", str(ROUNDS)], folder)["digest"]


class suppress_full:  # noqa: N801 - used like contextlib.suppress
    """A disk that is full raises what it should; the file stays, so that it stays full."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        return isinstance(error, OSError)
