"""One match: asks players, judges their answers, keeps their clocks, and ends with a result whatever they do.

The match is driven from outside (`start`, `sent`, `answer`, `tick`, …) and talks back through its players' port. It
never waits, never reads a clock and never raises on anything a bot does. Rejected answers change nothing; three
strikes, an empty bank, a lost connection beyond the grace, a crash or a resignation forfeit the seat, which the
referee then plays on with the game's `fallback`, so that the others keep their match. A game that fails in the midst
of a match makes it void: that is no bot's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.match.clock import Lag, TimeControl
from referee.match.player import Player, Question, Rejected, RejectionKind, shorten
from referee.match.result import Ending, Forfeit, Termination, judge, void
from referee.match.transcript import Transcript
from referee.rules.game import Game, Rejection, Seat
from referee.rules.table import Table
from referee.rules.views import wire_of

LONGEST_MOVE = 4096
MOST_VOIDS = 3
"""How often one decision is asked again because the referee was late; then it is judged by the time that remains."""
MOST_EVENTS = 1000
MOST_QUEUED = 10.0
"""Seconds in all of a match that a bot may have waited to be let in without using up its grace: who makes others queue
does not gain more than that by it."""


class _Chair:
    """A seat with its player, its clock and the question before it."""

    __slots__ = (
        "answered",
        "away_since",
        "bank",
        "forfeit",
        "grace",
        "player",
        "put",
        "question",
        "queued_left",
        "sent_at",
        "strikes",
        "used",
        "voids",
        "withdrawn",
    )

    def __init__(self, player: Player, control: TimeControl) -> None:
        self.player = player
        self.bank = control.bank
        self.grace = control.grace
        self.queued_left = MOST_QUEUED
        self.strikes = 0
        self.forfeit: Forfeit | None = None
        self.away_since: float | None = None
        self.answered: set[int] = set()
        self.withdrawn: set[int] = set()
        # Of the present question:
        self.question: Question | None = None
        self.put = False  # it has been on its way, now or on a stream that broke
        self.sent_at: float | None = None
        self.used = 0.0  # before its last sending
        self.voids = 0


class Match:
    """A match between players under a time control."""

    def __init__(
        self,
        id: str,
        game: Game[Any],
        players: Sequence[Player],
        options: Mapping[str, Any],
        seed: bytes,
        control: TimeControl | None = None,
        *,
        lag: Lag | None = None,
        finished: Callable[[Match, Ending], object] | None = None,
        moved: Callable[[Match], object] | None = None,
        tournament: str = "",
    ) -> None:
        """`options` are resolved. `finished` is called with the ending before any player hears of it, and tells them
        through `announce`; without it they hear at once. `moved` is called after every decision that was played.
        """
        self.id = id
        self.game = game
        self.options = options
        self.seed = seed
        self.control = control or TimeControl()
        self.tournament = tournament
        self.table = Table(game, len(players), options, seed)
        self.view_type, self.view_descriptor = wire_of(game, self.table.state)
        self.transcript = Transcript(len(players))
        self.ending: Ending | None = None
        self.failure: Exception | None = None
        """What the game raised, if that is why the match is void."""
        self.deadline: float | None = None
        """The next moment at which `tick` has something to do."""
        self._lag = lag or Lag()
        self._finished = finished
        self._moved = moved
        self._chairs = [_Chair(player, self.control) for player in players]
        self._forfeits: dict[Seat, Forfeit] = {}
        self._number = 0
        self._advancing = False

    @property
    def names(self) -> list[str]:
        return [chair.player.name for chair in self._chairs]

    @property
    def players(self) -> list[Player]:
        return [chair.player for chair in self._chairs]

    def record(self) -> bytes:
        """The transcript of a match that is over."""
        assert self.ending is not None
        return self.transcript.to_bytes(self.id, self.names, self.table.record(), self.ending)

    # What drives a match.

    def start(self) -> None:
        """Seat the players and ask the first question."""
        self._advancing = True  # nobody is asked before all are seated, whatever a player does when it is
        for seat, chair in enumerate(self._chairs):
            chair.player.started(self, seat)
        self._advancing = False
        self._advance()

    def sent(self, seat: Seat, number: int, now: float) -> None:
        """The question is on its way: the clock starts."""
        chair = self._chairs[seat]
        question = chair.question
        if question is None or question.number != number or chair.away_since is not None:
            return
        if chair.sent_at is None:
            chair.put = True
            self._start_clock(chair, now)

    def answer(self, seat: Seat, number: int, text: str, now: float, unreadable: str = "") -> bool:
        """An answer arrived at `now`; whether it was accepted.

        `unreadable` says what is wrong with one that did not even hold a move.
        """
        chair = self._chairs[seat]
        if self.ending is not None or chair.forfeit is not None:
            self._reject(seat, number, RejectionKind.LATE, "late", self._why_late(chair), text, strike=False)
            return False
        question = chair.question
        if question is None or question.number != number or not chair.put:
            self._refuse_number(seat, number, text)
            return False
        used, lag = self._thought(chair, now)
        if lag > Lag.VOID_AFTER:  # the referee cannot tell how long it took: it is here, and costs no more than that
            used = min(used, self.control.limit)
        if used > self.control.limit + chair.bank:
            self.forfeit(seat, Termination.TIMEOUT, self._out_of_time(used))
            self._reject(seat, number, RejectionKind.LATE, "late", self._why_late(chair), text, strike=False)
            return False
        try:
            if unreadable:
                rejection: Rejection | None = Rejection("unreadable", unreadable)
            else:
                rejection = self.table.offer(seat, text) if len(text) <= LONGEST_MOVE else _TOO_LONG
        except Exception as error:  # noqa: BLE001 - a game may be anybody's; its failure is not the bot's
            self._fail(error)
            return False
        if rejection is not None:
            kind = RejectionKind.UNREADABLE if rejection.code == "unreadable" else RejectionKind.ILLEGAL
            self._reject(seat, number, kind, rejection.code, rejection.message, text)
            return False
        if used > self.control.limit:
            chair.bank = max(0.0, chair.bank + self.control.limit - used)
        chair.question = None
        chair.sent_at = None
        chair.answered.add(number)
        self.transcript.moved(seat, used)
        if not self.table.sealed:
            if self._moved is not None:
                self._moved(self)
            self._advance()
        return True

    def is_asked(self, seat: Seat, number: int) -> bool:
        """Whether this very question still awaits its answer."""
        question = self._chairs[seat].question
        return question is not None and question.number == number

    def resign(self, seat: Seat, text: str = "") -> None:
        self.forfeit(seat, Termination.RESIGNED, text or "resigned")

    def forfeit(self, seat: Seat, termination: Termination, text: str) -> None:
        """This seat will not play on; the referee plays it to the end."""
        chair = self._chairs[seat]
        if chair.forfeit is not None or self.ending is not None:
            return
        chair.forfeit = self._forfeits[seat] = Forfeit(termination, text, self.table.decisions)
        self.transcript.forfeited(seat, self.table.decisions, chair.forfeit)
        chair.question = None
        chair.sent_at = None
        self._advance()

    def away(self, seat: Seat, now: float) -> None:
        """The connection to this seat's bot is lost: its clock stops and its grace runs."""
        chair = self._chairs[seat]
        if chair.away_since is not None or chair.forfeit is not None or self.ending is not None:
            return
        chair.away_since = now
        if chair.question is not None and chair.sent_at is not None:
            used, lag = self._thought(chair, now)
            chair.used = used if lag <= Lag.VOID_AFTER else min(used, self.control.limit)
            chair.sent_at = None
        self.deadline = now + chair.grace if self.deadline is None else min(self.deadline, now + chair.grace)

    def back(self, seat: Seat, now: float, waited: float = 0.0) -> None:
        """The bot is there again, and is asked again what it was being asked.

        The grace is for being away, not for thinking: the clock of a question that the bot has seen runs again from
        this moment, wherever the repeated question stands in a queue. `waited` is how long the referee itself took to
        let the bot in, which costs it nothing; nor does the time it may have stood in a queue before that.
        """
        chair = self._chairs[seat]
        if self.ending is not None or chair.away_since is None:
            return
        queued = self._queued(chair, now)
        chair.queued_left -= queued
        ours = max(waited + queued, self._lag.between(chair.away_since, now))
        chair.grace -= max(0.0, now - chair.away_since - ours)
        chair.away_since = None
        if chair.forfeit is None and chair.grace < 0:
            self.forfeit(seat, Termination.DISCONNECT, self._gone())
        elif chair.question is not None:
            chair.question.again = chair.question.running = chair.put
            chair.question.budget = max(0.0, self.control.limit - chair.used)
            chair.question.bank = chair.bank - max(0.0, chair.used - self.control.limit)
            if len(self.transcript.events) < MOST_EVENTS:
                self.transcript.asked_again(seat, self.table.decisions, "reconnected")
            if chair.put:
                self._start_clock(chair, now)
            chair.player.ask(chair.question)

    def tick(self, now: float) -> None:
        """See whether somebody's time is up."""
        if self.ending is not None or self.deadline is None or now < self.deadline:
            return
        for seat, chair in enumerate(self._chairs):
            if chair.forfeit is not None:
                continue
            if chair.away_since is not None:
                ours = max(self._queued(chair, now), self._lag.between(chair.away_since, now))
                if now - chair.away_since - ours > chair.grace:
                    self.forfeit(seat, Termination.DISCONNECT, self._gone())
            elif chair.sent_at is not None:
                used, lag = self._thought(chair, now)
                allowed = self.control.limit + chair.bank
                if lag > Lag.VOID_AFTER and used + lag > allowed and chair.voids < MOST_VOIDS:
                    self._ask_again(seat, "the referee was late")
                elif used > allowed:
                    self.forfeit(seat, Termination.TIMEOUT, self._out_of_time(used))
            if self.ending is not None:
                return
        self._set_deadline(now)

    def break_off(self, text: str) -> None:
        """End without a result; nobody is to blame."""
        if self.ending is None:
            self._end(void(self._scores(), text))

    def announce(self) -> None:
        """Tell the players how it ended; called once the result is stored."""
        assert self.ending is not None
        for chair in self._chairs:
            chair.player.ended(self, self.ending)

    # How it goes on.

    def _advance(self) -> None:
        """Play forfeited seats and ask the others, until somebody has to think or the match is over."""
        if self._advancing or self.ending is not None:
            return
        self._advancing = True
        try:
            state = self.table.state
            while (result := state.result()) is None:
                if self._is_waiting():
                    return
        except Exception as error:  # noqa: BLE001 - a game may be anybody's; its failure is no bot's doing
            self._fail(error)
            return
        finally:
            self._advancing = False
        self._end(judge(result, self._forfeits))

    def _is_waiting(self) -> bool:
        """Play for the forfeited seats of the present decision and ask the others; False: look again."""
        table, chairs, forfeits = self.table, self._chairs, self._forfeits
        pending = table.pending()
        if forfeits:
            before = table.decisions
            for seat in pending:
                if seat in forfeits:
                    table.put(seat, table.state.fallback(seat))
            if table.decisions != before:
                self._tell_moved()
                return False
        for seat in pending:
            chair = chairs[seat]
            if chair.question is None and chair.forfeit is None:
                self._ask(seat, chair)
        # A player may forfeit or break off even while it is being asked.
        return self.ending is not None or not forfeits or forfeits.keys().isdisjoint(table.pending())

    def _ask(self, seat: Seat, chair: _Chair, again: bool = False) -> None:
        state = self.table.state
        self._number += 1
        chair.used = 0.0
        chair.sent_at = None
        chair.put = False
        chair.voids = chair.voids + 1 if again else 0
        if chair.player.wants_legal:
            legal = state.legal(seat)
            moves, complete = [state.format(move) for move in legal.moves], legal.complete
        else:
            moves, complete = [], False
        chair.question = question = Question(
            self,
            seat,
            self._number,
            state.view_bytes(seat),
            moves,
            complete,
            self.control.limit,
            chair.bank,
            again,
        )
        if chair.away_since is None:
            chair.player.ask(question)

    def _ask_again(self, seat: Seat, why: str) -> None:
        """Withdraw the present question and put it anew under another number, with a fresh clock."""
        chair = self._chairs[seat]
        assert chair.question is not None
        chair.withdrawn.add(chair.question.number)
        self.transcript.asked_again(seat, self.table.decisions, why)
        self._ask(seat, chair, again=True)

    def _fail(self, error: Exception) -> None:
        if self.ending is None:
            self.failure = error
            self._end(void(self._scores(), f"{self.game.name} failed; the host finds the reason in the log"))

    def _scores(self) -> list[int]:
        try:
            return self.table.state.scores()
        except Exception:  # noqa: BLE001 - the game has failed already, most likely
            return [0] * len(self._chairs)

    def _end(self, ending: Ending) -> None:
        self.ending = ending
        self.deadline = None
        for chair in self._chairs:
            chair.question = None
            chair.sent_at = None
        if self._finished is None:
            self.announce()
        else:
            self._finished(self, ending)

    def _tell_moved(self) -> None:
        if self._moved is not None:
            self._moved(self)

    def _set_deadline(self, now: float) -> None:
        """The earliest moment at which somebody's time could be up, not before a heartbeat from now."""
        due = [moment for chair in self._chairs if (moment := self._due(chair)) is not None]
        self.deadline = max(min(due), now + self._lag.interval) if due else None

    def _due(self, chair: _Chair) -> float | None:
        if chair.forfeit is not None:
            return None
        if chair.away_since is not None:
            return chair.away_since + chair.grace
        if chair.sent_at is not None:
            return chair.sent_at + self.control.limit - chair.used + chair.bank
        return None

    # Clocks.

    def _start_clock(self, chair: _Chair, now: float) -> None:
        """The clock of the present question runs from now on, with what was used of it before."""
        chair.sent_at = now
        due = now + self.control.limit - chair.used + chair.bank
        if self.deadline is None or due < self.deadline:
            self.deadline = due

    def _thought(self, chair: _Chair, now: float) -> tuple[float, float]:
        """Seconds of thought on the present question without the referee's own lag, and that lag."""
        if chair.sent_at is None:
            return chair.used, 0.0
        lag = self._lag.between(chair.sent_at, now)
        return chair.used + now - chair.sent_at - lag, lag

    def _queued(self, chair: _Chair, now: float) -> float:
        """How much of its absence a bot may have stood before our door."""
        assert chair.away_since is not None
        return min(self._lag.admission, chair.queued_left, now - chair.away_since)

    def _out_of_time(self, used: float) -> str:
        return f"no answer in time: {used:.2f} s used, {self.control.limit:g} s allowed and the bank is empty"

    def _gone(self) -> str:
        return f"the connection was lost for more than {self.control.grace:g} s of this match"

    # Judging.

    def _refuse_number(self, seat: Seat, number: int, text: str) -> None:
        """An answer to another question than the present one."""
        chair = self._chairs[seat]
        if number in chair.withdrawn:
            self._reject(seat, number, RejectionKind.STALE, "stale", _STALE, text, strike=False)
        elif number in chair.answered:
            self._reject(seat, number, RejectionKind.DUPLICATE, "duplicate", _DUPLICATE, text)
        else:
            self._reject(seat, number, RejectionKind.OUT_OF_TURN, "out_of_turn", _OUT_OF_TURN, text)

    def _reject(
        self, seat: Seat, number: int, kind: RejectionKind, code: str, message: str, text: str, strike: bool = True
    ) -> None:
        chair = self._chairs[seat]
        if strike:
            chair.strikes += 1
            self.transcript.seats[seat].strikes += 1
        left = max(0, self.control.strikes - chair.strikes)
        rejected = Rejected(number, kind, code, shorten(message, 500), shorten(text), left)
        if len(self.transcript.events) < MOST_EVENTS:
            self.transcript.rejected(seat, self.table.decisions, rejected)
        chair.player.rejected(self, rejected)
        if strike and left == 0:
            last = f"{rejected.move!r}: {shorten(message, 200)}"
            self.forfeit(seat, Termination.ILLEGAL, f"{chair.strikes} rejected moves; the last, {last}")

    def _why_late(self, chair: _Chair) -> str:
        if chair.forfeit is None:
            return "the match is over"
        how = chair.forfeit.termination.value
        return f"this seat has forfeited the match ({how}) and is played on by the referee"


_DUPLICATE = "this question has been answered already"
_STALE = "this question is no longer open; answer the one with the latest number"
_OUT_OF_TURN = "this question was not put to you; wait for a Decide and answer with its number"
_TOO_LONG = Rejection("unreadable", "the move is longer than 4096 characters, as no move is")
