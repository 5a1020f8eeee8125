"""What `--record FILE` of a bot under test has written, compared line by line with what a conformance case expects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.conformance import bodies
from referee.conformance.outcome import Mismatch

SHOWN = 300


def check_record(file: Path, wanted: Sequence[Mapping[str, Any]]) -> None:
    """Every line is a JSON object with a time and the fields that are named; Mismatch if not."""
    try:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    except (OSError, ValueError) as error:
        raise Mismatch(f"expected a file of JSON objects from --record\nseen: {error}") from None
    for number, (one, line) in enumerate(zip(wanted, lines, strict=False), 1):
        if not bodies.fits(one, line) or not isinstance(line.get("time"), int | float):
            raise Mismatch(f"--record, line {number}: expected {dict(one)}\nseen: {json.dumps(line)[:SHOWN]}")
    if len(lines) != len(wanted):
        types = ", ".join(str(line.get("type")) for line in lines)
        raise Mismatch(f"--record: expected {len(wanted)} lines\nseen: {len(lines)} ({types})")
