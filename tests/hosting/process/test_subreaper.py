"""The subreaper of a bot without a sandbox: whenever it is told to stop, and however often, its bot goes with it."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.process import subreaper

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

WHILE_STARTING = """
plain = subprocess.Popen
def start(command):
    bot = plain(command)
    interrupt()
    return bot
subprocess.Popen = start
"""
WHILE_WAITING = """
plain = os.waitpid
def wait(pid, options):
    os.waitpid = plain
    interrupt()
    return plain(pid, options)
os.waitpid = wait
"""
AT_ONCE = """
import os, signal, subprocess, sys
sys.path.insert(0, {folder!r})
def interrupt():
    signal.pthread_sigmask(signal.SIG_BLOCK, {orders!r})
    for order in {orders!r}:
        os.kill(os.getpid(), order)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {orders!r})
{moment}
import subreaper
sys.exit(subreaper.main([sys.executable, "-c", "import time; time.sleep(300)", {marker!r}]))
"""


@pytest.mark.parametrize("moment", [WHILE_STARTING, WHILE_WAITING], ids=["starting", "waiting"])
@pytest.mark.parametrize("orders", [(signal.SIGTERM,), (signal.SIGHUP,), (signal.SIGHUP, signal.SIGTERM)])
def test_an_order_to_stop_is_obeyed_whenever_it_comes_and_even_if_two_come_at_once(
    host: Host, moment: str, orders: tuple[signal.Signals, ...], marker: str
) -> None:
    script = AT_ONCE.format(
        folder=str(Path(subreaper.__file__).parent), orders=tuple(map(int, orders)), moment=moment, marker=marker
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE)
    assert "Traceback" not in done.stderr
    assert host.processes(marker) == []
