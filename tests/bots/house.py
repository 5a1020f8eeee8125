"""House bots in a test: loaded from their folder, asked as a referee would, and their work counted."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import arena
from referee.rules.game import State

BOTS = Path(__file__).parents[2] / "bots"
Bot = Callable[[arena.Decision], str]


def load(name: str) -> ModuleType:
    """A house bot with a memory of its own."""
    spec = importlib.util.spec_from_file_location(f"tested_{name}", BOTS / name / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def ask(info: arena.Match, bot: Bot, state: State[Any], seat: int) -> Any:
    """The bot's answer, read as a referee would; an illegal one fails the test."""
    legal = state.legal(seat)
    texts = [state.format(move) for move in legal.moves]
    move = state.parse(bot(arena.Decision(info, 0, texts, state.view(seat), complete=legal.complete)))
    assert state.check(seat, move) is None
    return move


class Work:
    """A bot whose work is counted, in lines of Python run: the same on every machine, however busy it is.

    How many seconds that takes is measured by `tests/bench/bench_bots.py`.
    """

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self.lines: list[int] = []
        """Lines run for every decision."""

    def __call__(self, decision: arena.Decision) -> str:
        count = 0

        def note(frame: Any, event: str, argument: Any) -> Any:
            nonlocal count
            count += 1
            return note

        before = sys.gettrace()
        sys.settrace(note)
        try:
            return self._bot(decision)
        finally:
            sys.settrace(before)
            self.lines.append(count)
