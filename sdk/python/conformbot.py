"""The conformbot of the Python SDK: does what the first legal move says, so that the conformance kit can test the SDK.

Run by `referee conform -- python sdk/python/conformbot.py`; what it does is described in sdk/README.md.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import arena


class Conformbot:
    """One match. Thinking is asynchronous, as in a bot that waits for a search in another process."""

    def __init__(self) -> None:
        self.asked = 0
        self.match: arena.Match | None = None

    def start(self, match: arena.Match) -> None:
        self.match = match
        note(f"conformbot: start {match.id} seat {match.seat} of {','.join(match.names)}")
        if match.id == "no-start":
            raise RuntimeError("told to fail")

    async def decide(self, decision: arena.Decision) -> Any:
        self.asked += 1
        first = decision.legal[0] if decision.legal else "pass"
        if first == "fail":
            raise RuntimeError("told to fail")
        if first.startswith("think:"):
            await asyncio.sleep(int(first.removeprefix("think:")) / 1000)
            return decision.legal[1]
        if first == "count":
            return str(self.asked)
        if first == "view":
            return from_view(decision)
        if first == "not-text":
            return 42
        if decision.rejected and decision.legal:
            return decision.legal[-1]
        return first

    def end(self, result: arena.Result) -> None:
        assert self.match is not None
        seat = self.match.seat
        note(f"conformbot: end {self.match.id} rank {result.ranks[seat]} {result.terminations[seat]}")
        if self.match.id == "no-end":
            raise RuntimeError("told to fail")


def from_view(decision: arena.Decision) -> str:
    try:
        view = decision.view
    except (arena.UnknownView, ValueError):
        return "unreadable"
    return str(view["answer"]) if isinstance(view, dict) else f"round {view.round}"


def note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    arena.run(Conformbot)
