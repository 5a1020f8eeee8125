"""Looks for other processes, into their environments and their memory, and sends signals to all it can name."""

import os
import signal
import sys

from honest import play, say  # type: ignore[import-not-found]

token = sys.argv[1]  # as in the environments of the bots beside it, but put together only here
seen = [int(name) for name in os.listdir("/proc") if name.isdigit()]
say(f"processes: {len(seen)}")
for pid in seen:
    if pid == os.getpid():
        continue
    for file in ("environ", "mem", "maps", "cwd/.", "root/."):
        try:
            with open(f"/proc/{pid}/{file}", "rb") as found:
                content = found.read(1 << 16)
                say(f"READ {pid} {file}" if content and token.encode() in content else f"nothing in {pid} {file}")
        except OSError as error:
            say(f"denied {pid} {file}: {error.strerror}")
for pid in range(1, 40_000):
    if pid != os.getpid():
        try:
            os.kill(pid, signal.SIGKILL)
            say(f"HIT {pid}")
        except OSError:
            continue
for group in (-1, 0):
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.kill(group, signal.SIGTERM)
    except OSError as error:
        say(f"denied group {group}: {error.strerror}")
play()
