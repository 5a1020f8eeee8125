"""Says too much or the wrong thing on stdout; which, is its first argument."""

import json
import os
import sys
import threading
import time

from honest import answer, say  # type: ignore[import-not-found]

how = sys.argv[1]


def complain() -> None:
    while True:
        os.write(2, b"all work and no play makes a dull bot\n" * 1000)


def speak(message: dict[str, object]) -> None:
    decision, legal = message["decision"], message["legal"]
    assert isinstance(decision, int)
    assert isinstance(legal, list)
    if how == "garbage":
        os.write(1, b"thinking...\n")
    elif how == "bytes":
        os.write(1, b'\xff\xfe{"decision":\xc3(}\n')
    elif how == "no_move":
        os.write(1, f'{{"decision":{decision}}}\n'.encode())
    elif how == "deep":
        os.write(1, b"[" * 60_000 + b"\n")
    elif how == "illegal":
        answer(decision, "this is no move")
    elif how == "twice":
        answer(decision, legal[0])
        answer(decision, legal[0])
    elif how == "pieces":
        for piece in (f'{{"decision":{decision},"mo', f've":"{legal[0]}"}}', "\n\n"):
            os.write(1, piece.encode())
            time.sleep(0.002)
    elif how == "partial":
        os.write(1, f'{{"decision":{decision}'.encode())
    elif how == "long_line":
        for _ in range(1600):
            os.write(1, b"x" * (1 << 16))
    elif how == "without_end":
        while True:
            os.write(1, b"y\n" * 1000)
    elif how == "future":
        answer(decision + 1000, legal[0])
        answer(decision, legal[0])
    elif how == "closes":
        os.close(1)
        time.sleep(60)
    elif how == "crashes":
        say("Traceback: it was too much for me")
        os._exit(3)
    elif how == "sleeps":
        time.sleep(300)
    elif how == "late":
        time.sleep(1.2)
        answer(decision, legal[0])
    elif how == "stderr":
        if threading.active_count() == 1:
            threading.Thread(target=complain, daemon=True).start()
        answer(decision, legal[0])
    else:
        sys.exit(f"unknown vice {how}")


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        speak(message)
    elif message["type"] == "rejected":
        say(f"rejected: {message['kind']} {message['message']}")
        if "legal" in message:
            speak(message)
