"""Chooses by a die that numpy throws; numpy lies in the bot's own folder."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "packages"))

import numpy  # type: ignore[import-not-found, unused-ignore]

assert Path(numpy.__file__).is_relative_to(Path(__file__).parent), numpy.__file__

for line in sys.stdin:
    message = json.loads(line)
    if "legal" in message:
        die = numpy.random.default_rng(message["decision"])
        move = message["legal"][int(die.integers(len(message["legal"])))]
        print(json.dumps({"decision": message["decision"], "move": move}), flush=True)
