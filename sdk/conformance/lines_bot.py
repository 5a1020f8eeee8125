"""A conformbot that speaks JSON lines: does what the first legal move says, so that the kit can be tried over pipes.

Run by `referee conform --lines -- python sdk/conformance/lines_bot.py`. Needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    # Lines are UTF-8, whatever the machine is set to.
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    asked: dict[tuple[str, int], int] = {}
    questions: dict[int, dict[str, Any]] = {}
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "start":
            asked[message["match"], message["seat"]] = 0
            note(f"conformbot: start {message['match']} seat {message['seat']} of {','.join(message['names'])}")
        elif kind == "decide":
            questions[message["decision"]] = message
            asked[message["match"], message["seat"]] += 1
            answer(message, asked[message["match"], message["seat"]], rejected=False)
        elif kind == "rejected" and "legal" in message:
            question = questions[message["decision"]]
            asked[question["match"], question["seat"]] += 1
            answer({**question, "legal": message["legal"]}, asked[question["match"], question["seat"]], rejected=True)
        elif kind == "end":
            seat = message["seat"]
            asked.pop((message["match"], seat), None)
            note(f"conformbot: end {message['match']} rank {message['ranks'][seat]} {message['reasons'][seat]}")


def answer(question: dict[str, Any], count: int, *, rejected: bool) -> None:
    move = choose(question["legal"], question["view"], count, rejected=rejected)
    sys.stdout.write(json.dumps({"decision": question["decision"], "move": move}) + "\n")
    sys.stdout.flush()


def choose(legal: list[str], view: dict[str, Any], count: int, *, rejected: bool) -> str:
    first = legal[0] if legal else "pass"
    if first.startswith("think:"):
        time.sleep(int(first.removeprefix("think:")) / 1000)
        return legal[1]
    if first == "count":
        return str(count)
    if first == "view":
        return str(view["answer"]) if "answer" in view else f"round {view['round']}"
    return legal[-1] if rejected and legal else first


def note(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
