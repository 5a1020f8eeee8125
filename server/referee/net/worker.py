"""A worker: one process with its own event loop, its own unix socket and its own copies of the hosted bots.

It is started by `Workers` and speaks JSON lines with it on stdin and stdout: fixtures come in, results go out. A
result is announced to the bots only when the parent says that it is stored. When stdin ends, so does the worker, with
every bot.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import structlog
from arena.v1 import match_pb2

from referee.hosting.quarters import OpenAir, Quarters
from referee.hosting.spec import parse
from referee.match.clock import TimeControl
from referee.match.ending import Ending, Termination
from referee.match.match import Match
from referee.net.guests import Absentee, Guest, Guestbook
from referee.net.hall import Hall
from referee.net.house import HouseRoom
from referee.net.play import PlayService
from referee.net.venue import played
from referee.net.wire import Wire
from referee.rules import registry

LONGEST_LINE = 64 << 20


class Worker:
    """Plays what it is told to."""

    def __init__(self, folder: Path, out: asyncio.StreamWriter) -> None:
        self._folder = folder
        self._out = out
        self._hall = Hall()
        self._room = HouseRoom()
        self._book = Guestbook()
        self._play = PlayService(self._book)
        self._guests: dict[str, Guest] = {}
        self._waiting: dict[str, Match] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._order: dict[str, Any] = {}
        self._wire = Wire([(match_pb2.DESCRIPTOR.services_by_name["MatchService"], self._play)])

    async def run(self, orders: asyncio.StreamReader) -> None:
        """Until the parent hangs up."""
        socket = self._folder / "referee.sock"
        await self._wire.start(f"unix:{socket}")
        socket.chmod(0o666)  # bots have uids of their own; the folder around it is what is private
        beat = asyncio.get_running_loop().create_task(self._hall.beat())
        try:
            while line := await orders.readline():
                self._take(json.loads(line))
        finally:
            beat.cancel()
            for task in list(self._tasks):
                task.cancel()
            await asyncio.gather(*(guest.stop() for guest in self._guests.values()), return_exceptions=True)
            await self._wire.stop(0.2)

    def _take(self, order: dict[str, Any]) -> None:
        what = order["do"]
        if what == "open":
            self._order = order
            for name, text in order["bots"].items():
                self._guests[name] = self._guest(name, text)
            self._say({"say": "ready"})
        elif what == "play":
            self._later(self._play_match(order))
        elif what == "announce":
            match = self._waiting.pop(order["match"], None)
            if match is not None:
                match.announce()
        elif what == "break_off" and order["match"] in self._hall.matches:
            self._hall.matches[order["match"]].break_off("the tournament was cancelled")

    async def _play_match(self, order: dict[str, Any]) -> None:
        fresh: list[Guest] = []
        guests = []
        for name in order["bots"]:
            guest = self._guests[name]
            if order["fresh"] and guest.process is not None:
                guest = self._guest(name, self._order["bots"][name])
                fresh.append(guest)
            guests.append(guest)
        players = [await guest.player() for guest in guests]

        def finished(match: Match, ending: Ending) -> None:
            self._waiting[match.id] = match
            self._report(match, ending)
            if fresh:
                self._later(self._dismiss(fresh))

        match = self._hall.play(
            order["match"],
            registry.find(order["game"]),
            players,
            order["options"],
            bytes.fromhex(order["seed"]),
            TimeControl(order["limit"], order["bank"], grace=order["grace"]),
            tournament=order["tournament"],
            finished=finished,
        )
        for seat, player in enumerate(players):
            if isinstance(player, Absentee):
                match.forfeit(seat, Termination.CRASH, player.why)

    def _report(self, match: Match, ending: Ending) -> None:
        account = played(match, ending)
        self._say(
            {
                "say": "played",
                "match": match.id,
                "ranks": ending.ranks,
                "scores": ending.scores,
                "terminations": [termination.name for termination in ending.terminations],
                "texts": ending.texts,
                "reason": ending.reason,
                "record": account.record.decode(),
                "seats": [[seat.decisions, seat.strikes, seat.time_ms] for seat in account.seats],
            }
        )

    def _guest(self, name: str, text: str) -> Guest:
        guest = Guest(
            name,
            parse(text, Path(self._order["base"])),
            _quarters(self._order),
            self._play,
            self._book,
            self._folder / "referee.sock",
            self._room,
            self._order["concurrency"],
        )
        guest.on_bench = lambda name, why: self._say({"say": "benched", "bot": name, "why": why})
        return guest

    async def _dismiss(self, guests: list[Guest]) -> None:
        await asyncio.gather(*(guest.stop() for guest in guests), return_exceptions=True)

    def _say(self, value: dict[str, Any]) -> None:
        self._out.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _quarters(order: dict[str, Any]) -> Quarters:
    if not order["sandbox"]:
        return OpenAir()
    from referee.hosting.sandbox import Sandbox

    return Sandbox()


async def _main() -> None:
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader(limit=LONGEST_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        asyncio.streams.FlowControlMixin, os.fdopen(1, "wb", closefd=False)
    )
    out = asyncio.StreamWriter(transport, protocol, None, loop)
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        os.chmod(folder, 0o711)
        await Worker(Path(folder), out).run(orders)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    structlog.configure(
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
    )
    with suppress(BrokenPipeError):
        asyncio.run(_main())


if __name__ == "__main__":
    main()
