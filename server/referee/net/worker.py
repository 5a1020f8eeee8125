"""A worker: one process with its own event loop, its own unix socket and its own copies of the hosted bots.

It is started by `Workers` and speaks JSON lines with it on stdin and stdout: fixtures come in, results go out, each
followed by the record of its match. A result is announced to the bots only when the parent says that it is stored. When
stdin ends, so does the worker, with every bot.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import structlog

from referee.hosting import folders
from referee.hosting.process import Condition
from referee.hosting.quarters import OpenAir, Quarters
from referee.hosting.sandbox import Sandbox
from referee.hosting.spec import BotSpec, Kind, parse
from referee.logs import log_to_stderr
from referee.match.clock import TimeControl
from referee.match.ending import Ending, Termination
from referee.match.match import Match
from referee.match.port import Player, Question, Rejected
from referee.net.hall import Hall
from referee.net.hosted import Guest, Guesthouse
from referee.net.house import HousePlayer, HouseRoom
from referee.net.venue import played
from referee.pauses import short_pauses
from referee.rules import registry
from referee.rules.game import Seat

LONGEST_LINE = 64 << 20
ARRIVAL_SECONDS = 30.0
"""How long a bot may take from its start to its hello."""
ARRIVAL_LOOKS = 0.01
BROKEN_OFF = "the match was broken off by the host"


class Absentee:
    """Sits in for a bot that cannot be had; its seat is forfeited at once."""

    wants_legal = False

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class Lodgings:
    """The hosted bots of one guesthouse, each started when it is first needed."""

    def __init__(self, house: Guesthouse, specs: dict[str, BotSpec], room: HouseRoom, concurrency: int) -> None:
        self._house = house
        self._specs = specs
        self._room = room
        self._concurrency = concurrency
        self._inside: dict[str, HousePlayer] = {}
        self._coming: dict[str, asyncio.Task[Guest]] = {}
        self._told: set[str] = set()

    async def player(self, name: str) -> Player:
        """The bot, ready to sit down; an Absentee that says why, if it cannot be had."""
        spec = self._specs[name]
        if spec.kind is Kind.HOUSE:
            if name not in self._inside:
                self._inside[name] = HousePlayer(name, folders.load(folders.find(spec.name)), self._room)
            return self._inside[name]
        if name not in self._coming:
            host = self._house.host(spec, name=name, concurrency=self._concurrency)
            self._coming[name] = asyncio.get_running_loop().create_task(host)
        try:
            guest = await asyncio.shield(self._coming[name])
        except Exception as error:  # noqa: BLE001 - whatever keeps it from starting is this bot's matter alone
            return Absentee(name, f"cannot be started: {error}")
        loop = asyncio.get_running_loop()
        until = loop.time() + ARRIVAL_SECONDS
        while not guest.benched and loop.time() < until:
            if guest.player is not None and guest.process.condition is Condition.RUNNING:
                return guest.player
            await asyncio.sleep(ARRIVAL_LOOKS)
        if guest.benched:
            return Absentee(name, guest.process.why_benched.splitlines()[0])
        return Absentee(name, f"was not there within {ARRIVAL_SECONDS:g} seconds of its start")

    def benched(self) -> list[str]:
        """What there is to tell about bots that keep crashing, each once."""
        news = []
        for name, guest in self._house.guests.items():
            if guest.benched and name not in self._told:
                self._told.add(name)
                news.append(guest.process.why_benched)
        return news


class Worker:
    """Plays what it is told to."""

    def __init__(self, order: dict[str, Any], out: asyncio.StreamWriter) -> None:
        """`order` is the first line from the parent: which bots, and how they are put up."""
        self._out = out
        self._hall = Hall()
        self._room = HouseRoom()
        self._concurrency: int = order["concurrency"]
        self._quarters: Quarters = Sandbox() if order["sandbox"] else OpenAir()
        # Built by the parent, once.
        self._specs = {name: parse(text, Path(order["base"])) for name, text in order["bots"].items()}
        self._waiting: dict[str, Match] = {}
        self._broken_off: set[str] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def idle(self) -> bool:
        """Whether no match is being played."""
        return not self._hall.matches

    async def run(self, orders: asyncio.StreamReader) -> None:
        """Until the parent hangs up."""
        beat = asyncio.get_running_loop().create_task(self._hall.beat())
        try:
            async with Guesthouse(self._quarters, self._hall) as house:
                lodgings = Lodgings(house, self._specs, self._room, self._concurrency)
                while line := await orders.readline():
                    self._take(json.loads(line), lodgings)
                for task in list(self._tasks):
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
        finally:
            beat.cancel()

    def _take(self, order: dict[str, Any], lodgings: Lodgings) -> None:
        what = order["do"]
        if what == "play":
            self._later(self._play_fresh(order) if order["fresh"] else self._play(order, lodgings))
        elif what == "announce":
            if (match := self._waiting.pop(order["match"], None)) is not None:
                match.announce()
        elif what == "break_off":
            self._broken_off.add(order["match"])
            if order["match"] in self._hall.matches:
                self._hall.matches[order["match"]].break_off(BROKEN_OFF)

    async def _play(self, order: dict[str, Any], lodgings: Lodgings) -> Match:
        players = await asyncio.gather(*(lodgings.player(name) for name in order["bots"]))
        for why in lodgings.benched():
            self._say({"say": "benched", "why": why})
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
        if match.id in self._broken_off:  # while its bots were still being waited for
            match.break_off(BROKEN_OFF)
        return match

    async def _play_fresh(self, order: dict[str, Any]) -> None:
        """A match whose bots are started for it alone, behind a socket of its own, and end with it."""
        async with AsyncExitStack() as stack:
            house = await stack.enter_async_context(Guesthouse(self._quarters, self._hall))
            specs = {name: self._specs[name] for name in order["bots"]}
            match = await self._play(order, Lodgings(house, specs, self._room, 1))
            over = self._hall.watch(match.id)
            while match.ending is None:
                await over.wait()
                over.clear()
            self._hall.unwatch(match.id, over)

    def _report(self, match: Match, ending: Ending) -> None:
        self._waiting[match.id] = match
        self._broken_off.discard(match.id)
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
                "seats": [[seat.decisions, seat.strikes, seat.time_ms] for seat in account.seats],
            }
        )
        self._out.write(account.record)  # a line of its own, as it is stored

    def _say(self, value: dict[str, Any]) -> None:
        self._out.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    def _later(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
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
