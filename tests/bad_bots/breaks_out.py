"""Tries the kernel's side doors: new namespaces, mounts, tracing, memory of no process, other networks, root."""

import ctypes
import mmap
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

from honest import play, say  # type: ignore[import-not-found]

libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
MEMFD = {"x86_64": 319, "aarch64": 279}[os.uname().machine]
AIO = {"x86_64": 206, "aarch64": 0}[os.uname().machine]
DEVICE_MESSAGES = 15
MIB = 1 << 20


def attempt(what: str, result: int) -> None:
    say(f"DONE {what}" if result >= 0 else f"denied {what}: {os.strerror(ctypes.get_errno())}")


def permitted(what: str, do: Callable[[], object]) -> None:
    try:
        do()
        say(f"DONE {what}")
    except (OSError, ValueError) as error:
        say(f"denied {what}: {error}")


attempt("user namespace", libc.unshare(NEW_USER))
attempt("mount namespace", libc.unshare(NEW_MOUNTS))
attempt("mount", libc.mount(b"none", b"/tmp", b"tmpfs", 0, b"size=100g"))
attempt("trace", libc.ptrace(16, 1, 0, 0))
attempt("memory file", libc.syscall(MEMFD, b"x", 0))
attempt("shared memory", libc.shmget(0, 64 * MIB, 0o1600))
attempt("message queue", libc.msgget(0, 0o1600))
attempt("semaphores", libc.semget(0, 32_000, 0o1600))
attempt("all requests of asynchronous I/O", libc.syscall(AIO, 60_000, ctypes.byref(ctypes.c_ulong(0))))
attempt("become root", libc.setuid(0))
attempt("change root", libc.chroot(b"/tmp"))
permitted("shared anonymous memory", lambda: mmap.mmap(-1, 64 * MIB))
with open("/dev/zero", "r+b") as zero:
    permitted("shared zeros", lambda: mmap.mmap(zero.fileno(), 64 * MIB))
permitted("be ended last", lambda: Path("/proc/self/oom_score_adj").write_text("0"))
permitted("messages about devices", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, DEVICE_MESSAGES))
permitted("line to the machine's host", lambda: socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM))
permitted("crypto socket", lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET))
nothing = -1  # no file: who really wrote it out would be told so
flushed = [libc.fsync(nothing), libc.fdatasync(nothing), libc.syncfs(nothing), libc.posix_fadvise(nothing, 0, 0, 4)]
say(f"flushed: {flushed}")
with open("/proc/self/status") as status:
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
say(f"capabilities: {int(fields['CapEff'], 16) | int(fields['CapPrm'], 16)}, uid: {os.getuid()}")
sys.argv.clear()
play()
