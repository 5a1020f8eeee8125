"""One connected bot: what is waiting to be sent to it, how much it is asked at once, and which matches it plays.

Cost is per message, hardly per body, so everything that is ready goes out together. Questions are paced: while a
frame of questions is with the bot, further ones wait (their clocks do not run yet) and leave together with the next
frame. How many questions may be out at once is a window, so that no bot's clock runs on a question that merely waits
in its own queue. Two rules are stronger than the window: a question that the bot saw before a reconnect is repeated at
once, for its clock runs; and questions of a tournament never wait for practice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import deque
from collections.abc import Callable, MutableSequence

from arena.v1 import match_pb2 as pb
from referee.match.match import Match
from referee.match.player import Question, Rejected, RejectionKind
from referee.match.result import Ending, Termination
from referee.match.window import Window
from referee.rules.game import Seat

KINDS = {kind: getattr(pb, f"REJECTION_KIND_{kind.name}") for kind in RejectionKind}
TERMINATIONS = {termination: getattr(pb, f"TERMINATION_{termination.code}") for termination in Termination}
STRAGGLERS_AFTER = 0.05
"""Seconds after which a frame's slowest answers no longer hold back the next frame."""
FRAME_BYTES = 1 << 20
LOOK_AGAIN_AFTER = 0.1
"""Seconds after which a full window is looked through for questions that have been withdrawn."""
COMPANY = 8
"""A bot at many tables is spoken to once one in so many of them has something for it …"""
COMPANY_SECONDS = 40e-6
"""… or after so long for each of them, about what a decision costs us: at so many tables we are busy meanwhile, no
clock runs, and many small frames would cost the bot's machine and ours more than the wait."""


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
        self.on_ready: Callable[[], object] = _nothing
        """Called when there may be something to `take`."""
        self._bodies: list[pb.Down] = []
        """What will be sent next, beside questions."""
        self._repeated: list[Question] = []
        """Questions seen before a reconnect: their clocks run, so they leave at once."""
        self._questions: list[Question] = []
        """Questions that wait for their turn; their clocks do not run yet."""
        self._practices = 0
        """How many of its matches are practice, outside any tournament."""
        self._out: dict[tuple[str, int], Question] = {}
        self._window = Window()
        self._frame_at = 0.0
        self._held_since: float | None = None
        """Since when something waits for company."""
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
        self._practices += not match.tournament
        if self.connected:
            self.send(pb.Down(match_start=start_message(match, seat)))
        else:  # lost just now: the match waits for it like any other
            match.away(seat, time.monotonic())

    def ask(self, question: Question) -> None:
        if not self.connected:
            return
        if question.running:
            self._repeated.append(question)
            self.on_ready()
        else:
            self._questions.append(question)
            if self._held_since is None or len(self._questions) >= self._company():
                self.on_ready()

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self.send(pb.Down(rejected=rejected_message(match.id, rejected)))

    def ended(self, match: Match, ending: Ending) -> None:
        if self.seats.pop(match.id, None) is not None:
            self._practices -= not match.tournament
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
            self.on_ready()

    def connect(self, welcome: pb.Down, waited: float = 0.0) -> None:
        """The bot is here (again): greet it, repeat its matches, and ask again what it was being asked.

        `waited` is how long the server took to let it in: nobody is charged for that.
        """
        self.connected = True
        self._bodies = [welcome]
        self._repeated, self._questions, self._out = [], [], {}
        self._window = Window()
        for match, seat in self.seats.values():
            self._bodies.append(pb.Down(match_start=start_message(match, seat)))
        self.on_ready()
        now = time.monotonic()
        for match, seat in list(self.seats.values()):
            match.back(seat, now, waited)

    def disconnect(self) -> None:
        """The stream is gone: the matches wait for the bot, as long as its grace lasts."""
        if self.connected:
            self.connected = False
            self.on_ready = _nothing
            self._bodies, self._repeated, self._questions, self._out = [], [], [], {}
            now = time.monotonic()
            for match, seat in list(self.seats.values()):
                match.away(seat, now)

    def answer(self, match: Match, seat: Seat, number: int, move: str, now: float) -> bool:
        """Hand an answer to its match. False: it answers nothing that this bot is being asked."""
        question = self._out.pop((match.id, number), None)
        accepted = match.answer(seat, number, move, now)
        if question is None:
            return False
        if not accepted and match.is_asked(seat, number):  # rejected, and still with the bot
            self._out[(match.id, number)] = question
            return True
        self._window.answered(now)
        if not self._out and self._questions:
            self.on_ready()
        return True

    def take(self) -> tuple[pb.PlayResponse, list[Question]] | None:
        """The next frame, if anything is ready: its questions are returned too, for `frame_sent`.

        A frame stays well below what gRPC clients of all languages read by default; what does not fit is the next.
        """
        repeated = self._repeated
        if len(self.seats) >= COMPANY and not repeated and self._wait_for_company():
            return None
        self._held_since = None
        if not self._questions and not self._bodies and not repeated:
            return None
        frame = pb.PlayResponse()
        bodies = frame.bodies
        if self._bodies and self._take_bodies(bodies) >= FRAME_BYTES:
            return frame, []
        if repeated:
            waiting, questions = repeated, _still_asked(repeated)
            repeated.clear()
            if self._questions:  # they have the next frame
                self.on_ready()
        else:
            questions = self._take_questions() if self._questions else []
            waiting = self._questions
        for question in questions:
            write_decide(bodies.add().decide, question)
        while len(bodies) > 1 and questions and frame.ByteSize() > FRAME_BYTES:
            fewer = max(1, len(questions) // 2)
            del bodies[-fewer:]
            waiting[:0] = questions[-fewer:]
            del questions[-fewer:]
            self.on_ready()
        return (frame, questions) if bodies else None

    def _take_bodies(self, into: MutableSequence[pb.Down]) -> int:
        """What is to be said beside questions, as much as fits into a frame; returns how many bytes that is."""
        size = fits = 0
        for body in self._bodies:
            size += body.ByteSize()
            if fits and size > FRAME_BYTES:
                break
            fits += 1
        into.extend(self._bodies[:fits])
        del self._bodies[:fits]
        return size

    def last_words(self) -> pb.PlayResponse | None:
        """What remains to be said when the stream is about to end; nobody is asked any more."""
        bodies, self._bodies = self._bodies, []
        return pb.PlayResponse(bodies=bodies) if bodies else None

    def frame_sent(self, questions: list[Question]) -> None:
        """The frame is on its way: the clocks of its questions start."""
        if questions:
            now = self._frame_at = time.monotonic()
            out = self._out
            limit = questions[0].match.control.limit
            for question in questions:
                match = question.match
                out[(match.id, question.number)] = question
                limit = min(limit, match.control.limit)
                match.sent(question.seat, question.number, now)
            self._window.sent(now, limit)

    def _take_questions(self) -> list[Question]:
        if self._out:
            waited = time.monotonic() - self._frame_at
            if waited < STRAGGLERS_AFTER:
                self._nudge_in(STRAGGLERS_AFTER - waited)
                return []
        if 0 < self._practices < len(self.seats):
            self._questions.sort(key=_is_practice)
        room = self._window.room(self._count_out())
        if not room:
            self._out = {
                key: question
                for key, question in self._out.items()
                if question.match.is_asked(question.seat, question.number)
            }
            room = self._window.room(self._count_out())
            if not room:
                self._nudge_in(LOOK_AGAIN_AFTER)
                return []
        if room < len(self._questions):
            taken, self._questions = self._questions[:room], self._questions[room:]
        else:
            taken, self._questions = self._questions, []
        return _still_asked(taken)

    def _count_out(self) -> int:
        """How many questions hold back the next one: before one of a tournament, practice does not count."""
        if self._practices and not _is_practice(self._questions[0]):
            return sum(not _is_practice(question) for question in self._out.values())
        return len(self._out)

    def _company(self) -> int:
        """How many bodies are worth a frame of their own."""
        return min(len(self.seats) // COMPANY, self._window.size)

    def _wait_for_company(self) -> bool:
        """Whether what is ready had better wait for more: for a moment, and only where more is likely."""
        ready = len(self._questions) + len(self._bodies)
        if 0 < ready < self._company():
            now = time.monotonic()
            if self._held_since is None:
                self._held_since = now
            left = self._held_since + COMPANY_SECONDS * len(self.seats) - now
            if left > 0:
                self._nudge_in(left)
                return True
        return False

    def _nudge_in(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        moment = loop.time() + seconds + 0.0005
        if self._nudge is not None:
            if self._nudge.when() <= moment:
                return
            self._nudge.cancel()

        def nudge() -> None:
            self._nudge = None
            self.on_ready()

        self._nudge = loop.call_at(moment, nudge)

    def _forget(self, match: str) -> None:
        """A match is over: its questions need no answer any more."""
        if self._out:
            for key in [key for key in self._out if key[0] == match]:
                del self._out[key]
        if self._repeated:
            self._repeated = [question for question in self._repeated if question.match.id != match]
        if self._questions:
            self._questions = [question for question in self._questions if question.match.id != match]
            self.on_ready()


def _is_practice(question: Question) -> bool:
    return not question.match.tournament


def _still_asked(questions: list[Question]) -> list[Question]:
    return [question for question in questions if question.match.is_asked(question.seat, question.number)]


def _nothing() -> None:
    """Nobody sends what is ready: no stream is there."""


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


def write_decide(decide: pb.Decide, question: Question) -> None:
    """Fill in a question; in place, for this is done more often than anything else."""
    decide.match = question.match.id
    decide.decision = question.number
    decide.view = question.view
    if question.legal:
        decide.legal.extend(question.legal)
    if question.complete:
        decide.complete = True
    decide.budget_ms = int(1000 * question.budget + 0.5)
    if question.bank > 0:
        decide.bank_ms = int(1000 * question.bank + 0.5)
    if question.again:
        decide.again = True


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
