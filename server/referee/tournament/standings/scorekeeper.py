"""The scorekeeper of a running tournament: a thread that owns the scoreboard, so that nothing waits for a rating."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from referee.store import Store, Tournament
from referee.threads import in_thread_of
from referee.tournament import standings
from referee.tournament.plan import NONE_SHARED, Plan
from referee.tournament.standings.score import Score
from referee.tournament.standings.snapshots import Snapshots

T = TypeVar("T")


class Scorekeeper:
    """Takes results in the event loop and rates them beside it; what comes meanwhile is taken together."""

    def __init__(
        self,
        store: Store,
        tournament: Tournament,
        plan: Plan,
        on_news: Callable[[], object],
        on_failure: Callable[[BaseException], object],
        shared_deals: Mapping[int, int] = NONE_SHARED,
    ) -> None:
        """`on_news` is called in the loop when the scoreboard has changed, `on_failure` when it cannot be.

        `shared_deals` as for `deal`; it may grow as rounds are drawn.
        """
        self.board = standings.empty_board(plan, (), shared_deals)
        self._snapshots = Snapshots(store, tournament.id, plan, shared_deals)
        self._on_news = on_news
        self._on_failure = on_failure
        self._store = store
        self._tournament = tournament
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="scorekeeper")
        self._unscored: list[Score | int] = []
        self._scoring = False
        self._stale = False
        self._closed = False

    def reload(self) -> None:
        """Make the scoreboard anew from what is stored; results that wait here are stored already."""
        self._unscored = []
        self._stale = True
        self._score_soon()

    def add(self, score: Score) -> None:
        """A result that is stored."""
        self._unscored.append(score)
        self._score_soon()

    def skip(self, ordinal: int) -> None:
        """A match that was set aside."""
        self._unscored.append(ordinal)
        self._score_soon()

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run something that looks at the scoreboard, in the thread that owns it."""
        if self._closed:
            return work(*arguments)
        return await in_thread_of(self._thread, work, *arguments)

    async def close(self) -> None:
        """Rate what has come, and end the thread; the scoreboard stays."""
        try:
            await self.do(self._score_all)
            await self.do(self._snapshots.keep_at_the_end, self.board)
        finally:
            self._closed = True
            self._thread.shutdown(wait=False)

    def _score_soon(self) -> None:
        if self._scoring or self._closed:
            return
        self._scoring = True
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._score_all)

        def scored(done: asyncio.Future[None]) -> None:
            self._scoring = False
            if done.cancelled():
                return
            if (error := done.exception()) is not None:
                self._on_failure(error)
                return
            self._on_news()
            if self._unscored or self._stale:
                self._score_soon()

        work.add_done_callback(scored)

    def _score_all(self) -> None:
        # A result that was stored before a reload is read by it and taken again here: the scoreboard counts it once.
        stale, self._stale = self._stale, False
        taken, self._unscored = self._unscored, []
        if stale:
            board = self._snapshots.begin()
            standings.fill(board, self._store, self._tournament)
            self.board = board
        for entry in taken:
            if isinstance(entry, int):
                self.board.skip(entry)
            else:
                self.board.add(entry)
        self._snapshots.keep(self.board)
