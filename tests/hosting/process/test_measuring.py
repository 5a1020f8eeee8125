"""Measuring a bot holds up nothing else, however long it takes, and ends a bot that cannot be measured."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot.spec import parse
from referee.hosting.process import bot_process, measuring
from referee.hosting.process.bot_process import RestartPolicy
from referee.hosting.process.usage import FREE_DESCRIPTORS
from referee.match.clock import TimeControl
from referee.match.result import Termination

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

    from referee.hosting.sandbox.bubblewrap import Sandbox

UNHURRIED = TimeControl(limit=PATIENCE, bank=PATIENCE)
ONCE = RestartPolicy(crashes=1)


async def test_matches_are_played_while_a_measuring_takes_for_ever(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = threading.Event(), threading.Event()

    def slow(pid: int, granted: int, *, sandboxed: bool) -> measuring.Measurement:
        begun.set()
        assert done.wait(2 * PATIENCE)
        return measuring.measure_run(pid, granted, sandboxed=sandboxed)

    monkeypatch.setattr(bot_process, "measure_run", slow)
    started = await host.start_bot(parse("builtin:random"))
    try:
        await host.until(begun.is_set)
        ending = await host.play(started, control=UNHURRIED)
        assert ending.terminations[0] is Termination.FINISHED
    finally:
        done.set()


async def test_who_has_too_many_mappings_is_ended_and_told_so(
    host: Host, sandbox: Sandbox, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "MOST_MAPPINGS", 20_000)
    started = await host.start_bot(host.bad("hoards.py", "pieces", marker), sandbox, restart_policy=ONCE)
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.CRASH
    assert "mapped its memory in more than 20,000 pieces" in ending.texts[0]


async def test_who_cannot_be_measured_within_the_budget_is_ended_and_told_so(
    host: Host, sandbox: Sandbox, marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "BUDGET", 0.0)
    started = await host.start_bot(host.bad("hoards.py", "children", marker), sandbox, restart_policy=ONCE)
    ending = await host.play(started, control=UNHURRIED)
    assert ending.terminations[0] is Termination.CRASH
    assert "could not be measured within" in ending.texts[0]


def test_mappings_are_counted_only_as_far_as_they_matter() -> None:
    assert measuring.mappings_of(os.getpid(), 10) == 10
    assert 10 < measuring.mappings_of(os.getpid(), measuring.MOST_MAPPINGS) < measuring.MOST_MAPPINGS
    assert measuring.mappings_of(2**22 + 1, 10) == 0


def test_a_costly_measuring_is_followed_by_a_longer_pause() -> None:
    found = measuring.measure_run(os.getpid(), 1 << 40, sandboxed=False)
    assert found.why is None
    assert found.pause == pytest.approx(found.cost / measuring.PART)


def test_open_files_count() -> None:
    before = measuring.measure_run(os.getpid(), 1 << 40, sandboxed=False).memory
    ends = [os.pipe() for _ in range(300)]
    try:
        assert len(ends) * 2 > FREE_DESCRIPTORS
        assert measuring.measure_run(os.getpid(), 1 << 40, sandboxed=False).memory > before + (1 << 20)
    finally:
        for pair in ends:
            for end in pair:
                os.close(end)
