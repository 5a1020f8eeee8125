"""One conformance case played over JSON lines: the same script, spoken to a program on its stdin and stdout.

Handshakes are left out, for there are none. Questions get numbers of their own, as hosts number them: unique over
the life of the program. At the end stdin is closed, and the program has to exit with 0.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from arena import results
from arena.v1 import match_pb2 as pb
from referee.conformance import bodies
from referee.conformance.bot_under_test import BotUnderTest
from referee.conformance.case import OWN_WORDS, Case
from referee.conformance.outcome import Mismatch, check_exit, check_texts, how_it_ended, hung, last_words
from referee.conformance.performance import STARTING, asked_at_once
from referee.hosting.lines import codec
from referee.match.result import Ending, Termination

Found = TypeVar("Found")


class LinesPerformance:
    """One case with one program. `await play()` raises Mismatch if it does something else; `close()` in any case."""

    def __init__(self, what: Case, command: Sequence[str], folder: Path, patience: float) -> None:
        self.case = what
        self.bot: BotUnderTest | None = None
        self._command = command
        self._patience = patience
        self._heard = False
        self._numbers: dict[tuple[str, int], int] = {}
        self._questions: dict[int, tuple[str, int]] = {}
        self._starts: dict[str, pb.MatchStart] = {}

    async def play(self) -> None:
        self.bot = await BotUnderTest.start(self._command, {}, keep_stdout=False)
        for number, step in enumerate(self.case.script, 1):
            try:
                await self._follow(step)
            except Mismatch as error:
                raise Mismatch(f"step {number}: {error}") from None
            except bodies.NotABody as error:
                name = self.case.name
                raise bodies.NotABody(f"{self.case.theme}.toml, case {name!r}, step {number}: {error}") from None
        assert self.bot.process.stdin is not None
        self.bot.process.stdin.close()
        code = await self._until(asyncio.shield(self.bot.exited), "that the program exits once stdin has ended")
        await self.bot.output_ends()
        assert self.bot.process.stdout is not None
        if rest := await self.bot.process.stdout.read():
            raise Mismatch(f"expected nothing more\nseen: {codec.shown(rest)}")
        check_exit(self.bot, code, (0,))
        check_texts(self.bot, [text for text in self.case.stderr if text.startswith(OWN_WORDS)], self.case.never)

    async def close(self) -> None:
        if self.bot is not None:
            await self.bot.kill()

    async def _follow(self, step: Mapping[str, Any]) -> None:
        ((verb, value),) = step.items()
        if verb in ("greet", "opens", "end"):
            return
        if verb == "say":
            await self._say(value if isinstance(value, list) else [value])
        elif verb == "hear":
            await self._hear(value if isinstance(value, list) else [value])
        elif verb == "start_all":
            await self._say([{"match_start": {"match_id": f"m/{number}"}} for number in range(1, value + 1)])
        elif verb == "ask_all":
            said, heard = asked_at_once(value)
            await self._say(said)
            await self._hear(heard)
        else:
            raise Mismatch(f"the step {verb!r} has no meaning over lines")

    async def _say(self, tables: Sequence[Mapping[str, Any]]) -> None:
        assert self.bot is not None
        assert self.bot.process.stdin is not None
        lines = b"".join(self._line(bodies.from_table(table)) for table in tables)
        try:
            self.bot.process.stdin.write(lines)
            await self._until(self.bot.process.stdin.drain(), "that the program reads its stdin")
        except ConnectionError:
            await self._until(asyncio.shield(self.bot.exited), "that the program reads its stdin")
            raise Mismatch(
                f"expected that the program reads its stdin\nseen: "
                f"{how_it_ended(self.bot.exited.result())}; {last_words(self.bot)}"
            ) from None

    def _line(self, body: pb.RefereeBody) -> bytes:
        kind = body.WhichOneof("body")
        if kind is None:
            return b'{"type":"unheard-of","match":"m/1"}\n'
        if kind == "match_start":
            return self._start_line(body.match_start)
        if kind == "decide":
            return self._decide_line(body.decide)
        if kind == "rejected":
            return self._rejected_line(body.rejected)
        if kind == "match_end":
            return self._end_line(body.match_end)
        raise Mismatch(f"a {kind} has no meaning over lines")

    def _start_line(self, start: pb.MatchStart) -> bytes:
        self._starts[start.match_id] = start
        control = start.time_control
        return codec.start_line(
            start.match_id,
            start.game,
            start.seat,
            start.names,
            json.loads(start.options_json),
            control.limit_ms / 1000,
            control.bank_ms / 1000,
        )

    def _decide_line(self, question: pb.Decide) -> bytes:
        key = (question.match_id, question.decision)
        number = self._numbers[key] = len(self._questions) + 1
        self._questions[number] = key
        start = self._starts.get(question.match_id)
        view = codec.view_value(start.view_type, question.view) if start is not None and question.view else {}
        return codec.decide_line(
            question.match_id,
            number,
            question.seat,
            question.legal,
            question.complete,
            view,
            question.budget_ms / 1000,
            question.bank_ms / 1000,
        )

    def _rejected_line(self, rejected: pb.Rejected) -> bytes:
        kind = pb.RejectionKind.Name(rejected.kind).removeprefix("REJECTION_KIND_").lower()
        return codec.rejected_line(
            rejected.match_id,
            self._numbers.get((rejected.match_id, rejected.decision), 0),
            rejected.question.seat,
            kind,
            rejected.code,
            rejected.message,
            rejected.move_text,
            rejected.strikes_left,
            list(rejected.question.legal) if rejected.open else None,
        )

    def _end_line(self, end: pb.MatchEnd) -> bytes:
        start = self._starts.get(end.match_id)
        view = codec.final_view_value(start.view_type, end.view) if start is not None else {}
        result = end.result
        ending = Ending(
            tuple(result.ranks),
            tuple(result.scores),
            tuple(Termination.of_word(word) for word in results.words(result)),
            tuple(result.texts),
            result.reason,
        )
        return codec.end_line(end.match_id, end.seat, ending, view)

    async def _hear(self, wanted: Sequence[Mapping[str, Any]]) -> None:
        assert self.bot is not None
        assert self.bot.process.stdout is not None
        left = list(wanted)
        while left:
            expected = f"{bodies.shown(left[0], left[0])}{f' and {len(left) - 1} more' if len(left) > 1 else ''}"
            line = await self._until(self.bot.process.stdout.readline(), expected, 1 if self._heard else STARTING)
            self._heard = True
            if not line:
                await self._until(asyncio.shield(self.bot.exited), "that a program which closes its stdout exits")
                how = how_it_ended(self.bot.exited.result())
                raise Mismatch(f"expected {expected}\nseen: {how}; {last_words(self.bot)}")
            try:
                answer = codec.read_answer(line.strip())
            except codec.NotAnAnswer as error:
                raise Mismatch(f"expected {expected}\nseen: {error}") from None
            match, number = self._questions.get(answer.decision, (f"of question {answer.decision}", 0))
            if answer.match is not None and answer.match != match:
                raise Mismatch(f"expected 'match' {match!r} or none\nseen: {codec.shown(line)}")
            table = {"act": {"match_id": match, "decision": number, "move_text": answer.move}}
            place = next((place for place, one in enumerate(left) if bodies.fits(one, table)), None)
            if place is None:
                raise Mismatch(f"expected {expected}\nseen: {bodies.shown(table)}")
            del left[place]

    async def _until(self, waiting: Awaitable[Found], what: str, times: int = 1) -> Found:
        assert self.bot is not None
        patience = times * self._patience
        try:
            return await asyncio.wait_for(waiting, patience)
        except TimeoutError:
            raise Mismatch(f"expected {what}\nseen: {hung(self.bot, patience)}") from None
