"""Worker process: plays matches of hosted bots with its own event loop, unix socket and copies of the bots.

It is started by `WorkersVenue` and speaks JSON lines with it on stdin and stdout: fixtures come in, results go out,
each followed by the record of its match. A match whose bots the machine could not start comes back unplayed. A result
is announced to the bots only when the parent says that it is stored. Of a match that somebody watches, the decisions
are told as they are played. When stdin ends, the worker ends with all its bots.
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
from dataclasses import replace
from typing import Any

import structlog

from referee.gc_pauses import short_pauses
from referee.hall.hall import Hall
from referee.hall.house_player import HouseBotThread
from referee.hosting.admission.process_slots import ProcessSlots
from referee.hosting.admission.starting import Overloaded, StartQueue
from referee.hosting.bot.spec import BotSpec
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import Launcher, NoSandbox
from referee.logs import log_to_stderr
from referee.match.match import Match
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.workers.bot_host import BotHost
from referee.workers.bot_pool import BotPool, hosted_of
from referee.workers.orders import control_of

LONGEST_LINE = 64 << 20
BROKEN_OFF = "the match was broken off by the host"
TELL_EVERY = 0.1
"""Seconds between two messages about a match that is watched."""


class Worker:
    """Plays the matches that its parent orders."""

    def __init__(self, order: dict[str, Any], out: asyncio.StreamWriter) -> None:
        """`order` is the first line from the parent: which bots, with or without a sandbox, and how many at once."""
        self._out = out
        self._hall = Hall()
        self._house_thread = HouseBotThread()
        self._concurrency: int = order["concurrency"]
        self._launcher: Launcher = Sandbox() if order["sandbox"] else NoSandbox()
        # Read and built by the parent, once.
        self._specs = {name: BotSpec.from_value(value) for name, value in order["bots"].items()}
        self._slots = ProcessSlots(order["running"])
        self._starts = StartQueue(order["starting"])
        self._waiting: dict[str, Match] = {}
        self._seated: dict[str, tuple[BotPool, list[str]]] = {}
        """The matches that are being played, or not yet announced, with the pool of their bots."""
        self._advised: set[str] = set()
        """What authors have been told already."""
        self._broken_off: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._watched: dict[str, asyncio.Task[None]] = {}
        self._told: dict[str, int] = {}
        """Of a watched match, how many decisions the parent knows."""

    @property
    def idle(self) -> bool:
        """Whether no match is being played."""
        return not self._hall.matches

    async def run(self, orders: asyncio.StreamReader) -> None:
        """Play until the parent closes the pipe."""
        beat = asyncio.get_running_loop().create_task(self._hall.beat())
        try:
            async with BotHost(self._launcher, self._hall, self._starts) as host:
                pool = BotPool(host, self._specs, self._house_thread, self._concurrency, self._slots)
                while line := await orders.readline():
                    self._take(json.loads(line), pool)
                tasks = list(self._tasks.values())
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            beat.cancel()

    def _take(self, order: dict[str, Any], pool: BotPool) -> None:
        what, id = order["do"], order.get("match", "")
        if what == "play":
            self._later(id, self._play_fresh(order) if order["fresh"] else self._play(order, pool))
        elif what == "announce":
            self._unwatch(id)  # it may have been looked at after its end
            if (match := self._waiting.pop(id, None)) is not None:
                match.announce()
                pool, names = self._seated.pop(id)
                pool.leave(names)
        elif what == "watch":
            self._unwatch(id)
            self._told[id] = 0
            self._watched[id] = asyncio.get_running_loop().create_task(self._tell(id))
        elif what == "unwatch":
            self._unwatch(id)
        elif what == "scores":
            matches = self._hall.matches.items()
            self._say({"say": "scores", "scores": {match: one.table.state.scores() for match, one in matches}})
        elif what == "break_off":
            self._broken_off.add(id)
            if id in self._hall.matches:
                self._hall.matches[id].break_off(BROKEN_OFF)
            elif id in self._tasks:  # its bots are still being waited for
                self._tasks[id].cancel()

    async def _play(self, order: dict[str, Any], pool: BotPool) -> Match | None:
        """Start a match once its bots are there; None, and no bot is blamed, if they cannot be started."""
        try:
            seated = await pool.seat(order["bots"])
        except Overloaded as error:
            self._say({"say": "unplayed", "match": order["match"], "why": str(error)})
            return None
        for why in pool.benched():
            self._say({"say": "benched", "why": why})
        self._seated[order["match"]] = (pool, order["bots"])
        pool.logs.opened(order["match"], order["bots"], lambda: self._decisions(order["match"]))
        for player, why_not in seated:
            if why_not:
                pool.logs.noted(order["match"], player.name, pool.last_lines(player.name))
        match = self._hall.play(
            order["match"],
            registry.find(order["game"]),
            [player for player, _ in seated],
            order["options"],
            bytes.fromhex(order["seed"]),
            control_of(order),
            tournament=order["tournament"],
            finished=self._report,
        )
        for seat, (_, why_not) in enumerate(seated):
            if why_not:
                match.forfeit(seat, Termination.CRASH, why_not)
        return match

    async def _play_fresh(self, order: dict[str, Any]) -> None:
        """A match whose bots are started for it alone, behind a socket of its own, and end with it."""
        need = len(hosted_of(order["bots"], self._specs))
        await self._slots.take(lambda: need)
        try:
            async with BotHost(self._launcher, self._hall, self._starts) as host:
                match = await self._play(order, BotPool(host, self._specs, self._house_thread, 1, ProcessSlots(need)))
                if match is not None:
                    await self._over(match)
        finally:
            self._slots.free(need)

    async def _over(self, match: Match) -> None:
        over = self._hall.watch(match.id)
        while match.ending is None:
            await over.wait()
            over.clear()
        self._hall.unwatch(match.id, over)

    async def _tell(self, id: str) -> None:
        """Tell the parent the decisions of a match as they are played, until it is not watched any more."""
        moved = self._hall.watch(id)
        try:
            self._tell_moves(id)
            while True:
                await moved.wait()
                moved.clear()
                if id in self._hall.matches:
                    self._tell_moves(id)
                await asyncio.sleep(TELL_EVERY)
        finally:
            self._hall.unwatch(id, moved)

    def _tell_moves(self, id: str, match: Match | None = None) -> None:
        match = match or self._hall.matches.get(id)
        moves = [] if match is None else list(match.moves[self._told[id] :])
        self._told[id] += len(moves)
        self._say({"say": "moves", "match": id, "moves": moves})

    def _unwatch(self, id: str) -> None:
        if (telling := self._watched.pop(id, None)) is not None:
            telling.cancel()
        self._told.pop(id, None)

    def _report(self, match: Match, ending: Ending) -> None:
        if match.id in self._watched:
            self._tell_moves(match.id, match)
            self._unwatch(match.id)
        self._waiting[match.id] = match
        self._broken_off.discard(match.id)
        self._advise(match)
        pool, _ = self._seated[match.id]
        played = replace(Played.of(match, ending), logs=tuple([log.pack() for log in pool.logs.closed(match.id)]))
        self._say({"say": "played", "match": match.id, "played": played.to_value()})
        self._out.write(played.record)  # a line of its own, as it is stored

    def _decisions(self, match: str) -> int:
        running = self._hall.matches.get(match)
        return 0 if running is None else running.table.decisions

    def _advise(self, match: Match) -> None:
        """Tell once what a bot's author did wrong: a bot may play its last match before it is benched."""
        if match.id in self._seated:
            for text in self._seated[match.id][0].advice():
                if text not in self._advised:
                    self._advised.add(text)
                    self._say({"say": "benched", "why": text})

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
