"""Standings as the typed message: words of the board are the protocol's enums there."""

from __future__ import annotations

from arena.v1.result_pb2 import Termination
from referee.hall.standings_message import standings_message
from referee_leaderboard import FaultKind, Standing, Standings


def test_kinds_of_faults_are_terminations() -> None:
    kinds = (FaultKind("timeout", 3), FaultKind("crash", 1))
    row = Standing(1, "ada", 25.0, 1.0, 40, 40, faults=4, fault_kinds=kinds)
    (told,) = standings_message(Standings("Cup", "flip7", 2, rows=(row,))).rows
    assert [(one.kind, one.count) for one in told.fault_kinds] == [
        (Termination.TERMINATION_TIMEOUT, 3),
        (Termination.TERMINATION_CRASH, 1),
    ]
