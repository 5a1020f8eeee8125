"""Pauses stay short, and no garbage stays for ever."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest

from referee import gc_pauses
from referee.gc_pauses import short_pauses

from .waiting import soon


class Knot:
    """An object that holds itself: only a look for garbage clears it away."""

    def __init__(self) -> None:
        self.me = self


class Looks:
    """Counts the looks for garbage: whether it is quiet is asked at the end of each."""

    def __init__(self) -> None:
        self.quiet = False
        self.count = 0

    def __call__(self) -> bool:
        self.count += 1
        return self.quiet

    async def some_more(self, number: int = 2) -> None:
        """Until there have been more; the first may have been under way already."""
        goal = self.count + number
        await soon(lambda: self.count >= goal)


async def test_what_nobody_needs_any_more_is_soon_cleared_away() -> None:
    async with short_pauses(quiet=lambda: False):
        knot = weakref.ref(Knot())
        assert knot() is not None
        await soon(lambda: knot() is None)


async def test_what_outlived_its_first_look_is_cleared_away_when_nobody_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pauses, "FULLY_EVERY", 0.0)
    looks = Looks()
    async with short_pauses(looks):
        kept = Knot()
        knot = weakref.ref(kept)
        await looks.some_more()
        del kept
        await looks.some_more(4)
        assert knot() is not None, "looked through everything while somebody played"
        looks.quiet = True
        await soon(lambda: knot() is None)


async def test_where_somebody_always_plays_it_is_cleared_away_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pauses, "FULLY_AT_LATEST", 0.5)
    looks = Looks()
    async with short_pauses(looks):
        kept = Knot()
        knot = weakref.ref(kept)
        await looks.some_more()
        del kept
        await soon(lambda: knot() is None)


async def test_where_memory_grows_it_is_cleared_away_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc_pauses, "WEIGHED_EVERY", 0.0)
    held = 100
    monkeypatch.setattr(gc_pauses, "resident", lambda: held)
    looks = Looks()
    async with short_pauses(looks):
        kept = Knot()
        knot = weakref.ref(kept)
        await looks.some_more()
        del kept
        held += gc_pauses.MOST_GROWTH
        await looks.some_more(4)
        assert knot() is not None, "looked through everything without need"
        held += 1
        await soon(lambda: knot() is None)


@pytest.mark.parametrize("much", [True, False])
async def test_memory_that_garbage_has_left_is_not_taken_for_needed(
    monkeypatch: pytest.MonkeyPatch, much: bool
) -> None:
    """Freed memory stays with the process, and would hide as much garbage again, and more each time."""
    monkeypatch.setattr(gc_pauses, "WEIGHED_EVERY", 0.0)
    monkeypatch.setattr(gc_pauses, "MUCH_GARBAGE", 0 if much else 1 << 60)
    held = 100
    monkeypatch.setattr(gc_pauses, "resident", lambda: held)
    looks = Looks()
    async with short_pauses(looks):
        await looks.some_more()  # what is held at first is needed
        held += gc_pauses.MOST_GROWTH + 1
        await looks.some_more(4)
        kept = Knot()
        knot = weakref.ref(kept)
        await looks.some_more()
        del kept
        if much:
            await soon(lambda: knot() is None)
        else:
            await looks.some_more(4)
            assert knot() is not None, "what is needed was taken for garbage"


async def test_a_look_finds_only_what_is_new() -> None:
    looked_at: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 0:
            looked_at.append(len(gc.get_objects(0)))

    many = [[number] for number in range(100_000)]
    looks = Looks()
    async with short_pauses(looks):
        await looks.some_more()
        gc.callbacks.append(note)
        try:
            await looks.some_more(10)
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
