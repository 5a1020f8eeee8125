"""House bots (built in) played inside the server: they answer from one thread beside the event loop.

They are the same files that also run as programs of their own. A house bot sees what any bot sees, an `arena.Decision`.
Its clock runs only while it is really thinking.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import structlog

from arena import Decision
from arena import Match as Info
from arena.bots import Player as BotInMatch
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending, Termination
from referee.rules.game import Seat

log = structlog.get_logger()
Work = Callable[[], Callable[[], object]]
WATCH_SECONDS = 0.5
QUICK = 0.002
MOST_TOGETHER = 64
"""Answers that are handed in together: those of so many seconds of thought, and never more than so many, for the loop
does nothing else while it takes them."""


class HouseBotThread:
    """The thread in which house bots think. Results go back to the loop in batches.

    A bot that thinks beyond its time loses its match as any other, and the rest go on in a new thread.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._work: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._closed = False
        self._thinking: tuple[Question, float] | None = None
        self._looked = time.monotonic()
        self._stood_still = 0.0
        self._start()
        self._watch = self._loop.call_later(WATCH_SECONDS, self._look)

    def submit(self, work: Work) -> None:
        """Run `work` in the thread; what it returns is then called in the loop."""
        self._work.put(work)

    def think(self, question: Question, decide: Callable[[], Any]) -> Any:
        """Called in the thread: let a bot decide, watched by the watchdog (`_look`)."""
        mine = self._thinking = (question, time.monotonic())
        try:
            return decide()
        finally:
            if self._thinking is mine:  # given up for lost, it comes to its end while another one is watched
                self._thinking = None

    def close(self) -> None:
        self._closed = True
        self._watch.cancel()
        self._work.put(None)
        self._thread.join(timeout=1 if self._thinking else 5)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._think, name="house bots", daemon=True)
        self._thread.start()

    def _look(self) -> None:
        """The watchdog: whether a bot has been thinking for too long."""
        self._watch = self._loop.call_later(WATCH_SECONDS, self._look)
        now = time.monotonic()
        # A look that comes late means that the whole process stood still, and the bot with it.
        late, self._looked = now - self._looked - WATCH_SECONDS, now
        thinking = self._thinking
        if thinking is None:
            self._stood_still = 0.0
        else:
            self._stood_still += max(0.0, late)
            question, began = thinking
            control = question.match.control
            if now - began - self._stood_still > control.limit + control.bank + WATCH_SECONDS:
                log.error("a house bot does not answer", match=question.match.id, seat=question.seat)
                self._thinking = None
                self._start()
                question.match.sent(question.seat, question.number, began)  # its time is up, as the match will see

    def _think(self) -> None:
        me = threading.current_thread()
        while (work := self._work.get()) is not None:
            if self._closed:
                return
            began = time.monotonic()
            done = [work()]
            # A few more while they are there and quick: waking the loop costs more than most answers.
            while len(done) < MOST_TOGETHER and time.monotonic() - began < QUICK and not self._work.empty():
                following = self._work.get()
                if following is None:
                    return
                done.append(following())
            try:
                self._loop.call_soon_threadsafe(_call_all, done)
            except RuntimeError:  # the loop is closed: the server is gone
                return
            if self._thread is not me:  # given up for lost, and replaced
                return


def _call_all(calls: list[Callable[[], object]]) -> None:
    for call in calls:
        call()


class HousePlayer:
    """A house bot at any number of tables. It is a `Player`."""

    wants_legal = True
    connected = True

    def __init__(self, name: str, bot: Any, house_thread: HouseBotThread) -> None:
        self.name = name
        self._bot = bot
        self._house_thread = house_thread
        self._seated: dict[str, BotInMatch] = {}

    @property
    def tables(self) -> int:
        """At how many tables it sits."""
        return len(self._seated)

    def started(self, match: Match, seat: Seat) -> None:
        control = match.control
        info = Info(
            match.id,
            match.game.name,
            seat,
            tuple(match.names),
            dict(match.options),
            control.limit,
            control.bank,
            match.game.version,
            match.tournament,
            match.view_type,
            view_descriptor=match.view_descriptor,
        )
        try:
            self._seated[f"{match.id}/{seat}"] = BotInMatch(self._bot, info)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a bot may raise anything; it costs it its match
            match.forfeit(seat, Termination.CRASH, f"{type(error).__name__} at the start: {error}"[:200])

    def ask(self, question: Question) -> None:
        self._house_thread.submit(lambda: self._answer(question))

    def rejected(self, match: Match, rejected: Rejected) -> None:
        if match.ending is None:  # it may have been thinking while the match was broken off
            log.warning("house bot refused", bot=self.name, match=match.id, move=rejected.move, why=rejected.message)

    def ended(self, match: Match, ending: Ending) -> None:
        for seat in range(len(ending.ranks)):
            self._seated.pop(f"{match.id}/{seat}", None)

    def _answer(self, question: Question) -> Callable[[], object]:
        match, seat, number = question.match, question.seat, question.number
        player = self._seated.get(f"{match.id}/{seat}")
        if player is None or match.ending is not None:
            return lambda: None
        decision = Decision(
            player.match,
            number,
            question.legal,
            question.view,
            complete=question.complete,
            budget=question.budget,
            bank=question.bank,
            again=question.again,
        )
        began = time.monotonic()
        try:
            move = self._house_thread.think(question, lambda: player.decide(decision))
            if not isinstance(move, str):
                raise TypeError(f"decide returned {move!r} instead of a text")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a bot may raise anything; it costs it its match
            text = f"{type(error).__name__} in decide: {error}"[:200]
            return lambda: match.forfeit(seat, Termination.CRASH, text)
        finished = time.monotonic()

        def hand_in() -> None:
            match.sent(seat, number, began)
            match.answer(seat, number, move, finished)
            if match.ending is None and match.is_asked(seat, number):  # it was rejected, and would say the same again
                match.forfeit(seat, Termination.ILLEGAL, f"answered {move!r}, which is not legal")

        return hand_in
