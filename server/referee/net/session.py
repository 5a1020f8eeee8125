"""One connected bot: what is waiting to be sent to it, and which matches it plays.

Cost is per message, hardly per body, so everything that is ready goes out together. `match/asking.py` says how much the
bot is asked at once; a bot at many tables is moreover spoken to only when several of them have something for it.
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
from referee.match.asking import Asking
from referee.match.match import Match
from referee.match.player import Question, Rejected, RejectionKind
from referee.match.result import Ending, Termination
from referee.rules.game import Seat

KINDS = {kind: getattr(pb, f"REJECTION_KIND_{kind.name}") for kind in RejectionKind}
TERMINATIONS = {termination: getattr(pb, f"TERMINATION_{termination.code}") for termination in Termination}
FRAME_BYTES = 1 << 20
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
        self._asking = Asking(self._nudge_in)
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
        if self.connected:
            self.send(pb.Down(match_start=start_message(match, seat)))
        else:  # lost just now: the match waits for it like any other
            match.away(seat, time.monotonic())

    def ask(self, question: Question) -> None:
        if not self.connected:
            return
        asking = self._asking
        asking.put(question)
        if self._held_since is None or asking.repeated or len(asking.waiting) >= self._company():
            self.on_ready()

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self.send(pb.Down(rejected=rejected_message(match.id, rejected)))

    def ended(self, match: Match, ending: Ending) -> None:
        self.seats.pop(match.id, None)
        self.recent.append(match.id)
        self._asking.forget(match.id)
        self.send(pb.Down(match_end=end_message(match, ending)))
        if self.on_idle is not None:
            self.on_idle(self)

    # The stream's side.

    def send(self, body: pb.Down) -> None:
        """Put a body into the next frame; lost if nobody is there (a reconnect repeats what matters)."""
        if self.connected:
            self._bodies.append(body)
            self.on_ready()

    def notice(self, code: str, text: str) -> None:
        """Tell the bot something: a code for programs, a sentence for its author."""
        self.send(pb.Down(notice=pb.Notice(code=code, text=text)))

    def connect(self, welcome: pb.Down, waited: float = 0.0) -> None:
        """The bot is here (again): greet it, repeat its matches, and ask again what it was being asked.

        `waited` is how long the server took to let it in: nobody is charged for that.
        """
        self.connected = True
        self._bodies = [welcome]
        self._asking.clear()
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
            self._bodies = []
            self._asking.clear()
            now = time.monotonic()
            for match, seat in list(self.seats.values()):
                match.away(seat, now)

    def answer(self, match: Match, seat: Seat, number: int, move: str, now: float) -> bool:
        """Hand an answer to its match. False: it answers nothing that this bot is being asked."""
        asking = self._asking
        question = asking.out.pop((match.id, number), None)
        accepted = match.answer(seat, number, move, now)
        if question is None:
            return False
        if not accepted and match.is_asked(seat, number):  # rejected, and still with the bot
            asking.out[(match.id, number)] = question
        elif asking.answered(now):
            self.on_ready()
        return True

    def take(self) -> tuple[pb.PlayResponse, list[Question]] | None:
        """The next frame, if anything is ready: its questions are returned too, for `frame_sent`.

        A frame stays well below what gRPC clients of all languages read by default; what does not fit is the next.
        """
        asking = self._asking
        if len(self.seats) >= COMPANY and not asking.repeated and self._wait_for_company():
            return None
        self._held_since = None
        if not asking.waiting and not self._bodies and not asking.repeated:
            return None
        frame = pb.PlayResponse()
        bodies = frame.bodies
        if self._bodies and self._take_bodies(bodies) >= FRAME_BYTES:
            return frame, []
        questions = asking.take(time.monotonic())
        for question in questions:
            write_decide(bodies.add().decide, question)
        while len(bodies) > 1 and questions and frame.ByteSize() > FRAME_BYTES:
            fewer = max(1, len(questions) // 2)
            del bodies[-fewer:]
            asking.put_back(questions[-fewer:])
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
            self._asking.sent(questions, time.monotonic())

    def _company(self) -> int:
        """How many bodies are worth a frame of their own."""
        return min(len(self.seats) // COMPANY, self._asking.window.size)

    def _wait_for_company(self) -> bool:
        """Whether what is ready had better wait for more: for a moment, and only where more is likely."""
        ready = len(self._asking.waiting) + len(self._bodies)
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
        view_descriptor=match.view_descriptor,
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
