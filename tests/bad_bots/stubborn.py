"""Heeds no signal that can be ignored, and does not end when its stdin does."""

import signal
import time

from honest import play, say  # type: ignore[import-not-found]

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
say("here I stay")
play()
time.sleep(300)
