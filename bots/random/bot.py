"""The simplest player there is: any legal move, each as likely as the others.

It plays every game, because it never looks at what a move means: `decision.legal` lists the moves that are allowed now,
and one of them is enough for an answer. Copy this file, and replace the last line of `decide` by something cleverer.
"""

import hashlib

import arena

DEALT = frozenset({"encore", "flip7", "stop", "stop_me_go"})
"""Games in which cards, dice or tokens make every match another one."""


def decide(decision: arena.Decision) -> str:
    """Answer one question: return one of `decision.legal`."""
    return decision.legal[draw(decision) % len(decision.legal)]


def draw(decision: arena.Decision) -> int:
    """A huge number that looks random, yet is always the same for the same question.

    It is a hash of everything the referee shows: the view as it came over the wire, and the legal moves. A bot without
    randomness of its own plays the same match again whenever it is dealt the same cards, so that a result can be
    repeated and looked into. (A move refused a moment ago counts too: asked again, it had better say something else.)
    In a game that deals nothing, the same bots would play the same match for ever: there the name of the match counts.
    """
    shown = hashlib.sha256(decision.view_bytes)
    if decision.game not in DEALT:
        shown.update(f"{decision.match}\n".encode())
    for text in (*decision.legal, decision.rejected):
        shown.update(text.encode() + b"\n")
    return int.from_bytes(shown.digest(), "big")


if __name__ == "__main__":
    arena.run(decide)
