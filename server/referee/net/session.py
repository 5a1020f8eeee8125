"""One connected bot: what is waiting to be sent to it, how much it is asked at once, and which matches it plays.

Cost is per message, hardly per body, so everything that is ready goes out together. Questions are paced: while a
frame of questions is with the bot, further ones wait (their clocks do not run yet) and leave together with the next
frame. How many questions may be out at once is a window that grows while the bot answers quickly and shrinks when it
does not, so that no bot's clock runs on a question that merely waits in its own queue.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import deque
from collections.abc import Callable

from arena.v1 import match_pb2 as pb

from referee.match.ending import Ending, Termination
from referee.match.match import Match
from referee.match.port import Question, Rejected, RejectionKind
from referee.rules.game import Seat

KINDS = {kind: getattr(pb, f"REJECTION_KIND_{kind.name}") for kind in RejectionKind}
TERMINATIONS = {termination: getattr(pb, f"TERMINATION_{termination.name}") for termination in Termination}
STRAGGLERS_AFTER = 0.005
"""Seconds after which a frame's slowest answers no longer hold back the next frame."""
MOST_OUT = 1024
SHOWN_TEXT = 80
"""How much of a text that a bot sent is repeated to anybody."""


class Session:
    """A bot and its stream; outlives the stream while matches wait for the bot to come back.

    It is the `Player` of all its matches.
    """

    def __init__(self, name: str, hello: pb.Hello) -> None:
        self.name = name
        self.secret = secrets.token_hex(16)
        self.seats: dict[str, tuple[Match, Seat]] = {}
        self.connected = False
        self.leaving = False
        self.recent: deque[str] = deque(maxlen=256)
        """Matches that have ended lately: an answer that was on its way then is no offence."""
        self.on_idle: Callable[[Session], object] | None = None
        """Called when a match has ended for this bot."""
        self._wake = asyncio.Event()
        self._bodies: list[pb.Down] = []
        self._questions: list[Question] = []
        self._out: dict[tuple[str, int], float] = {}
        self._window = 1
        self._frame_at = 0.0
        self._nudge: asyncio.TimerHandle | None = None
        self.greet(hello)

    def greet(self, hello: pb.Hello) -> None:
        """Take what the bot says of itself, at its first hello and at every later one."""
        self.games = frozenset(hello.games)
        self.concurrency = max(1, hello.concurrency)
        self.without_legal = hello.without_legal
        self.client = hello.client

    def plays(self, game: str) -> bool:
        return not self.games or game in self.games

    @property
    def free(self) -> int:
        """How many more matches it takes now."""
        return 0 if self.leaving or not self.connected else max(0, self.concurrency - len(self.seats))

    # The Player port.

    @property
    def wants_legal(self) -> bool:
        return not self.without_legal

    def started(self, match: Match, seat: Seat) -> None:
        self.seats[match.id] = (match, seat)
        self.send(pb.Down(match_start=start_message(match, seat)))

    def ask(self, question: Question) -> None:
        if self.connected:
            self._questions.append(question)
            self._wake.set()

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self._out.pop((match.id, rejected.number), None)
        still_asked = rejected.kind in (RejectionKind.ILLEGAL, RejectionKind.UNREADABLE) and rejected.strikes_left
        if still_asked:
            self._out[(match.id, rejected.number)] = time.monotonic()
        self.send(pb.Down(rejected=rejected_message(match.id, rejected)))

    def ended(self, match: Match, ending: Ending) -> None:
        self.seats.pop(match.id, None)
        self.recent.append(match.id)
        self._forget(match.id)
        self.send(pb.Down(match_end=end_message(match, ending)))
        if self.on_idle is not None:
            self.on_idle(self)

    # The stream's side.

    def send(self, body: pb.Down) -> None:
        """Put a body into the next frame; lost if nobody is there (a reconnect repeats what matters)."""
        if self.connected:
            self._bodies.append(body)
            self._wake.set()

    def connect(self, welcome: pb.Down) -> None:
        """The bot is here (again): greet it, repeat its matches, and ask again what it was being asked."""
        self.connected = True
        self._bodies = [welcome]
        self._questions = []
        self._out = {}
        self._window = 1
        for match, seat in self.seats.values():
            self._bodies.append(pb.Down(match_start=start_message(match, seat)))
        self._wake.set()
        now = time.monotonic()
        for match, seat in list(self.seats.values()):
            match.back(seat, now)

    def disconnect(self) -> None:
        """The stream is gone: the matches wait for the bot, as long as its grace lasts."""
        if self.connected:
            self.connected = False
            self._bodies, self._questions, self._out = [], [], {}
            now = time.monotonic()
            for match, seat in list(self.seats.values()):
                match.away(seat, now)

    def answered(self, match: str, number: int, now: float) -> bool:
        """An answer came: makes room for further questions and tells how quick the bot is. False: to no question."""
        asked = self._out.pop((match, number), None)
        if asked is None:
            return False
        limit = self.seats[match][0].control.limit if match in self.seats else 1.0
        latency = now - asked
        if latency < 0.05 * limit:
            self._window = min(MOST_OUT, self._window * 2)
        elif latency < 0.25 * limit:
            self._window = min(MOST_OUT, self._window + 1)
        elif latency > 0.5 * limit:
            self._window = max(1, self._window // 2)
        if not self._out and self._questions:
            self._wake.set()
        return True

    async def next_frame(self) -> tuple[pb.PlayResponse, list[Question]]:
        """All that is ready, once something is; the questions in it are returned too, for `frame_sent`."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            questions = self._take_questions()
            if self._bodies or questions:
                bodies, self._bodies = self._bodies, []
                bodies.extend([decide_message(question) for question in questions])
                return pb.PlayResponse(bodies=bodies), questions

    def frame_sent(self, questions: list[Question]) -> None:
        """The frame is on its way: the clocks of its questions start."""
        now = self._frame_at = time.monotonic()
        for question in questions:
            self._out[(question.match.id, question.number)] = now
            question.match.sent(question.seat, question.number, now)

    def _take_questions(self) -> list[Question]:
        if not self._questions:
            return []
        if self._out:
            waited = time.monotonic() - self._frame_at
            if waited < STRAGGLERS_AFTER:
                self._nudge_in(STRAGGLERS_AFTER - waited)
                return []
        room = max(0, self._window - len(self._out))
        taken, self._questions = self._questions[:room], self._questions[room:]
        return taken

    def _nudge_in(self, seconds: float) -> None:
        if self._nudge is None:

            def nudge() -> None:
                self._nudge = None
                self._wake.set()

            self._nudge = asyncio.get_running_loop().call_later(seconds + 0.0005, nudge)

    def _forget(self, match: str) -> None:
        """A match is over: its questions need no answer any more."""
        if self._out:
            for key in [key for key in self._out if key[0] == match]:
                del self._out[key]
        if self._questions:
            self._questions = [question for question in self._questions if question.match.id != match]
            self._wake.set()


def shorten(text: str) -> str:
    """A text of a bot's, safe and short enough to repeat."""
    printable = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[: SHOWN_TEXT + 1]
    )
    return printable if len(printable) <= SHOWN_TEXT else printable[: SHOWN_TEXT - 1] + "…"


def start_message(match: Match, seat: Seat) -> pb.MatchStart:
    control = match.control
    return pb.MatchStart(
        match=match.id,
        game=match.game.name,
        game_version=match.game.version,
        options_json=json.dumps(match.options),
        seat=seat,
        names=match.names,
        time_control=pb.TimeControl(
            limit_ms=round(control.limit * 1000), bank_ms=round(control.bank * 1000), strikes=control.strikes
        ),
        seed_commitment=hashlib.sha256(match.seed).hexdigest(),
        view_type=match.view_type,
        tournament=match.tournament,
    )


def decide_message(question: Question) -> pb.Down:
    return pb.Down(
        decide=pb.Decide(
            match=question.match.id,
            decision=question.number,
            view=question.view,
            legal=question.legal,
            complete=question.complete,
            budget_ms=round(question.budget * 1000),
            bank_ms=max(0, round(question.bank * 1000)),
            again=question.again,
        )
    )


def rejected_message(match: str, rejected: Rejected) -> pb.Rejected:
    return pb.Rejected(
        match=match,
        decision=rejected.number,
        kind=KINDS[rejected.kind],
        code=rejected.code,
        message=rejected.message,
        move=rejected.move,
        strikes_left=rejected.strikes_left,
    )


def end_message(match: Match, ending: Ending) -> pb.MatchEnd:
    return pb.MatchEnd(
        match=match.id,
        ranks=ending.ranks,
        scores=ending.scores,
        terminations=[TERMINATIONS[termination] for termination in ending.terminations],
        texts=ending.texts,
        reason=ending.reason,
        seed=match.seed.hex(),
    )
