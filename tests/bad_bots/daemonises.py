"""Leaves a child behind that belongs to nobody, has a session of its own and heeds no signal; then plays, or exits."""

import os
import signal
import sys
import time

from honest import play, say  # type: ignore[import-not-found]

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, 3)
        time.sleep(300)
    os._exit(0)
os.wait()
say("a daemon is loose")
if "exit" in sys.argv:
    sys.exit(0)
play()
