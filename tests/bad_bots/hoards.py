"""Takes memory without end: in one process, or ("children") spread over many small ones."""

import os
import sys
import time

from honest import say  # type: ignore[import-not-found]

if "children" in sys.argv:
    for _ in range(60):
        if os.fork() == 0:
            mine = bytearray(os.urandom(1 << 20) * 16)
            time.sleep(60)
            sys.exit(len(mine))
    time.sleep(60)
hoard = []
while True:
    hoard.append(bytearray(b"x" * (8 << 20)))
    if len(hoard) % 64 == 0:
        say(f"{len(hoard) * 8} MB so far")
