"""Why bots forfeited: one reason for each bot and kind of fault, with a sentence and a match to look at."""

from __future__ import annotations

import json
from collections.abc import Callable

from referee.match.result import Ending, Termination
from referee.store import MatchResult, SeatResult, Store, Tournament, TournamentState
from referee.tournament.fault_reasons import FaultReason, fault_reasons


def play(store: Store, league: Tournament, *endings: dict[str, tuple[Termination, str]]) -> None:
    """Play the first matches of the schedule: for each, the bots that did not finish and what was said."""
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    matches = store.matches.in_schedule_order(league.id)
    for match, faults in zip(matches, endings, strict=False):
        how = [faults.get(seat.name, (Termination.FINISHED, "")) for seat in match.seats]
        seats = range(1, len(how) + 1)
        ending = Ending(tuple(seats), tuple(seats), tuple(word for word, _ in how), tuple(text for _, text in how), "x")
        assert store.matches.claim(match.id) == 1
        told = [SeatResult(seat, seat + 1, 0, fault=word) for seat, word in enumerate(ending.words)]
        record = json.dumps(ending.to_value()).encode()
        assert store.matches.report(MatchResult(match.id, 1, tuple(told), "00", record, "x"))


def test_each_kind_of_fault_is_told_once_with_the_first_match_of_the_schedule(
    store: Store, new_league: Callable[..., Tournament]
) -> None:
    league = new_league("ada", "bob")
    late, wrong = (Termination.TIMEOUT, "no answer in time"), (Termination.ILLEGAL, "3 rejected moves")
    play(store, league, {}, {"bob": late}, {"ada": wrong, "bob": late}, {"ada": (Termination.CRASH, "ended")})
    assert fault_reasons(store, "league") == [
        FaultReason("ada", "crash", 1, "league/3", "ended"),
        FaultReason("ada", "illegal", 1, "league/2", "3 rejected moves"),
        FaultReason("bob", "timeout", 2, "league/1", "no answer in time"),
    ]


def test_without_faults_there_is_nothing_to_tell(store: Store, new_league: Callable[..., Tournament]) -> None:
    league = new_league("ada", "bob")
    play(store, league, {}, {})
    assert fault_reasons(store, "league") == []
