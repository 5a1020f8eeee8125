"""Standings for the tests: an invented tournament in the middle of its course, and its edges."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee_leaderboard import Standings

if TYPE_CHECKING:
    from tests.leaderboard.demo import Tournament

DEMO = Path(__file__).with_name("demo.py")


@pytest.fixture(scope="session")
def invent() -> Callable[..., Tournament]:
    """The class of invented tournaments that the demo plays."""
    spec = importlib.util.spec_from_file_location("leaderboard_demo", DEMO)
    assert spec is not None
    assert spec.loader is not None
    demo = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = demo
    spec.loader.exec_module(demo)
    tournament: Callable[..., Tournament] = demo.Tournament
    return tournament


@pytest.fixture(scope="session")
def spring_cup(invent: Callable[..., Tournament]) -> Standings:
    """Twelve bots after 386 of 600 matches: movements, faults, somebody away."""
    tournament = invent()
    tournament.play(375)
    tournament.standings()
    tournament.play(11)
    return tournament.standings()


@pytest.fixture(scope="session")
def finished_cup(invent: Callable[..., Tournament]) -> Standings:
    """A short tournament that is over."""
    tournament = invent(total=40)
    tournament.play(40)
    return tournament.standings()


@pytest.fixture(scope="session")
def crowd(invent: Callable[..., Tournament]) -> Standings:
    """Forty bots: more than a small screen can show."""
    tournament = invent(bots=tuple(f"entrant-{index}" for index in range(40)), total=1000)
    tournament.play(300)
    return tournament.standings()
