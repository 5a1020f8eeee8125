"""Tall Tales over the SDK: claims what its card is worth. The view is a plain dict."""

import arena


def decide(decision: arena.Decision) -> str:
    view = decision.view
    assert type(view) is dict
    assert type(view["card"]) is int
    assert len(view["scores"]) == len(decision.info.names)
    return f"claim {view['card']}"


if __name__ == "__main__":
    arena.run(decide)
