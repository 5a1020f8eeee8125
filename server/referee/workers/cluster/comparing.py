"""Matches played twice: a share of them goes to a second worker, and a worker that differs from two others is found.

Only bots that decide alike each time can be compared. Which do is not declared but found: where three workers give
three answers, the bots of that match vary, and their matches are not compared any more.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from referee.workers.cluster.remote_worker import OpenMatch, RemoteWorker
from referee.workers.cluster.results import Result

ONE_IN = 50
"""Of so many matches one is played twice, and the first of every worker."""

Said = tuple[RemoteWorker, Result]


class Comparing:
    """Which matches are compared, and what comes of it."""

    def __init__(self, one_in: int = ONE_IN) -> None:
        self._one_in = one_in
        self._varying: set[str] = set()

    def wanted(self, worker: RemoteWorker, match: OpenMatch) -> bool:
        """Whether a match that this worker has played is to be played elsewhere too; no worker can foresee it."""
        if not self._varying.isdisjoint(match.fixture.bots):
            return False
        if not worker.proven:
            worker.proven = True
            return True
        return secrets.randbelow(self._one_in) == 0

    def vary(self, bots: Sequence[str]) -> list[str]:
        """These bots do not decide alike each time; returns those of which that is new."""
        new = [bot for bot in dict.fromkeys(bots) if bot not in self._varying]
        self._varying.update(new)
        return new


def agreed(answers: Sequence[Said]) -> Said | None:
    """An answer that two workers have given."""
    for number, (worker, result) in enumerate(answers):
        if any(other.course == result.course for _, other in answers[number + 1 :]):
            return worker, result
    return None


def odd_ones(answers: Sequence[Said], settled: Result) -> list[RemoteWorker]:
    """Who has said something else."""
    return [worker for worker, result in answers if result.course != settled.course]
