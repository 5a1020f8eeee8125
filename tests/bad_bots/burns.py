"""Burns processor time in many processes, each with a session of its own."""

import os

from honest import play  # type: ignore[import-not-found]

for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        while True:
            pass
play()
