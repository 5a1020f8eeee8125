"""A hall of its own for a test: database, port, and the processes around them, which end with the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .tournament_hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    opened = Hall(tmp_path)
    yield opened
    opened.close()
