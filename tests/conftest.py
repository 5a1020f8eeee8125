"""Everything here runs with gRPC set up as Referee does it, which has to happen before grpc is first imported."""

import arena  # noqa: F401, I001 - first
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may reach; pytest's own is closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)
