"""patient: a simple player of STOP me GO that waits for a gangster worth its only `stop`.

Run it against a server:   python bots/patient/bot.py --server HOST:PORT --token TOKEN
"""

from __future__ import annotations

import hashlib

import arena
from arena.games.stop_me_go.v1 import stop_me_go_pb2

BIG = 8
"""The lowest number worth a stop while there is time to wait."""
GOOD_ENOUGH = 6
"""The same once the line is full: from then on any arrest may end the round, and a stop in hand catches nobody."""
FULL_LINE = 4
ABOVE_TEN = 11


def decide(decision: arena.Decision) -> str:
    """One card for the newest gangster."""
    view: stop_me_go_pb2.View = decision.view
    if not view.stop_in_hand:
        return "go"
    wanted = GOOD_ENOUGH if len(view.table) == FULL_LINE else BIG
    return "stop" if worth(view) >= wanted and dares(view) else "go"


def worth(view: stop_me_go_pb2.View) -> int:
    """How much the newest gangster is worth: his number, but the 1 tops everything once a 10 can be captured too."""
    newest = view.table[-1]
    return ABOVE_TEN if newest == 1 and 10 in view.table else newest


def dares(view: stop_me_go_pb2.View) -> bool:
    """Always at first; after each clash of this round less often.

    Two agents who reason alike stop the same gangsters for ever. So a clash makes this one toss a coin (then a die
    with three sides, and so on) whether to try the next big one or to leave it to the others.
    """
    clashes = sum(view.seat in arrest.stops for arrest in view.arrests)
    return toss(view) % (1 + clashes) == 0


def toss(view: stop_me_go_pb2.View) -> int:
    """A number that looks random, but is always the same for the same position and seat."""
    position = f"{view.seat} {view.round} {list(view.table)} {len(view.arrests)}"
    return int.from_bytes(hashlib.sha256(position.encode()).digest()[:8], "big")


if __name__ == "__main__":
    arena.run(decide)
