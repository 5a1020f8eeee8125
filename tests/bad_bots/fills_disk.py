"""Writes files without end, wherever it can, under the name it is given; then plays on."""

import os
import sys
import tempfile

from honest import play, say  # type: ignore[import-not-found]

marker = sys.argv[1]
for folder in (tempfile.gettempdir(), "/dev/shm", "/var/tmp", os.path.expanduser("~"), os.getcwd(), "/run", "/dev"):
    written = 0
    for number in range(40):
        try:
            with open(os.path.join(folder, f"{marker}-{number}"), "wb", buffering=0) as file:
                while written < 4 << 30:
                    written += file.write(b"x" * (1 << 20))
        except OSError as error:
            say(f"denied {folder} after {written >> 20} MB: {error.strerror}")
            break
    if written > 1 << 30:
        say(f"FILLED {folder}")
play()
