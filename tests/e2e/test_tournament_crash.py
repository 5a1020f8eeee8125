"""The server is killed at random moments, again and again: every match is finished once, and the standings hold."""

from __future__ import annotations

from .tournament_hall import Hall, kill_again_and_again


def test_killed_at_random_moments_a_tournament_goes_on_by_itself_and_loses_nothing(hall: Hall) -> None:
    kill_again_and_again(hall, kills=3, matches=60, longest=0.1)
