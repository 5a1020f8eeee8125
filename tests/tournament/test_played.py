"""A played match: a worker's word for it comes back as it was, and what is stored of it scores the same."""

import json

from referee.match.result import Ending, Termination
from referee.store import Store
from referee.tournament.running.played import Ended, Played, SeatAccount
from referee.tournament.standings import score_of

from .conftest import NewLeague

ENDING = Ending((2, 1), (3, -8), (Termination.TIMEOUT, Termination.FINISHED), ("no answer in time", ""), "finished")
PLAYED = Played(ENDING, b"{}\n", (SeatAccount(5, 1, 900), SeatAccount(7, 0, 12)))


def test_what_a_worker_says_comes_back_as_it_was() -> None:
    told: list[str] = []
    line = json.dumps(PLAYED.to_value())
    read = Played.from_value(json.loads(line), PLAYED.record, lambda: told.append("told"))
    assert (read.ending, read.record, read.seats) == (PLAYED.ending, PLAYED.record, PLAYED.seats)
    read.announce()
    assert told == ["told"]


