"""Takes memory without end: in one process, spread over many small ones, or where it belongs to no process."""

import contextlib
import itertools
import mmap
import os
import socket
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
if "tables" in sys.argv:  # reading costs no memory, but the tables that say where nothing is do
    nothing = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    print(sum(nothing[place] for place in range(0, 1 << 40, 1 << 21)))
if "files" in sys.argv:
    for number in itertools.count():
        open(f"/tmp/{number}", "wb").close()
if "sockets" in sys.argv:
    pairs = [socket.socketpair() for _ in range(200)]
    for end in (pair[0] for pair in pairs):
        end.setblocking(False)
        while True:
            try:
                end.send(b"x" * 4096)
            except BlockingIOError:
                break
    time.sleep(60)
if "pieces" in sys.argv:  # the kernel keeps a list of all mappings of a process, and walks through it to weigh it
    write, read = mmap.PROT_READ | mmap.PROT_WRITE, mmap.PROT_READ
    for _ in range(2):
        os.fork()
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    pieces = [mmap.mmap(-1, 4096, private, write if number % 2 else read) for number in range(15_000)]
    time.sleep(60)
if "pipes" in sys.argv:
    for _ in range(5):
        os.fork()
    for _ in range(240):
        pipe = os.pipe()[1]
        os.set_blocking(pipe, False)
        with contextlib.suppress(BlockingIOError):
            os.write(pipe, bytes(1 << 13))
    time.sleep(60)
hoard = []
while True:
    hoard.append(bytearray(b"x" * (8 << 20)))
    if len(hoard) % 64 == 0:
        say(f"{len(hoard) * 8} MB so far")
