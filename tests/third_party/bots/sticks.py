"""Matchsticks over the SDK: leaves a multiple of four. The view is a message whose module this bot does not import."""

import arena


def decide(decision: arena.Decision) -> str:
    view = decision.view
    assert view.DESCRIPTOR.full_name == "example.matchsticks.v1.View"
    assert sum(taken.sticks for taken in view.taken) + view.left in range(10, 21)
    return f"take {view.left % 4 or 1}"


if __name__ == "__main__":
    arena.run(decide)
