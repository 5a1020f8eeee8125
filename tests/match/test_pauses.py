"""Pauses stay short, and no garbage stays for ever."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from collections.abc import Callable

import pytest

from referee import gc_pauses
from referee.gc_pauses import short_pauses


class Knot:
    """An object that holds itself: only a look for garbage clears it away."""

    def __init__(self) -> None:
        self.me = self


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():  # noqa: ASYNC110 - nobody tells when garbage is cleared away
            await asyncio.sleep(0.01)


async def test_what_nobody_needs_any_more_is_soon_cleared_away() -> None:
    async with short_pauses(quiet=lambda: False):
        knot = weakref.ref(Knot())
        assert knot() is not None
        await until(lambda: knot() is None)


async def test_what_outlived_its_first_look_is_cleared_away_when_nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pauses, "THOROUGHLY_EVERY", 0.0)
    playing = True
    async with short_pauses(quiet=lambda: not playing):
        kept = Knot()
        knot = weakref.ref(kept)
        await asyncio.sleep(4 * gc_pauses.LOOK_EVERY)
        del kept
        await asyncio.sleep(4 * gc_pauses.LOOK_EVERY)
        assert knot() is not None, "looked through everything while somebody played"
        playing = False
        await until(lambda: knot() is None)


async def test_where_somebody_always_plays_it_is_cleared_away_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pauses, "AT_LAST_AFTER", 0.5)
    async with short_pauses(quiet=lambda: False):
        kept = Knot()
        knot = weakref.ref(kept)
        await asyncio.sleep(2 * gc_pauses.LOOK_EVERY)
        del kept
        await until(lambda: knot() is None)


async def test_a_look_finds_only_what_is_new() -> None:
    looked_at: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 0:
            looked_at.append(len(gc.get_objects(0)))

    many = [[number] for number in range(100_000)]
    async with short_pauses(quiet=lambda: False):
        await asyncio.sleep(2 * gc_pauses.LOOK_EVERY)
        gc.callbacks.append(note)
        try:
            await asyncio.sleep(10 * gc_pauses.LOOK_EVERY)
        finally:
            gc.callbacks.remove(note)
    assert looked_at
    assert max(looked_at) < len(many) / 10


async def test_afterwards_everything_is_as_it_was() -> None:
    before = gc.get_threshold(), sys.getswitchinterval()
    async with short_pauses(quiet=lambda: True):
        assert gc.get_freeze_count() > 0
    assert (gc.get_threshold(), sys.getswitchinterval()) == before
    assert gc.get_freeze_count() == 0
