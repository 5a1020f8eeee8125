"""A process that claims and reports matches until it is killed: prints the number of each result once it is stored.

Run by test_crash.py as `python reporter.py ADDRESS TOURNAMENT`.
"""

from __future__ import annotations

import os
import sys
import threading
from itertools import islice

from referee.store import MatchResult, MatchState, SeatResult, Store


def main(address: str, tournament: int) -> None:
    with Store.open(address, owner="server") as store:
        threads = [threading.Thread(target=report, args=(store, tournament)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def report(store: Store, tournament: int) -> None:
    while waiting := list(islice(store.matches.in_schedule_order(tournament, [MatchState.SCHEDULED]), 8)):
        claims = [store.matches.claim_later(match.id) for match in waiting]
        taken = [match for match, claim in zip(waiting, claims, strict=True) if claim.result()]
        futures = []
        for match in taken:
            seats = (SeatResult(0, 1, 5), SeatResult(1, 2, 3))
            record = f"match {match.id} attempt {match.attempt}".encode()
            futures.append(store.matches.report_later(MatchResult(match.id, match.attempt, seats, "00", record)))
        for match, future in zip(taken, futures, strict=True):
            assert future.result()
            # One short write to a pipe is whole or absent, even when the process is killed.
            os.write(1, f"{match.id}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
