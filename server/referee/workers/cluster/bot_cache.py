"""Cache of bots on a worker machine: unpacked folders known by the SHA-256 of what arrived, the longest unused removed.

A bot arrives in pieces, is verified, unpacked and built once; further tournaments find it. The folder is the worker's
own and goes with it.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Collection, Coroutine
from pathlib import Path
from typing import Any

from referee.hosting.bot.build_copy import remove
from referee.rules.game import WrongUse
from referee.workers.cluster.packing import MOST_BYTES, unpack

USUAL_SIZE = 1 << 30
DIGEST = re.compile(r"[0-9a-f]{64}")
BUILT, ARRIVING = ".built", ".arriving"


class BotCache:
    """A folder of bots."""

    def __init__(self, folder: Path, most: int = USUAL_SIZE) -> None:
        """`most`: bytes that are kept while no tournament uses them."""
        self.folder = folder
        self._most = most
        self._used: dict[str, int] = {}
        """Bots that tournaments use now, and how many."""
        self._locks: dict[str, asyncio.Lock] = {}

    def missing(self, digests: Collection[str]) -> list[str]:
        """Which of these have to be sent."""
        return sorted(digest for digest in digests if not self._place(digest).is_dir())

    def arrived(self, digest: str, offset: int, piece: bytes) -> None:
        """A piece of an archive; pieces that come twice change nothing."""
        if offset + len(piece) > 2 * MOST_BYTES:
            raise WrongUse("a bot that was sent is too large")
        path = self._place(digest, ARRIVING)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.pwrite(file, piece, offset)
        finally:
            os.close(file)

    async def use(self, digest: str, built: Callable[[Path], Coroutine[Any, Any, None]]) -> Path:
        """The folder of a bot, unpacked and built; it stays until `leave`. Its first use unpacks and builds it."""
        async with self._locks.setdefault(digest, asyncio.Lock()):
            place = self._place(digest)
            if not place.is_dir():
                self._unpack(digest, place)
            if not self._place(digest, BUILT).exists():
                try:
                    await built(place)
                except BaseException:
                    remove(place)
                    raise
                self._place(digest, BUILT).touch()
            os.utime(place)
            self._used[digest] = self._used.get(digest, 0) + 1
            return place

    def leave(self, digests: Collection[str]) -> None:
        """A tournament is over; what is too much is removed, the longest unused first."""
        for digest in digests:
            self._used[digest] = self._used.get(digest, 0) - 1
        kept = sorted((path for path in self.folder.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
        sizes = {path: _size(path) for path in kept}
        total = sum(sizes.values())
        for path in kept:
            if total <= self._most:
                return
            if self._used.get(path.name, 0) <= 0:
                total -= sizes[path]
                remove(path)
                self._place(path.name, BUILT).unlink(missing_ok=True)

    def _unpack(self, digest: str, place: Path) -> None:
        arrived, new = self._place(digest, ARRIVING), self._place(digest, ".new")
        remove(new)
        self._place(digest, BUILT).unlink(missing_ok=True)
        try:
            unpack(arrived.read_bytes(), digest, new)
            new.rename(place)
        except FileNotFoundError:
            raise WrongUse("a bot has not arrived: it is sent again") from None
        except BaseException:
            remove(new)
            raise
        finally:
            arrived.unlink(missing_ok=True)

    def _place(self, digest: str, ending: str = "") -> Path:
        if not DIGEST.fullmatch(digest):
            raise WrongUse(f"{digest!r} is no SHA-256")
        return self.folder / f"{digest}{ending}"


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))
