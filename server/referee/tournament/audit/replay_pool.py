"""Replaying the matches of a tournament in parallel, in as many processes as there are cores.

Each record is checked against its line of the schedule and its seed against the root. Ratings follow the schedule and
are the caller's: results come back in the order in which the matches went in.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import islice
from typing import Any

from referee.processes import collect_seldom, process_pool
from referee.tournament.audit.audited import AuditedTournament, MatchLine
from referee.tournament.audit.replay import DoesNotHold, Replayed, replay
from referee.tournament.nonces import NonceDigests
from referee.tournament.plan import Plan, deal
from referee.tournament.seeds import match_seed

ReplayedResult = tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...], str]
"""Ranks, scores and how each seat ended, by seat, and the game's word for it."""
Item = tuple[MatchLine, bytes | None]

COMPARED = ("match", "players", "game", "number of players", "options", "seed", "ranks", "scores", "faults", "reason")
"""What a record and its line of the schedule both tell, in the order in which it is looked at."""

CHUNK = 100
"""Matches that are handed to a process at a time."""
WORTH_IT = 2000
"""Matches from which on processes are started: that takes about as long as replaying so many."""
AHEAD = 4
"""Chunks for each process that wait or are being replayed, so that memory does not grow with the tournament."""


@dataclass(frozen=True, slots=True)
class MatchCheck:
    """What all matches of a tournament have in common, and what each of them is checked against."""

    name: str
    game: str
    players: int
    options: Mapping[str, Any]
    roots: tuple[bytes | None, ...]
    """The one of now, and before it those of earlier chapters."""
    chapter_of: Mapping[int, int]
    pruned: Collection[int]
    """Matches without a record: only their seed can be checked."""
    plan: Plan
    accounts: bool
    """Whether lines tell decisions, strikes and times: folders of before do not."""
    nonces: NonceDigests
    shared_deals: Mapping[int, int]
    """Of matches on a shared deal, the first on the same one."""

    @classmethod
    def of(cls, audited: AuditedTournament, plan: Plan) -> MatchCheck:
        told = audited.story is not None
        digests = NonceDigests.of(audited.name, audited.draws)
        shared = {} if audited.story is None else audited.story.shared_deals
        roots, chapters = audited.roots, {} if audited.story is None else audited.story.chapter_of
        common = (audited.name, audited.game, audited.players, dict(plan.options))
        pruned = frozenset() if audited.story is None else frozenset(audited.story.pruned)
        return cls(*common, roots, chapters, pruned, plan, told, digests, shared)

    def __call__(self, line: MatchLine, record: bytes | None) -> ReplayedResult:
        """Replay a match; DoesNotHold says what is wrong with it."""
        name = f"{self.name}/{line.ordinal}"
        if record is None and line.ordinal in self.pruned:
            if not self._follows(line, line.seed):
                raise DoesNotHold(f"match {name}: its seed does not follow from the root")
            return line.ranks, line.scores, line.faults, line.reason
        if record is None:
            raise DoesNotHold(f"match {name}: its record is missing")
        try:
            return self._compared(line, name, replay(record))
        except DoesNotHold as error:
            raise DoesNotHold(f"match {name}: {error}") from None

    def _compared(self, line: MatchLine, name: str, played: Replayed) -> ReplayedResult:
        """The outcome of a match; DoesNotHold if its line or its seed says otherwise."""
        record, ending = played.record, played.ending
        outcome = (ending.ranks, ending.scores, ending.words, ending.reason)
        told = (line.ranks, line.scores, line.faults, line.reason)
        wanted = (name, line.seats, self.game, self.players, self.options, line.seed, *outcome)
        found = (played.match, played.names, record.game, record.players, record.options, record.seed, *told)
        if wanted != found:
            sides = zip(COMPARED, wanted, found, strict=True)
            what, right, wrong = next(three for three in sides if three[1] != three[2])
            raise DoesNotHold(f"the {what} should be {right}, not {wrong}")
        if self.accounts:
            _check_accounts(line, played)
        if not self._follows(line, record.seed):
            nonces = self.nonces.at(deal(self.plan, line.ordinal, self.shared_deals))
            raise DoesNotHold(f"its seed does not follow from the root{' and the nonces' if nonces else ''}")
        return outcome

    def _follows(self, line: MatchLine, seed: str) -> bool:
        """Whether this is the seed of a match, as far as the root is known."""
        if (root := self.roots[self.chapter_of.get(line.ordinal, 0)]) is None:
            return True
        number = deal(self.plan, line.ordinal, self.shared_deals)
        return seed == match_seed(root, self.name, number, line.attempt, self.nonces.at(number)).hex()


def outcomes(
    check: MatchCheck, matches: Iterable[Item], workers: int | None, expected: int
) -> Iterator[tuple[MatchLine, ReplayedResult]]:
    """Check matches and give the outcome of each, in their order; DoesNotHold at the first that is wrong."""
    cores = len(os.sched_getaffinity(0)) if workers is None else workers
    if cores < 1 or (workers is None and (cores < 2 or expected < WORTH_IT)):
        for line, record in matches:
            yield line, check(line, record)
        return
    source = iter(matches)
    waiting: deque[tuple[list[MatchLine], Future[list[ReplayedResult]]]] = deque()
    with process_pool(cores, _begin, check) as pool:
        while True:
            while len(waiting) < cores * AHEAD and (chunk := list(islice(source, CHUNK))):
                waiting.append(([line for line, _ in chunk], pool.submit(_check_chunk, chunk)))
            if not waiting:
                return
            lines, done = waiting.popleft()
            try:
                found = done.result()
            except BrokenProcessPool:
                raise OSError(None, "a process that replays matches was ended from outside: try again") from None
            yield from zip(lines, found, strict=True)


def _check_accounts(line: MatchLine, played: Replayed) -> None:
    for seat, account in enumerate(played.accounts):
        noted = (line.decisions[seat], line.strikes[seat], line.time_ms[seat])
        strikes = noted[1] if account.strikes is None else account.strikes
        if noted[:2] != (account.decisions, strikes):
            raise DoesNotHold(
                f"seat {seat} should have {account.decisions} decisions and {strikes} strikes, not {noted[0]} and "
                f"{noted[1]}"
            )
        if abs(noted[2] - account.time_ms) > account.decisions / 2 + 1:
            raise DoesNotHold(f"seat {seat} took {account.time_ms} ms by its record, not {noted[2]}")


_check: MatchCheck | None = None
"""In a process of the pool: what it checks matches against."""


def _begin(check: MatchCheck) -> None:
    global _check
    _check = check
    collect_seldom()


def _check_chunk(chunk: list[Item]) -> list[ReplayedResult]:
    assert _check is not None
    return [_check(line, record) for line, record in chunk]
