"""What even a bad bot needs to stay at the table: takes the first legal move, and says things on stderr."""

import json
import sys
from collections.abc import Callable


def play(beforehand: Callable[[int], None] = lambda question: None) -> None:
    """Answer every question; `beforehand` is called with the number of the question first."""
    for line in sys.stdin:
        message = json.loads(line)
        if "legal" in message:
            beforehand(message["decision"])
            answer(message["decision"], message["legal"][0])


def answer(decision: int, move: str) -> None:
    print(json.dumps({"decision": decision, "move": move}), flush=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    play()
