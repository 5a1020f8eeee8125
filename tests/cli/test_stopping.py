"""Ctrl-C once and twice, with real signals."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from referee.cli.stopping import Stopping

from ..waiting import PATIENCE


def kill(number: signal.Signals) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
async def test_the_first_signal_asks_and_the_second_insists(first: signal.Signals, second: signal.Signals) -> None:
    calls: list[str] = []
    stopping = Stopping(lambda: calls.append("asked"), lambda: calls.append("insisted"))
    kill(first)
    await asyncio.wait_for(stopping.asked.wait(), PATIENCE)
    assert (calls, stopping.insisted.is_set()) == (["asked"], False)
    kill(second)
    await asyncio.wait_for(stopping.insisted.wait(), PATIENCE)
    assert (calls, stopping.failure) == (["asked", "insisted"], None)


async def test_two_signals_before_anybody_looks_are_two() -> None:
    stopping = Stopping()
    kill(signal.SIGINT)
    kill(signal.SIGTERM)
    await asyncio.wait_for(stopping.insisted.wait(), PATIENCE)
    assert stopping.asked.is_set()


async def test_asked_by_other_means_the_next_signal_insists() -> None:
    calls: list[str] = []
    stopping = Stopping(lambda: calls.append("asked"), lambda: calls.append("insisted"))
    stopping.ask()
    stopping.ask()
    assert (calls, stopping.insisted.is_set()) == (["asked"], False)
    kill(signal.SIGINT)
    await asyncio.wait_for(stopping.insisted.wait(), PATIENCE)
    assert calls == ["asked", "insisted"]


async def test_a_failure_stops_it_and_does_not_cut_short_what_was_asked() -> None:
    stopping = Stopping()
    kill(signal.SIGINT)
    await asyncio.wait_for(stopping.asked.wait(), PATIENCE)
    error = OSError("the disk is full")
    stopping.fail(error)
    assert (stopping.failure, stopping.insisted.is_set()) == (error, False)
