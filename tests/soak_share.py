"""How much of a long run is made: all of it, or the share that `REFEREE_SOAK_SHARE` says (0.25: every fourth)."""

from __future__ import annotations

import os


def part_of(many: int, least: int = 1) -> int:
    """So many of so many, at least `least`."""
    return max(least, round(many * float(os.environ.get("REFEREE_SOAK_SHARE", "1"))))
