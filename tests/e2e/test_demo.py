"""`referee demo`, the first thing anybody types: with and without a terminal."""

from __future__ import annotations

import subprocess
import sys

from .terminal_screen import Screen
from .tournament_hall import ENVIRONMENT

GAMES = ("flip7", "encore", "stop_me_go", "stop")


def test_without_a_terminal_it_ends_with_tables_digests_and_suggestions() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "referee", "demo"], env=ENVIRONMENT, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    for game in GAMES:
        assert f"demo-{game}: running" in done.stdout
        assert f"demo-{game} · {game} · 3 players" in done.stdout
        (line,) = (line for line in done.stderr.splitlines() if line.startswith(f"demo-{game} "))
        assert f"digest {line.split()[-1]}" in done.stdout
    _, _, suggestions = done.stderr.partition("What to type next:\n")
    assert len(suggestions.splitlines()) == 3


def test_on_a_terminal_it_is_watched_and_can_be_left() -> None:
    screen = Screen("demo")
    try:
        screen.read_until(lambda text: "demo-flip7 · flip7 · 3 players" in text)
        screen.type(b"q")
        assert screen.wait() == 130
        assert "demo-flip7 was left before its end" in screen.left_behind
        assert "Traceback" not in screen.text
    finally:
        screen.close()
