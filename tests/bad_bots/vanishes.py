"""Burns processor time on every core in children that live for milliseconds and that nobody waits for.

`vanishes.py short`: single burners one after the other. `threads`: each burns in threads beside a sleeping first one.
`waited`: half of them are waited for, to hide the others behind them. `chain`: each starts the next one and ends.
"""

import os
import signal
import sys
import threading
import time

from honest import play  # type: ignore[import-not-found]

CORES = os.cpu_count() or 1
LIFE = 0.01


def burn(seconds: float = LIFE) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass


def burn_in_threads() -> None:
    for _ in range(CORES):
        threading.Thread(target=burn, args=(4 * LIFE,), daemon=True).start()
    time.sleep(4 * LIFE)


def start(work: object, *, wait: bool) -> None:
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL if wait else signal.SIG_IGN)
        while True:
            child = os.fork()
            if child == 0:
                assert callable(work)
                work()
                os._exit(0)
            try:
                os.waitpid(child, 0)  # with SIGCHLD ignored this only waits, and nothing is added up
            except ChildProcessError:
                continue


def chain() -> None:
    """As short as it goes: burns between two forks only."""
    if os.fork() == 0:
        while True:
            burn(0.0005)
            try:
                if os.fork() != 0:
                    os._exit(0)
            except BlockingIOError:  # too many that have ended and were not waited for yet
                continue


how = sys.argv[1]
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for core in range(CORES):
    if how == "short":
        start(burn, wait=False)
    elif how == "threads":
        start(burn_in_threads, wait=False)
    elif how == "waited":
        start(burn, wait=core % 2 == 0)
    else:
        chain()
play()
