"""The distributions that the tests here look at."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..installation import Installation, build


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdists and the wheels. Each wheel is built from its unpacked sdist, not from the checkout."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """Both wheels, installed."""
    installation = Installation(tmp_path_factory.mktemp("installed"))
    installation.install(sorted(built.glob("*.whl")))
    return installation


@pytest.fixture
def empty(tmp_path: Path) -> Installation:
    """An environment in which nothing is installed yet."""
    return Installation(tmp_path)
