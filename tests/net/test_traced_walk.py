"""One decision over a real socket, traced: it takes the way that `server/README.md` describes, and no detours.

Every call into a file of `net/` and `match/` is noted with the file of these two folders it came from. The way out is
what happens inside `Match._ask`; everything before that is the way in.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import pytest

import referee
from referee.match.match import Match
from referee.net.play_stream import PlayStream

from ..waiting import soon
from ..walks import IN, OUT, Step
from .conftest import Server

ROOT = str(Path(referee.__file__).parent) + "/"
LEADING_IN = ["net/play_stream.py", "net/session.py", "match/match.py"]
LEADING_OUT = ["match/match.py", "net/session.py", "net/outbox.py", "net/stream_writer.py"]
"""The others are called for a part of the work, and the way goes on from where they were called."""
READ, ASK = PlayStream._read.__code__, Match._ask.__code__


class Call(NamedTuple):
    """A function, its file, and the file it was called from ("": the way begins here)."""

    caller: str
    file: str
    name: str


def file_of(frame: FrameType) -> str:
    """Below `server/referee/`; nothing if the code lies elsewhere."""
    path = frame.f_code.co_filename.removeprefix(ROOT)
    return path if path.startswith(("net/", "match/")) else ""


def callers(frame: FrameType) -> Iterator[FrameType]:
    above = frame.f_back
    while above is not None:
        yield above
        above = above.f_back


class Tracer:
    """Notes what happens inside the reading of a bot's messages; nothing else that the loop does."""

    def __init__(self) -> None:
        self.on_the_way_in: list[Call] = []
        self.on_the_way_out: list[Call] = []
        self.afterwards: list[Call] = []

    @contextmanager
    def tracing(self) -> Iterator[None]:
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, value: object) -> None:
        if event != "call" or not (file := file_of(frame)):
            return
        above = list(callers(frame))
        codes = {one.f_code for one in above}
        if frame.f_code is not READ and READ not in codes:
            return
        caller = next((name for one in above if (name := file_of(one))), "")
        if frame.f_code is ASK:  # where the way out begins, although the way in has led to the same file
            way, caller = self.on_the_way_out, ""
        elif ASK in codes:
            way = self.on_the_way_out
        else:
            way = self.afterwards if self.on_the_way_out else self.on_the_way_in
        way.append(Call(caller, file, frame.f_code.co_name))


@pytest.fixture
async def traced(server: Server) -> Tracer:
    """A bot answers, and the next question is asked."""
    bots = await server.bots("ada", "bob", "cleo")
    match = server.sit("ada", "bob", "cleo", game="flip7")
    [seat] = match.table.pending()
    question = await bots[seat].hear("decide")
    # A message that is still being written would hold the next question up, and it would leave after the answer.
    outboxes = [server.session(name)._outbox for name in ("ada", "bob", "cleo")]
    await soon(lambda: all(outbox is not None and outbox.writer.idle for outbox in outboxes))
    tracer = Tracer()
    with tracer.tracing():
        await bots[seat].act(question)
        await soon(lambda: tracer.on_the_way_out)
    [seat] = match.table.pending()
    assert (await bots[seat].hear("decide")).decision == question.decision + 1
    return tracer


def ways(traced: Tracer) -> list[tuple[list[Step], list[Call]]]:
    """Both ways, as described and as they were."""
    return [(IN, traced.on_the_way_in), (OUT, traced.on_the_way_out)]


async def test_a_decision_takes_the_way_that_is_described(traced: Tracer) -> None:
    for described, calls in ways(traced):
        steps = [step for step in described if step.file.startswith(("net/", "match/"))]
        files = list(dict.fromkeys(call.file for call in calls))
        assert [file for file in files if file in {step.file for step in steps}] == [step.file for step in steps]
        for step in steps:
            assert set(step.names) <= {call.name for call in calls if call.file == step.file}


async def test_every_file_is_entered_from_one_other_file_only(traced: Tracer) -> None:
    for _, calls in ways(traced):
        entered_from: dict[str, set[str]] = {}
        for call in calls:
            if call.caller != call.file:
                entered_from.setdefault(call.file, set()).add(call.caller)
        assert {file: callers for file, callers in entered_from.items() if len(callers) > 1} == {}


async def test_what_the_description_leaves_out_leads_nowhere(traced: Tracer) -> None:
    for described, calls in ways(traced):
        left_out = {call.file for call in calls} - {step.file for step in described}
        assert [call for call in calls if call.caller in left_out and call.file != call.caller] == []


async def test_the_files_that_lead_on_are_entered_once(traced: Tracer) -> None:
    for (_, calls), leading in zip(ways(traced), (LEADING_IN, LEADING_OUT), strict=True):
        entered = [call.file for call in calls if call.file in leading and call.caller != call.file]
        assert entered == leading


async def test_nothing_is_called_after_the_question_has_left(traced: Tracer) -> None:
    assert traced.afterwards == []
