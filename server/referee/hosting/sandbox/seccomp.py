"""Seccomp filter (BPF): the system calls that are refused to a sandboxed bot.

Namespaces already hide files, network and processes. The filter closes what they leave open: new user namespaces
(inside which a program could mount a file system of any size, and reach much more of the kernel), memory that belongs
to no process and so escapes every limit (memfd, System V objects, anonymous memory shared between processes), sockets
that network namespaces do not hold (a virtual machine's line to its host), and calls that look into other processes.
Every one of them has a fallback in the runtimes of the usual languages, so they are refused, not punished.

It also closes the ways by which two bots could speak to each other through files that both may only read: messages
about what others do with a file (inotify, fanotify, leases), marks on a file that others can see (locks, write hints,
and times: everybody may touch /dev/null), and questions whether another has read it (mincore and its like). Locks and
times are granted and not kept: a program that locks its own files goes on, and nobody hears of it. Likewise what writes
the host's disks out or drops its cache (sync, fsync of any file that can be opened, fadvise): a bot has no file on a
disk, and the referee's database waits for the same disk. A build keeps all of these, for compilers need them and a
build plays no match. Requests of asynchronous I/O, of which the whole machine has one number for
all, are refused, and so is netlink but for questions about the bot's own network: the rest of it tells of the machine.
What is left is in SECURITY.md: timing, counters of the machine, and the memory of files that two bots have both mapped.
"""

from __future__ import annotations

import errno
import fcntl
import os
import platform
import struct

X86_64, AARCH64 = 0xC000003E, 0xC00000B7
LOAD, JUMP_EQUAL, JUMP_AT_LEAST, JUMP_ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
Step = tuple[int, int, int, int]
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
GRANTED = ERRNO | 0
"""The call returns 0 and nothing has been done."""
NUMBER_AT, ARCH_AT = 0, 4
FIRST_ARGUMENT_AT, SECOND_ARGUMENT_AT, THIRD_ARGUMENT_AT, FOURTH_ARGUMENT_AT = 16, 24, 32, 40
X32_BIT = 0x40000000
NEW_NAMESPACES = 0x7E020000
"""All CLONE_NEW… flags of clone(2) but CLONE_NEWTIME, which it does not take."""

REFUSED: dict[str, tuple[int | None, int | None]] = {
    # name: number on x86_64, on aarch64
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "open_by_handle_at": (304, 265),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "mincore": (27, 232),
}
ABSENT: dict[str, tuple[int | None, int | None]] = {
    # Said not to exist, for then runtimes quietly do something else.
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_setup": (206, 0),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "preadv2": (327, 286),
    "cachestat": (451, 451),
}
FLOCK = (73, 32)
TIMES: dict[str, tuple[int | None, int | None]] = {
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
"""Times of files: devices lie outside the sandbox, and whoever may write to one may set its time to now."""
DISKS: dict[str, tuple[int | None, int | None]] = {
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "sync_file_range": (277, 84),
    "msync": (26, 227),
    "fadvise64": (221, 223),
}
"""What a file that was opened for reading is enough for, and what keeps the disk busy under all others."""
FCNTL = (72, 25)
LOCKS = {6: GRANTED, 7: GRANTED, 37: GRANTED, 38: GRANTED, 5: ERRNO | errno.ENOLCK, 36: ERRNO | errno.ENOLCK}
"""Commands of fcntl: F_SETLK, F_SETLKW, the same for open files, and F_GETLK, which tells of the locks of others."""
MARKS = dict.fromkeys((1024, 1025, 1026, 1035, 1036, 1037, 1038), ERRNO | errno.EPERM)
"""F_SETLEASE, F_GETLEASE, F_NOTIFY, and the write hints, which stay with a file that was opened for reading."""
PIPE_SIZE = {1031: ERRNO | errno.EPERM}
"""F_SETPIPE_SZ: what lies in pipes belongs to no process, so they keep their usual size."""
PRCTL = (157, 167)
HIDING = {4: ERRNO | errno.EPERM}
"""PR_SET_DUMPABLE: a process that hides its mappings from a referee without rights could not be measured."""
CLONE = (56, 220)
MMAP = (9, 222)
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
SOCKET = (41, 198)
FAMILIES = (1, 2, 10)
"""Unix, IPv4 and IPv6."""
NETLINK, ROUTE = 16, 0
"""By which runtimes ask what network there is: none."""
ABOVE_SHELLS = 10
"""A shell between us and the child may move descriptors of one digit."""


def program(machine: str | None = None, *, building: bool = False) -> bytes | None:
    """The filter for this kind of machine; None where we have none. `building` keeps locks and times of files."""
    machine = machine or platform.machine()
    if machine not in ("x86_64", "aarch64"):
        return None
    column = 0 if machine == "x86_64" else 1
    steps: list[Step] = [
        (LOAD, 0, 0, ARCH_AT),
        (JUMP_EQUAL, 1, 0, X86_64 if column == 0 else AARCH64),
        (RETURN, 0, 0, KILL),  # 32-bit calls have other numbers
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if column == 0:
        steps += [(JUMP_AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    for calls, error in ((REFUSED, errno.EPERM), (ABSENT, errno.ENOSYS)):
        for numbers in calls.values():
            if (number := numbers[column]) is not None:
                steps += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | error)]
    if not building:
        for numbers in (FLOCK, *TIMES.values(), *DISKS.values()):
            if (number := numbers[column]) is not None:
                steps += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, GRANTED)]
    steps += _by_value(FCNTL[column], SECOND_ARGUMENT_AT, MARKS | PIPE_SIZE | ({} if building else LOCKS))
    steps += _by_value(PRCTL[column], FIRST_ARGUMENT_AT, HIDING)
    steps += _when(CLONE[column], [(LOAD, 0, 0, FIRST_ARGUMENT_AT), (JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES)], errno.EPERM)
    shared = [
        (LOAD, 0, 0, FOURTH_ARGUMENT_AT),
        (JUMP_ANY_BIT, 0, 2, MAP_ANONYMOUS),
        (JUMP_ANY_BIT, 0, 1, MAP_SHARED),
    ]
    steps += _when(MMAP[column], shared, errno.EPERM)
    route = [(JUMP_EQUAL, 0, 2, NETLINK), (LOAD, 0, 0, THIRD_ARGUMENT_AT), (JUMP_EQUAL, 1, 0, ROUTE)]
    known = [(JUMP_EQUAL, len(FAMILIES) - place + len(route), 0, family) for place, family in enumerate(FAMILIES)]
    steps += _when(SOCKET[column], [(LOAD, 0, 0, FIRST_ARGUMENT_AT), *known, *route], errno.EAFNOSUPPORT)
    steps += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


def _when(number: int, steps: list[Step], error: int) -> list[Step]:
    """Of this call, look at an argument: falling through the steps refuses it, a jump over the next one allows it."""
    judged = [*steps, (RETURN, 0, 0, ERRNO | error), (RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(judged), number), *judged]


def _by_value(number: int, argument_at: int, actions: dict[int, int]) -> list[Step]:
    """Of this call, look at an argument: what happens for each of these values, all others are allowed."""
    judged: list[Step] = [(LOAD, 0, 0, argument_at)]
    for value, action in actions.items():
        judged += [(JUMP_EQUAL, 0, 1, value), (RETURN, 0, 0, action)]
    judged += [(RETURN, 0, 0, ALLOW)]
    return [(JUMP_EQUAL, 0, len(judged), number), *judged]


def descriptor(content: bytes) -> int:
    """An open file with this content, to be handed to a child."""
    made = os.memfd_create("referee")
    os.write(made, content)
    os.lseek(made, 0, os.SEEK_SET)
    file = fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, ABOVE_SHELLS)
    os.close(made)
    return file
