"""Session: one bot with its identity and its seats, across reconnects.

It is the `Player` of all matches of the bot. What the bot is told goes to the outbox of its present stream.
"""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Callable

from arena.v1 import match_pb2 as pb
from referee.hall.nonce_call import NonceCall
from referee.hall.notices import NoticeCode
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.net import messages
from referee.net.outbox import Outbox
from referee.rules.game import Seat


class Session:
    """A bot and its stream; outlives the stream while matches wait for the bot to come back."""

    def __init__(self, name: str, hello: pb.Hello, on_idle: Callable[[Session], object]) -> None:
        """`on_idle` is called when a match has ended for this bot."""
        self.name = name
        self.secret = secrets.token_hex(16)
        self.seats: dict[str, tuple[Match, Seat]] = {}
        self.leaving = False
        self.recent: deque[str] = deque(maxlen=256)
        """Matches that have ended lately: an answer that was on its way then is no offence."""
        self._on_idle = on_idle
        self._nonce_calls: dict[tuple[str, int], tuple[pb.RefereeBody, Callable[[str], object]]] = {}
        """What it was asked for nonces and has not answered, by tournament and draw."""
        self._outbox: Outbox | None = None
        """None: no stream is there."""
        self.greet(hello)

    def greet(self, hello: pb.Hello) -> None:
        """Take what the bot says of itself, at its first hello and at every later one."""
        self.games = frozenset(hello.games)
        self.concurrency = max(1, hello.concurrency)
        self.wants_legal = not hello.without_legal
        self.client = hello.client
        self.gives_nonces = hello.gives_nonces

    @property
    def connected(self) -> bool:
        return self._outbox is not None

    def plays(self, game: str) -> bool:
        return not self.games or game in self.games

    @property
    def free(self) -> int:
        """How many more matches it takes now."""
        return 0 if self.leaving or not self.connected else max(0, self.concurrency - len(self.seats))

    # The Player port.

    def started(self, match: Match, seat: Seat) -> None:
        self.seats[match.id] = (match, seat)
        if self.connected:
            self.send(messages.match_start(match, seat))
        else:  # lost just now: the match waits for it like any other
            match.away(seat, time.monotonic())

    def ask(self, question: Question) -> None:
        if self._outbox is not None:
            self._outbox.ask(question)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self.send(messages.rejected(match.id, rejected))

    def ended(self, match: Match, ending: Ending) -> None:
        _, seat = self.seats.pop(match.id, (match, 0))
        self.recent.append(match.id)
        if self._outbox is not None:
            self._outbox.asking.forget(match.id)
        self.send(messages.match_end(match, ending, seat))
        self._on_idle(self)

    # The stream's side.

    def send(self, body: pb.RefereeBody) -> None:
        """Put a body into the next frame; lost if no stream is there (a reconnect repeats what matters)."""
        if self._outbox is not None:
            self._outbox.put(body)

    def notice(self, code: NoticeCode, text: str) -> None:
        """Tell the bot something: a code for programs, a sentence for its author."""
        self.send(messages.notice(code, text))

    def nonces(self, call: NonceCall, answered: Callable[[str], object] | None = None) -> None:
        """Ask the bot for its part in a draw of nonces, or tell it what is fixed."""
        body = messages.nonces(call)
        self._nonce_calls.pop((call.tournament, call.draw), None)
        if answered is not None:
            self._nonce_calls[call.tournament, call.draw] = (body, answered)
        self.send(body)

    def give_nonce(self, given: pb.Nonce) -> bool:
        """What the bot answers; False if it was not asked."""
        _, answered = self._nonce_calls.pop((given.tournament, given.draw), (None, None))
        if answered is None:
            return False
        answered(given.commitment or given.nonce)
        return True

    def connect(self, outbox: Outbox, welcome: pb.RefereeBody, waited: float = 0.0) -> None:
        """The bot is here (again): greet it, repeat its matches, and ask again what it was being asked.

        `waited` is how long the server took to let it in: no bot is charged for that.
        """
        self._outbox = outbox
        outbox.put(welcome)
        for match, seat in self.seats.values():
            outbox.put(messages.match_start(match, seat))
        for body, _ in self._nonce_calls.values():
            outbox.put(body)
        now = time.monotonic()
        for match, seat in list(self.seats.values()):
            match.back(seat, now, waited)

    def disconnect(self) -> None:
        """The stream is gone: the matches wait for the bot, as long as its grace lasts."""
        if self._outbox is not None:
            self._outbox.close()
            self._outbox = None
            now = time.monotonic()
            for match, seat in list(self.seats.values()):
                match.away(seat, now)

    def answer(self, match: Match, seat: Seat, number: int, move: str, now: float) -> bool:
        """Hand an answer to its match. False: it answers nothing that this bot is being asked."""
        outbox = self._outbox
        # Told before the match judges it: the next question may leave from inside.
        if outbox is None or (question := outbox.asking.answered(match.id, number, now)) is None:
            match.answer(seat, number, move, now)
            return False
        asking = outbox.asking
        if not match.answer(seat, number, move, now) and question.open:  # rejected, and still with the bot
            asking.returned(question)
        elif asking.waiting and not asking.out:
            outbox.go_on()
        return True
