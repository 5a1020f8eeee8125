"""A worker: one process with its own event loop, its own unix socket and its own copies of the hosted bots.

It is started by `Workers` and speaks JSON lines with it on stdin and stdout: fixtures come in, results go out, each
followed by the record of its match. A match whose bots the machine could not start comes back unplayed. A result is
announced to the bots only when the parent says that it is stored. When stdin ends, so does the worker, with every bot.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

from referee.gc_pauses import short_pauses
from referee.hall.hall import Hall
from referee.hall.house_player import HouseRoom
from referee.hosting.admission.places import Places
from referee.hosting.admission.starting import Overloaded, Starts
from referee.hosting.bot.spec import parse
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import OpenAir, Quarters
from referee.logs import log_to_stderr
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.workers.bot_host import Guesthouse
from referee.workers.lodgings import Absentee, Lodgings, hosted_of

LONGEST_LINE = 64 << 20
BROKEN_OFF = "the match was broken off by the host"


class Worker:
    """Plays what it is told to."""

    def __init__(self, order: dict[str, Any], out: asyncio.StreamWriter) -> None:
        """`order` is the first line from the parent: which bots, how they are put up, and how many at once."""
        self._out = out
        self._hall = Hall()
        self._room = HouseRoom()
        self._concurrency: int = order["concurrency"]
        self._quarters: Quarters = Sandbox() if order["sandbox"] else OpenAir()
        # Built by the parent, once.
        self._specs = {name: parse(text, Path(order["base"])) for name, text in order["bots"].items()}
        self._places = Places(order["running"])
        self._starts = Starts(order["starting"])
        self._waiting: dict[str, Match] = {}
        self._seated: dict[str, tuple[Lodgings, list[str]]] = {}
        """The matches that are being played, or not yet announced, with where their bots live."""
        self._broken_off: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def idle(self) -> bool:
        """Whether no match is being played."""
        return not self._hall.matches

    async def run(self, orders: asyncio.StreamReader) -> None:
        """Until the parent hangs up."""
        beat = asyncio.get_running_loop().create_task(self._hall.beat())
        try:
            async with Guesthouse(self._quarters, self._hall, self._starts) as house:
                lodgings = Lodgings(house, self._specs, self._room, self._concurrency, self._places)
                while line := await orders.readline():
                    self._take(json.loads(line), lodgings)
                tasks = list(self._tasks.values())
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            beat.cancel()

    def _take(self, order: dict[str, Any], lodgings: Lodgings) -> None:
        what, id = order["do"], order["match"]
        if what == "play":
            self._later(id, self._play_fresh(order) if order["fresh"] else self._play(order, lodgings))
        elif what == "announce":
            if (match := self._waiting.pop(id, None)) is not None:
                match.announce()
                lodgings, names = self._seated.pop(id)
                lodgings.leave(names)
        elif what == "break_off":
            self._broken_off.add(id)
            if id in self._hall.matches:
                self._hall.matches[id].break_off(BROKEN_OFF)
            elif id in self._tasks:  # its bots are still being waited for
                self._tasks[id].cancel()

    async def _play(self, order: dict[str, Any], lodgings: Lodgings) -> Match | None:
        """Start a match once its bots are there; None, and nothing to blame on anybody, if they cannot be started."""
        try:
            players = await lodgings.seat(order["bots"])
        except Overloaded as error:
            self._say({"say": "unplayed", "match": order["match"], "why": str(error)})
            return None
        for why in lodgings.benched():
            self._say({"say": "benched", "why": why})
        self._seated[order["match"]] = (lodgings, order["bots"])
        match = self._hall.play(
            order["match"],
            registry.find(order["game"]),
            players,
            order["options"],
            bytes.fromhex(order["seed"]),
            TimeControl(order["limit"], order["bank"], grace=order["grace"]),
            tournament=order["tournament"],
            finished=self._report,
        )
        for seat, player in enumerate(players):
            if isinstance(player, Absentee):
                match.forfeit(seat, Termination.CRASH, player.why)
        return match

    async def _play_fresh(self, order: dict[str, Any]) -> None:
        """A match whose bots are started for it alone, behind a socket of its own, and end with it."""
        need = len(hosted_of(order["bots"], self._specs))
        await self._places.take(lambda: need)
        try:
            async with Guesthouse(self._quarters, self._hall, self._starts) as house:
                match = await self._play(order, Lodgings(house, self._specs, self._room, 1, Places(need)))
                if match is not None:
                    await self._over(match)
        finally:
            self._places.free(need)

    async def _over(self, match: Match) -> None:
        over = self._hall.watch(match.id)
        while match.ending is None:
            await over.wait()
            over.clear()
        self._hall.unwatch(match.id, over)

    def _report(self, match: Match, ending: Ending) -> None:
        self._waiting[match.id] = match
        self._broken_off.discard(match.id)
        played = Played.of(match, ending)
        self._say({"say": "played", "match": match.id, "played": played.to_value()})
        self._out.write(played.record)  # a line of its own, as it is stored

    def _say(self, value: dict[str, Any]) -> None:
        self._out.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    def _later(self, match: str, work: Coroutine[Any, Any, Any]) -> None:
        task = self._tasks[match] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda task: self._done(match, task))

    def _done(self, match: str, task: asyncio.Task[Any]) -> None:
        if self._tasks.get(match) is task:
            del self._tasks[match]
        if task.cancelled():
            if match in self._broken_off:
                self._broken_off.discard(match)
                self._say({"say": "unplayed", "match": match, "why": ""})
        elif (error := task.exception()) is not None:
            # Nothing a bot does gets here: a fault of ours ends this worker, and its matches are played again.
            structlog.get_logger().error("a worker failed", exc_info=error)
            os._exit(70)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    orders = asyncio.StreamReader(limit=LONGEST_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    pipe = os.fdopen(1, "wb", closefd=False)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, pipe)
    out = asyncio.StreamWriter(transport, protocol, None, loop)
    if first := await orders.readline():
        worker = Worker(json.loads(first), out)
        async with short_pauses(quiet=lambda: worker.idle):
            await worker.run(orders)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    log_to_stderr(logging.WARNING)
    with suppress(BrokenPipeError):
        asyncio.run(_main())


if __name__ == "__main__":
    main()
