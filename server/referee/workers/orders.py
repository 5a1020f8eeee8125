"""Orders to workers: a fixture as a JSON object, for pipes to a process beside us and for tasks on another machine."""

from __future__ import annotations

from typing import Any

from referee.match.clock import TimeControl
from referee.tournament.running.venue import Fixture


def play_order(fixture: Fixture) -> dict[str, Any]:
    """What a worker is told to play a match."""
    return {
        "do": "play",
        "match": fixture.id,
        "game": fixture.game,
        "bots": fixture.bots,
        "options": dict(fixture.options),
        "seed": fixture.seed.hex(),
        "limit": fixture.control.limit,
        "bank": fixture.control.bank,
        "grace": fixture.control.grace,
        "total": fixture.control.total,
        "tournament": fixture.tournament,
        "fresh": fixture.fresh,
    }


def fixture_of(order: dict[str, Any]) -> Fixture:
    """Read what `play_order` wrote; round and nonces stay with whoever ordered."""
    return Fixture(
        order["match"],
        order["game"],
        tuple(order["bots"]),
        order["options"],
        bytes.fromhex(order["seed"]),
        control_of(order),
        order["tournament"],
        0,
        order["fresh"],
    )


def control_of(order: dict[str, Any]) -> TimeControl:
    """The clock of a match."""
    return TimeControl(order["limit"], order["bank"], grace=order["grace"], total=order["total"])
