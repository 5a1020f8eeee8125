"""Leaves marks on files that all bots may read (`tells`), or looks for the marks of another (`listens`)."""

import ctypes
import fcntl
import mmap
import os
import struct
import sys
from collections.abc import Callable

from honest import play, say  # type: ignore[import-not-found]

libc = ctypes.CDLL(None, use_errno=True)
SHARED = "/usr/bin/env"
X86 = os.uname().machine == "x86_64"
FANOTIFY, MINCORE, PREADV2, CACHESTAT = (300, 27, 327, 451) if X86 else (262, 232, 286, 451)
OFD_GETLK, OFD_SETLK = 36, 37
GET_HINT, SET_HINT, LONG = 1035, 1036, 4
READ, WRITE = fcntl.F_RDLCK, fcntl.F_WRLCK
file = os.open(SHARED, os.O_RDONLY)


def lock(command: int, kind: int) -> int:
    """The kind of lock that is there afterwards."""
    found = fcntl.fcntl(file, command, struct.pack("hhqqixxxx", kind, 0, 0, 1, 0))
    return int(struct.unpack_from("h", found)[0])


def attempt(what: str, do: Callable[[], object]) -> None:
    try:
        do()
        say(f"did {what}")
    except OSError as error:
        say(f"denied {what}: {error}")


def listen(channel: str, heard: Callable[[], bool]) -> None:
    try:
        say(f"HEARD {channel}" if heard() else f"silent {channel}")
    except OSError as error:
        say(f"silent {channel}: {error}")


def taken() -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def works(number: int, *arguments: object) -> bool:
    return bool(libc.syscall(number, *arguments) >= 0)


def hint() -> int:
    return int(struct.unpack("Q", fcntl.fcntl(file, GET_HINT, bytes(8)))[0])


def resident() -> bool:
    with mmap.mmap(file, 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) as page:
        address = ctypes.addressof(ctypes.c_char.from_buffer(page))
        answer = ctypes.create_string_buffer(1)
        return works(MINCORE, ctypes.c_void_p(address), ctypes.c_size_t(4096), answer)


def touch() -> None:
    for device in ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom"):
        os.utime(device)


def hide() -> None:
    if libc.prctl(4, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "prctl")


if "tells" in sys.argv:
    attempt("flock", lambda: fcntl.flock(file, fcntl.LOCK_EX))
    attempt("lock", lambda: lock(fcntl.F_SETLK, READ))
    attempt("lock of an open file", lambda: lock(OFD_SETLK, READ))
    attempt("hiding", hide)
    attempt("times", touch)
    attempt("hint", lambda: fcntl.fcntl(file, SET_HINT, struct.pack("Q", LONG)))
if "listens" in sys.argv:
    listen("flock", taken)
    listen("lock", lambda: lock(fcntl.F_GETLK, WRITE) != fcntl.F_UNLCK)
    listen("lock of an open file", lambda: lock(OFD_GETLK, WRITE) != fcntl.F_UNLCK)
    listen("hint", lambda: hint() == LONG)
    listen("inotify", lambda: libc.inotify_init1(0) >= 0)
    listen("fanotify", lambda: works(FANOTIFY, 0x200, 0))
    listen("dnotify", lambda: fcntl.fcntl(os.open("/usr", os.O_RDONLY), fcntl.F_NOTIFY, fcntl.DN_ACCESS) >= 0)
    listen("mincore", resident)
    listen("cache", lambda: works(CACHESTAT, file, struct.pack("QQ", 0, 0), ctypes.create_string_buffer(40), 0))
    listen("cached read", lambda: os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT) >= 0)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        listen("large pipe", lambda: fcntl.fcntl(os.pipe()[0], fcntl.F_SETPIPE_SZ, 1 << 20) > 0)
say("done")
sys.argv.clear()
play()
