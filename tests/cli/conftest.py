"""Tests of commands call `referee` in this process: the fixture of that name is in `tests/command.py`."""

from __future__ import annotations

from ..command import Done, Referee

__all__ = ["Done", "Referee"]
