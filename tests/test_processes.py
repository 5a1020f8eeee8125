"""Processes of a pool do not hear Ctrl-C, from their first instant on: a command ends without their tracebacks."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from referee.processes import process_pool
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser

from .waiting import PATIENCE


def test_a_process_of_a_pool_is_deaf_to_ctrl_c_and_the_caller_is_not() -> None:
    with process_pool(1, gc.disable) as pool:
        assert not pool.submit(gc.isenabled).result(PATIENCE)
        assert signal.SIGINT in pool.submit(signal.pthread_sigmask, signal.SIG_BLOCK, []).result(PATIENCE)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_who_leaves_early_does_not_wait_for_what_is_being_computed() -> None:
    def leave() -> None:
        with process_pool(1, gc.disable) as pool:
            assert not pool.submit(gc.isenabled).result(PATIENCE)
            pool.submit(time.sleep, 10 * PATIENCE)
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        leave()
    assert time.monotonic() - began < PATIENCE


@pytest.mark.parametrize("after", [0.0, 0.1, 0.2, 0.4])
def test_ctrl_c_while_processes_start_leaves_no_traceback(tmp_path: Path, after: float) -> None:
    game, seed = registry.find("encore"), seed_bytes(1)
    played = playout(game, 4, game.resolve_options(), seed, [random_chooser(seed, seat) for seat in range(4)])
    (tmp_path / "record.json").write_bytes(played.record.to_bytes())
    command = [sys.executable, "-m", "referee", "why", "record.json", "--seat", "0", "--workers", "2"]
    with subprocess.Popen(
        command, cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
        until = time.monotonic() + PATIENCE
        while len(children.read_text().split()) < 3 and time.monotonic() < until:  # two, and what counts for them
            time.sleep(0.01)
        time.sleep(after)  # somewhere between its first instant and its first rollout
        os.killpg(running.pid, signal.SIGINT)
        out, said = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, said) == (130, b"", b"")
