"""Matches that repeat another one are told: the same bots in the same seats with the same moves."""

from __future__ import annotations

import json
from collections.abc import Callable

from referee.store import MatchResult, SeatResult, Store, Tournament, TournamentState
from referee.tournament.repeated_matches import warning


def play(store: Store, league: Tournament, *moves: list[str]) -> None:
    """Play the first matches of the schedule with these moves."""
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    for match, made in zip(store.matches.in_schedule_order(league.id), moves, strict=False):
        assert store.matches.claim(match.id) == 1
        seats = tuple(SeatResult(seat, seat + 1, 0) for seat in range(len(match.seats)))
        record = json.dumps({"record": {"moves": made}}).encode()
        assert store.matches.report(MatchResult(match.id, 1, seats, "00", record, "x"))


def test_matches_with_the_same_bots_seats_and_moves_are_counted_as_repeats(
    store: Store, new_league: Callable[..., Tournament]
) -> None:
    league = new_league("ada", "bob", rounds=8)
    first, second = [match.seats[0].name for match in store.matches.in_schedule_order(league.id)][:2]
    assert first != second  # seats change from round to round: the same moves there are another match
    play(store, league, ["0: a"], ["0: a"], ["0: a"], ["0: b"], ["0: a"])
    assert warning(store, "league").startswith("2 of 5 matches repeat another one move by move")


def test_matches_that_differ_are_no_repeats(store: Store, new_league: Callable[..., Tournament]) -> None:
    league = new_league("ada", "bob")
    play(store, league, ["0: a"], ["0: b"], ["0: c"])
    assert warning(store, "league") == ""
