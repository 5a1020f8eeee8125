"""A played match: a worker's word for it comes back as it was, and what is stored of it scores the same."""

import json
from collections.abc import Callable

from referee.match.result import Ending, Termination
from referee.store import Store, Tournament, TournamentState
from referee.tournament.running.ended import Ended
from referee.tournament.running.played import Played, SeatAccount
from referee.tournament.standings import score_of

ENDING = Ending((2, 1), (3, -8), (Termination.TIMEOUT, Termination.FINISHED), ("no answer in time", ""), "finished")
PLAYED = Played(ENDING, b"{}\n", (SeatAccount(5, 1, 900), SeatAccount(7, 0, 12)))


def test_what_a_worker_says_comes_back_as_it_was() -> None:
    told: list[str] = []
    line = json.dumps(PLAYED.to_value())
    read = Played.from_value(json.loads(line), PLAYED.record, lambda: told.append("told"))
    assert (read.ending, read.record, read.seats) == (PLAYED.ending, PLAYED.record, PLAYED.seats)
    read.announce()
    assert told == ["told"]


def test_what_is_stored_of_it_scores_the_same(store: Store, new_league: Callable[..., Tournament]) -> None:
    league = new_league("ada", "bob")
    store.tournaments.set_state(league.id, TournamentState.RUNNING)
    row = next(store.matches.in_schedule_order(league.id))
    attempt = store.matches.claim(row.id)
    assert attempt is not None
    ended = Ended.of(row, attempt, "league/0", b"seed", PLAYED)
    assert store.matches.report_later(ended.result).result() is not None
    kept = store.matches.get(row.id)
    assert [(seat.fault, seat.decisions, seat.strikes, seat.time_ms) for seat in kept.seats] == [
        ("timeout", 5, 1, 900),
        ("finished", 7, 0, 12),
    ]
    score = ended.score("league")
    assert score == score_of(kept, "league")
    assert (score.match, score.faults) == ("league/0", ("timeout", ""))
