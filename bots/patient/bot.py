"""A patient player of STOP me GO: the bigger the gangster, the more likely it spends its only `stop`.

Why only likely? Two agents who stop the same gangster both lose him, and agents who reason alike always want the same
one. A bot that stops every big gangster is beaten by anybody as soon as a second one of its kind sits at the table; so
this one mixes, with a die that it throws by itself.
"""

import hashlib

import arena
from arena.games.stop_me_go.v1 import stop_me_go_pb2 as stop_me_go

SIDES = 16
FULL_LINE = 4
HURRY = 4
"""Sides more that mean `stop` when the line is full: now any arrest may end the round, and a stop in hand is wasted."""


def decide(decision: arena.Decision) -> str:
    """One card for the newest gangster on the table: a `stop` if the die shows less than he is worth."""
    view: stop_me_go.View = decision.view
    nerve = worth(view) + (HURRY if len(view.table) == FULL_LINE else 0)
    return "stop" if view.stop_in_hand and die(view) < nerve else "go"


def worth(view: stop_me_go.View) -> int:
    """His number; but if a 10 is on the table and may be captured too, then the 1 beats even that."""
    newest = view.table[-1]
    return 11 if newest == 1 and 10 in view.table else newest


def die(view: stop_me_go.View) -> int:
    """A throw from 0 to 15 that looks random, yet is always the same for the same agent in the same position.

    Bots that use no randomness of their own make matches repeatable, and so much easier to look into.
    """
    position = f"agent {view.seat}, round {view.round}, {list(view.table)}, {len(view.arrests)} escapes"
    return hashlib.sha256(position.encode()).digest()[0] % SIDES


if __name__ == "__main__":
    arena.run(decide)
