"""`referee run` on a terminal: a live screen, and afterwards what is worth keeping, once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .terminal_screen import Screen

ENDLESS = ("--rounds", "20000", "--concurrency", "2", "--workers", "1", "--no-sandbox", "--time", "1h")
HOLDING = """
import pathlib, time
import arena

hold = pathlib.Path(__file__).with_name("hold")

def decide(decision):
    while hold.exists():
        time.sleep(0.01)
    return decision.legal[0 if decision.number % 3 else -1]

arena.run(decide)
"""
"""A bot that does not answer as long as a file is there."""


@pytest.fixture
def screen() -> Iterator[Callable[..., Screen]]:
    opened: list[Screen] = []

    def start(*words: str) -> Screen:
        opened.append(Screen(*words))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def test_the_final_table_is_left_behind_once(screen: Callable[..., Screen]) -> None:
    shown = screen("run", "stop_me_go", "patient", "random", "--players", "2", "--rounds", "20", "--workers", "1")
    assert shown.wait() == 0
    assert shown.left_behind.count("20 of 20 matches played") == 1
    assert shown.left_behind.count("digest") == 1


@pytest.mark.parametrize("key", [b"\x03", b"q"])
def test_who_stops_it_is_told_what_it_waits_for_and_what_was_played(
    screen: Callable[..., Screen], key: bytes, tmp_path: Path
) -> None:
    (tmp_path / "holding.py").write_text(HOLDING)
    shown = screen("run", "flip7", str(tmp_path / "holding.py"), "random", "random", *ENDLESS)
    shown.read_until(lambda text: "Playing now" in text)
    (tmp_path / "hold").touch()  # from here on there is something to wait for
    shown.type(key)
    shown.read_until(lambda text: "stopping after the running matches; Ctrl-C again stops at once" in text)
    (tmp_path / "hold").unlink()
    assert shown.wait() == 130
    assert shown.left_behind.count("matches played; provisional") == 1
    assert "stopped after" in shown.left_behind


def test_why_a_bot_died_is_left_behind(screen: Callable[..., Screen], tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import sys\nsys.exit('there is a hole in my bucket')\n")
    shown = screen("run", "stop_me_go", str(tmp_path / "bad.py"), "random", "--rounds", "2", "--no-sandbox")
    assert shown.wait() == 0
    assert "there is a hole in my bucket" in shown.left_behind
