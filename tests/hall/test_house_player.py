"""House bots think in a thread of their own: one that hangs loses its match, and the others play on."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from referee.hall import house_player
from referee.hall.house_player import HouseBotThread
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question
from referee.rules import registry
from referee.workers.bot_pool import UnavailableBot

from ..waiting import PATIENCE, soon


async def test_bots_that_hang_one_after_the_other_are_each_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house_player, "WATCH_SECONDS", 0.02)
    game = registry.find("stop_me_go")
    players = [UnavailableBot("a"), UnavailableBot("b")]
    match = Match("m", game, players, {}, bytes(32), TimeControl(0.01, 0.0))
    question = Question(match, 0, 1, b"", [], True, 0.01, 0.0)
    thread = HouseBotThread()
    hangs = [threading.Event(), threading.Event()]
    began: list[int] = []
    ended: list[int] = []

    def thinks(number: int) -> Callable[[], Callable[[], object]]:
        def decide() -> Any:
            began.append(number)
            hangs[number].wait(PATIENCE)
            return ""

        def work() -> Callable[[], object]:
            thread.think(question, decide)
            return lambda: ended.append(number)

        return work

    for number in (0, 1):
        thread.submit(thinks(number))
    await soon(lambda: began == [0, 1])  # the first was given up
    hangs[0].set()
    await soon(lambda: ended == [0])
    answered: list[bool] = []
    thread.submit(lambda: lambda: answered.append(True))
    try:
        await soon(lambda: answered, patience=PATIENCE / 4)
    finally:
        hangs[1].set()
        thread.close()
