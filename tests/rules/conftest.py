"""Tall Tales, the tiny game of tests/third_party, serves here as the game that rules are tried on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee.rules import registry

sys.path.insert(0, str(Path(__file__).parents[1] / "third_party"))


@pytest.fixture
def tall_tales_installed(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    from offline_install import install

    monkeypatch.syspath_prepend(install(tmp_path_factory.mktemp("site") / "packages"))
    registry.find.cache_clear()
