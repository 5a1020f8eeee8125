"""Matches to explain."""

from __future__ import annotations

import pytest

from referee.analysis.replay.recorded import RecordedMatch, read_match
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser


@pytest.fixture(scope="session")
def short_match() -> RecordedMatch:
    """A match of STOP me GO between random players."""
    game = registry.find("stop_me_go")
    choosers = [random_chooser(b"short", seat) for seat in range(3)]
    played = playout(game, 3, game.resolve_options(), seed_bytes(11), choosers)
    return read_match(played.record.to_bytes())
