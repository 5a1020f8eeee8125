"""Puts the questions of a recorded match to a bot: hosted as in a tournament, or at the terminal for a debugger.

At the terminal the bot runs without sandbox and limits, with the environment and the terminal of the person who asks:
`python -m pdb mybot.py` and `gdb --args ./mybot` work as they do alone. No deadline and no keep-alive ends the
connection while the program stands still.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from referee.analysis.ask import Interview, Reply
from referee.analysis.replay.recorded import RecordedMatch
from referee.hosting.bot.spec import BotSpec, Kind
from referee.hosting.lines import codec
from referee.hosting.lines.player import decide_line_of
from referee.hosting.process.bot_process import RestartPolicy, how_it_ended
from referee.hosting.sandbox.launch import Launcher, Link, NoSandbox
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending, Termination
from referee.rules.game import Seat
from referee.workers.bot_host import BotHost

ARRIVAL_SECONDS = 30.0
"""How long a hosted bot may take from its start to its hello; at a terminal there is no such limit."""
END_SECONDS = 3.0
"""How long a program at the terminal has to end when it is asked to."""
ONE_LIFE = RestartPolicy(crashes=1)


class NotTold(Exception):
    """The answers could not be told, as when stdout is closed; nothing that the bot has done."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


class CannotAsk(Exception):
    """The bot is not there to be asked: says how it ended, and what it wrote."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Which questions are put, and what the bot is told of its time."""

    recorded: RecordedMatch
    seat: Seat
    control: TimeControl
    only: int | None = None
    """The one decision that is asked about; None: all of the seat's."""
    told: Callable[[Reply], object] = field(default=lambda reply: None)
    """Hears of every answer as it comes."""


@dataclass(frozen=True, slots=True)
class BotAnswers:
    """What a bot answered, and why it stopped before the end, if it did."""

    replies: list[Reply]
    trouble: str = ""
    last_lines: str = ""
    """The end of what it wrote to stderr, if it stopped."""


async def ask_hosted(spec: BotSpec, launcher: Launcher, inquiry: Inquiry) -> BotAnswers:
    """Ask a bot that is started as in a tournament; CannotAsk if it does not come."""
    async with BotHost(launcher, patient=True) as host:
        hosted = await host.host(spec, concurrency=1, restart_policy=ONE_LIFE)
        if not await host.wait_ready(hosted, ARRIVAL_SECONDS) or hosted.player is None:
            if hosted.process.exits:
                last = hosted.process.exits[-1]
                raise CannotAsk(f"{spec.name} {last.text} before it could be asked:\n{last.last_lines}")
            raise CannotAsk(f"{spec.name} did not connect within {ARRIVAL_SECONDS:g} seconds: does it call arena.run?")
        interview = await _interview(hosted.player, inquiry)
        if interview.trouble is None:
            return BotAnswers(interview.replies)
        return BotAnswers(interview.replies, _how(interview), hosted.process.stderr.told())


async def ask_at_terminal(spec: BotSpec, inquiry: Inquiry, stdout: int | None = None) -> BotAnswers:
    """Ask a bot that has the terminal, however long it takes; CannotAsk if it ends before it can be asked.

    `stdout` is where its output goes, if not to ours.
    """
    async with BotHost(NoSandbox(), patient=True) as host:
        link = Link(host.socket, host.admit(spec.name), spec.name, 1)
        piped = spec.kind is Kind.STDIO
        process = await asyncio.create_subprocess_exec(
            *spec.argv,
            cwd=spec.cwd,
            env=os.environ | ({} if piped else link.environment(str(host.socket))),
            stdin=asyncio.subprocess.PIPE if piped else None,
            stdout=asyncio.subprocess.PIPE if piped else stdout,
            limit=codec.LONGEST_LINE,
        )
        ended = asyncio.get_running_loop().create_task(process.wait())
        try:
            player = LinesPlayer(spec.name, process) if piped else await _connected(host, spec.name, ended)
            if player is None:
                raise CannotAsk(f"{spec.name} {how_it_ended(ended.result())} before it could be asked")
            interview = await _interview(player, inquiry, ended)
            return BotAnswers(interview.replies, _how(interview) if interview.trouble else "")
        finally:
            await _end(process, ended)


async def _interview(player: Player, inquiry: Inquiry, ended: asyncio.Task[int] | None = None) -> Interview:
    over = asyncio.Event()
    untold: list[Exception] = []

    def told(reply: Reply) -> None:
        try:
            inquiry.told(reply)
        except (OSError, ValueError) as error:
            untold.append(error)
            over.set()

    interview = Interview(
        inquiry.recorded,
        inquiry.seat,
        player,
        inquiry.control,
        only=inquiry.only,
        on_reply=told,
        on_over=over.set,
    )

    def gone(task: asyncio.Task[int]) -> None:
        interview.forfeit(inquiry.seat, Termination.CRASH, f"the bot {how_it_ended(task.result())}")

    if ended is not None:
        ended.add_done_callback(gone)
    interview.start()
    await over.wait()
    if ended is not None:
        ended.remove_done_callback(gone)
    if untold:
        raise NotTold(untold[0])
    return interview


async def _connected(host: BotHost, name: str, ended: asyncio.Task[int]) -> Player | None:
    """The bot once it has connected; None if its program ended before."""
    changed = asyncio.Event()
    host.presence.on_change(changed.set)
    ended.add_done_callback(lambda task: changed.set())
    while (player := host.presence.find(name)) is None and not ended.done():
        changed.clear()
        await changed.wait()
    host.presence.forget(changed.set)
    return player


async def _end(process: asyncio.subprocess.Process, ended: asyncio.Task[int]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if ended.done():
            return
        with suppress(ProcessLookupError):
            process.send_signal(number)
        await asyncio.wait({ended}, timeout=END_SECONDS)


def _how(interview: Interview) -> str:
    assert interview.trouble is not None
    trouble = interview.trouble
    return f"at decision {trouble.after} it ended with {trouble.termination.word}: {trouble.text}"


class LinesPlayer:
    """A program on pipes that is asked without haste. It is a `Player`: one question at a time, and no limits."""

    wants_legal = True

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        self.name = name
        self._process = process
        self._question: Question | None = None
        self._listening: asyncio.Task[None] | None = None

    def started(self, match: Match, seat: Seat) -> None:
        control = match.control
        self._send(
            codec.start_line(
                match.id,
                match.game.name,
                seat,
                match.names,
                match.options,
                control.limit,
                control.bank,
                control.total,
            )
        )
        self._listening = asyncio.get_running_loop().create_task(self._listen(match, seat))

    def ask(self, question: Question) -> None:
        self._question = question
        question.left(time.monotonic())
        self._send(decide_line_of(question.number, question))

    def rejected(self, match: Match, rejected: Rejected) -> None:
        if self._question is not None:
            self._send(
                codec.rejected_line(
                    match.id,
                    rejected.number,
                    self._question.seat,
                    rejected.kind.value,
                    rejected.code,
                    rejected.message,
                    rejected.move,
                    rejected.strikes_left,
                    self._question.legal if rejected.open else None,
                )
            )

    def ended(self, match: Match, ending: Ending) -> None:
        if self._listening is not None:
            self._listening.cancel()
        if self._question is not None:
            seat = self._question.seat
            view = codec.final_view_value(match.view_type, match.final_view(seat), match.view_descriptor)
            self._send(codec.end_line(match.id, seat, ending, view))

    def _send(self, line: bytes) -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(line)

    async def _listen(self, match: Match, seat: Seat) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                if line.strip():
                    self._take(line, match, seat)
        except ValueError:  # asyncio's word for a line beyond the limit
            match.forfeit(seat, Termination.FLOOD, f"wrote a line of more than {codec.LONGEST_LINE >> 10} KB")
            return
        await asyncio.sleep(END_SECONDS)  # usually it is about to exit, which says more
        match.forfeit(seat, Termination.CRASH, "the bot closed its stdout")

    def _take(self, line: bytes, match: Match, seat: Seat) -> None:
        question, now = self._question, time.monotonic()
        try:
            answer = codec.read_answer(line)
        except codec.NotAnAnswer as error:
            if question is not None:
                match.answer(seat, question.number, codec.shown(line)[1:-1], now, str(error))
            return
        match.answer(seat, answer.decision, answer.move, now)
