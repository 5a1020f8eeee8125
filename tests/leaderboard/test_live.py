"""The live screen's manners: few redraws, keys that do what they say, a feed that only keeps the newest."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from rich.console import Console, RenderableType

from referee_leaderboard import Connection, Event, Feed, Standings, watch
from referee_leaderboard.keyboard import Keyboard, parse_keys
from referee_leaderboard.live import REDRAW_PAUSE, LiveScreen

from ..quick_time import in_quick_time


class CountingConsole(Console):
    """A terminal in memory that counts how often its screen is redrawn."""

    def __init__(self) -> None:
        super().__init__(file=io.StringIO(), force_terminal=True, width=80, height=24, _environ={"TERM": "xterm"})
        self.redraws = 0

    def update_screen(self, renderable: RenderableType, **places: object) -> None:
        self.redraws += 1
        super().update_screen(renderable)

    @property
    def written(self) -> str:
        assert isinstance(self.file, io.StringIO)
        return self.file.getvalue()


@in_quick_time
async def test_a_flood_of_standings_is_redrawn_at_most_ten_times_a_second(spring_cup: Standings) -> None:
    console = CountingConsole()

    async def flood() -> AsyncIterator[Event]:
        for index in range(300):
            yield replace(spring_cup, matches_done=index)
            await asyncio.sleep(0.001)

    clock = asyncio.get_running_loop().time
    begun = clock()
    await watch(flood(), console)
    assert 2 <= console.redraws <= (clock() - begun) / REDRAW_PAUSE + 1
    assert REDRAW_PAUSE == 0.1


@in_quick_time
async def test_nothing_is_redrawn_when_nothing_changes(finished_cup: Standings) -> None:
    console = CountingConsole()
    screen = LiveScreen(console, linger=True)
    feed = Feed()
    feed.put(finished_cup)
    feed.close()
    running = asyncio.create_task(screen.run(feed))
    await asyncio.sleep(0.5)
    settled = console.redraws
    await asyncio.sleep(3600)
    assert console.redraws == settled
    screen.press("q")
    await asyncio.wait_for(running, 5)


async def test_the_alternate_screen_is_left_before_the_final_table(finished_cup: Standings) -> None:
    console = CountingConsole()
    feed = Feed()
    feed.put(finished_cup)
    feed.close()
    await watch(feed, console)
    before, after = console.written.split("\x1b[?1049l")
    assert "\x1b[?1049h" in before
    assert finished_cup.digest in after.replace("\n", "")
    assert "\x1b[?25h" in after


async def test_an_error_of_the_feed_is_raised_after_the_screen_is_left(spring_cup: Standings) -> None:
    console = CountingConsole()

    async def broken() -> AsyncIterator[Event]:
        yield spring_cup
        raise ConnectionError("cable pulled")

    with pytest.raises(ConnectionError, match="cable pulled"):
        await watch(broken(), console)
    assert "\x1b[?1049l" in console.written


@in_quick_time
async def test_a_cancelled_screen_is_left_and_the_feed_is_closed(spring_cup: Standings) -> None:
    console = CountingConsole()
    closed = asyncio.Event()

    async def endless() -> AsyncIterator[Event]:
        try:
            while True:
                yield spring_cup
                await asyncio.sleep(0.01)
        finally:
            closed.set()

    running = asyncio.create_task(watch(endless(), console))
    await asyncio.sleep(0.3)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert closed.is_set()
    assert "\x1b[?1049l" in console.written


@in_quick_time
async def test_keys_choose_the_view_and_scroll_within_the_table(crowd: Standings) -> None:
    screen = LiveScreen(CountingConsole(), linger=True)
    feed = Feed()
    feed.put(crowd)
    running = asyncio.create_task(screen.run(feed))
    await asyncio.sleep(0.3)
    screen.press("up")
    assert screen.offset == 0
    screen.press("j")
    screen.press("down")
    assert screen.offset == 2
    screen.press("page down")
    assert screen.offset > 8
    screen.press("end")
    last = screen.offset
    screen.press("down")
    assert screen.offset == last < len(crowd.rows)
    screen.press("k")
    assert screen.offset == last - 1
    screen.press("c")
    assert screen.offset == 0
    for _ in range(100):
        screen.press("right")
    assert 0 < screen.across < len(crowd.rows)
    screen.press("3")
    assert screen.across == 0
    seen = []
    for key in ("1", "2", "3", "t", "c", "s", "x"):
        screen.press(key)
        seen.append(screen.view)
    assert seen == ["table", "crosstable", "seats", "table", "crosstable", "seats", "seats"]
    screen.press("q")
    await asyncio.wait_for(running, 5)


@in_quick_time
async def test_a_lost_server_is_shown_until_it_is_back(spring_cup: Standings) -> None:
    console = CountingConsole()
    feed = Feed()
    feed.put(spring_cup)
    feed.put(Connection.lost(7))
    running = asyncio.create_task(watch(feed, console))
    await asyncio.sleep(0.3)
    assert "retrying in 7 s" in console.written
    feed.put(Connection())
    feed.close()
    await asyncio.wait_for(running, 5)


async def test_without_a_terminal_there_are_lines_of_progress_and_the_final_table(finished_cup: Standings) -> None:
    file = io.StringIO()
    feed = Feed()
    feed.put(Connection.lost(2))
    feed.put(finished_cup)
    feed.close()
    await watch(feed, Console(file=file, width=80))
    lines = file.getvalue().splitlines()
    assert lines[0].startswith("server gone, retrying in 2 s")
    assert lines[1].startswith("Spring Cup: finished, 40/40 matches (100%)")
    assert lines[-1] == f"digest {finished_cup.digest}"
    assert "\x1b" not in file.getvalue()


async def test_a_feed_keeps_only_the_newest_standings(spring_cup: Standings) -> None:
    feed = Feed()
    for done in range(1000):
        feed.put(replace(spring_cup, matches_done=done))
    feed.put(Connection())
    feed.close()
    events = [event async for event in feed]
    assert events == [replace(spring_cup, matches_done=999), Connection()]


def test_keys_are_read_from_what_a_terminal_sends() -> None:
    assert parse_keys(b"q?j") == (["q", "?", "j"], b"")
    assert parse_keys(b"\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H") == (["up", "down", "page up", "page down", "home"], b"")
    assert parse_keys(b"\x1b[200~\x1b[1;5A\x1b[<0;3;4M\xc3\xa9t") == (["t"], b"")


def test_a_key_that_arrives_in_two_parts_is_one_key() -> None:
    keys, rest = parse_keys(b"c\x1b[")
    assert (keys, rest) == (["c"], b"\x1b[")
    assert parse_keys(rest + b"B") == (["down"], b"")


async def test_where_input_is_no_terminal_there_are_no_keys_and_no_errors() -> None:
    reading, writing = os.pipe()
    try:
        with Keyboard(lambda key: None, reading) as keyboard:
            assert not keyboard.available
    finally:
        os.close(reading)
        os.close(writing)
