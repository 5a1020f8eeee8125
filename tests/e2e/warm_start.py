"""`python warm_start.py`: starts `referee` many times without importing everything each time, for tests that kill it.

Each line on stdin is a JSON object: `words` of a command, `output` for what it says, `folder` to run it in. A child is
forked for it, which runs the command as `python -m referee` would; its process id is printed. When a child has ended,
`PID ended CODE` is printed. Nothing of gRPC is set up before the fork, so that a child starts as any other process.
"""

from __future__ import annotations

import importlib
import json
import os
import selectors
import signal
import sys

from referee.cli.main import main


def child(words: list[str], output: str, folder: str) -> None:
    os.setsid()
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    told = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(told, 1)
    os.dup2(told, 2)
    sys.argv = ["referee", *words]
    code = 1
    try:
        code = main(words)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def serve() -> None:
    for name in (
        "cli.commands.serve",
        "cli.commands.run",
        "net.server",
        "hall.competition",
        "store",
        "workers.worker_pool",
    ):
        importlib.import_module(f"referee.{name}")
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.set_wakeup_fd(waking)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    selector.register(woken, selectors.EVENT_READ)
    pending = b""
    while True:
        ready = {key.fd for key, _ in selector.select()}
        if woken in ready:
            os.read(woken, 4096)
            reap()
        if 0 in ready:
            told = os.read(0, 1 << 16)
            if not told:
                return
            pending += told
            while b"\n" in pending:
                line, _, pending = pending.partition(b"\n")
                start(json.loads(line), selector, (woken, waking))


def start(wish: dict[str, object], selector: selectors.BaseSelector, ours: tuple[int, int]) -> None:
    number = os.fork()
    if number == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        selector.close()
        for descriptor in ours:
            os.close(descriptor)
        child(wish["words"], wish["output"], wish["folder"])  # type: ignore[arg-type]
    print(number, flush=True)


def reap() -> None:
    while True:
        try:
            number, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if number == 0:
            return
        print(f"{number} ended {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    serve()
