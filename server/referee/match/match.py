"""Match: the state machine that asks players, judges their answers, keeps their clocks, and ends with a result.

It is driven from outside (`start`, `answer`, `tick`, …) and talks back through its players' port. It never waits, never
reads a clock and never raises on anything a bot does. Rejected answers change nothing. Three strikes, an empty bank, a
lost connection beyond the grace, a crash or a resignation forfeit the seat. The referee then plays it on with
`fallback` of the game, so that the others keep their match. A game that fails makes the match void, whether it fails in
the midst of it or at the start: that is no bot's doing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from referee.chain_head import ChainHead
from referee.match.chair import Chair
from referee.match.clock import Deadline, Lag, TimeControl
from referee.match.player import Player, Question, Rejected, RejectionKind
from referee.match.result import Ending, Forfeit, Termination, judge, void
from referee.match.transcript import Transcript
from referee.match.unstarted import Unstarted
from referee.rules.game import Game, Rejection, Seat, WrongUse
from referee.rules.spelling import SHOWN, printable
from referee.rules.table import Table
from referee.rules.views import JSON, view_format_of

MOST_LEGAL = 10_000
"""Moves that a question lists at most; bots may rely on it."""
LONGEST_MOVE = 4096
MOST_VOIDS = 3
"""How often one decision is asked again because the referee was late; then it is judged by the time that remains."""
MOST_EVENTS = 1000


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
        announced: Callable[[Match], object] | None = None,
        tournament: str = "",
        nonces: bytes = b"",
        attempt: int = 0,
    ) -> None:
        """`options` are resolved. `finished` is called with the ending before any player hears of it, and tells them
        through `announce`; without it they hear at once. `moved` is called after every decision that was played, and
        `announced` when all players have been told. `nonces` is the digest of the entrants' nonces that went into the
        seed, and `attempt` how often the match was dealt, both of which the players are told.
        """
        self.id = id
        self.game = game
        self.options = options
        self.seed = seed
        self.control = control or TimeControl()
        self.tournament = tournament
        self.nonces = nonces
        self.attempt = attempt
        self.head: ChainHead | None = None
        """The head of the hash chain that holds the result, once it is stored."""
        self.failure: Exception | None = None
        """What the game raised, if that is why the match is void."""
        try:
            self.table = Table(game, len(players), options, seed)
            self.view_type, self.view_descriptor = view_format_of(game, self.table.state)
        except Exception as error:  # noqa: BLE001 - a game may be a third party's; the match ends when it is started
            self.failure = error
            self.table = Table(game, len(players), options, seed, state=Unstarted(len(players)))
            self.view_type, self.view_descriptor = JSON, b""
        self.transcript = Transcript(len(players))
        self.ending: Ending | None = None
        self._deadline = Deadline()
        self._lag = lag or Lag()
        self._finished = finished
        self._moved = moved
        self._announced = announced
        self._is_announced = False
        self._chairs = [Chair(player, self.control, self._lag, self._deadline) for player in players]
        self._forfeits: dict[Seat, Forfeit] = {}
        self._number = 0
        self._advancing = False

    @property
    def deadline(self) -> float | None:
        """The next moment at which `tick` has something to do."""
        return self._deadline.moment

    @property
    def outcome(self) -> Ending | None:
        """How it ended, as soon as others than its players may hear of it: once the result is stored."""
        return self.ending if self._is_announced or (self.ending is not None and self.ending.void) else None

    @property
    def names(self) -> list[str]:
        return [chair.player.name for chair in self._chairs]

    @property
    def moves(self) -> Sequence[str]:
        """The decisions that have been played, in the notation of records; not to be changed."""
        return self.table.moves

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
        self._advancing = True  # no seat is asked before all are seated, whatever a player does when it is
        for seat, chair in enumerate(self._chairs):
            chair.player.started(self, seat)
        self._advancing = False
        if self.failure is not None:
            self._fail(self.failure, str(self.failure) if isinstance(self.failure, WrongUse) else "")
        self._advance()

    def sent(self, seat: Seat, number: int, now: float) -> None:
        """The question of this number is on its way: its clock starts. A player that holds it says `question.left`."""
        question = self._chairs[seat].question
        if question is not None and question.number == number:
            question.left(now)

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
        used, lag = chair.thought(now)
        limit = self.control.limit
        if lag > Lag.VOID_AFTER:  # the referee cannot tell how long it took: it is here, and costs no more than that
            used = min(used, limit)
        if (used > limit or used > chair.left) and used > chair.allowed:
            self.forfeit(seat, Termination.TIMEOUT, self._out_of_time(chair, used))
            self._reject(seat, number, RejectionKind.LATE, "late", self._why_late(chair), text, strike=False)
            return False
        try:
            if unreadable:
                rejection: Rejection | None = Rejection("unreadable", unreadable)
            else:
                rejection = self.table.offer(seat, text) if len(text) <= LONGEST_MOVE else _TOO_LONG
        except Exception as error:  # noqa: BLE001 - a game may be a third party's; its failure is not the bot's
            self._fail(error)
            return False
        if rejection is not None:
            kind = RejectionKind.UNREADABLE if rejection.code == "unreadable" else RejectionKind.ILLEGAL
            self._reject(seat, number, kind, rejection.code, rejection.message, text, used=used)
            return False
        chair.spend(used)
        chair.close_question()
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
        chair.close_question()
        self._advance()

    def away(self, seat: Seat, now: float) -> None:
        """The connection to this seat's bot is lost: its clock stops and its grace runs."""
        chair = self._chairs[seat]
        if chair.away_since is not None or chair.forfeit is not None or self.ending is not None:
            return
        chair.leave(now)

    def back(self, seat: Seat, now: float, waited: float = 0.0) -> None:
        """The bot is there again, and is asked again what it was being asked.

        The grace is for being away, not for thinking: the clock of a question that the bot has seen runs again from
        this moment, wherever the repeated question stands in a queue. `waited` is how long the referee itself took to
        let the bot in, which costs it nothing; nor does the time it may have stood in a queue before that.
        """
        chair = self._chairs[seat]
        if self.ending is not None or chair.away_since is None:
            return
        chair.come_back(now, waited)
        if chair.forfeit is None and chair.patience < 0:
            self.forfeit(seat, Termination.DISCONNECT, self._gone(chair))
        elif chair.question is not None:
            chair.question.again = chair.question.running = chair.put
            chair.question.budget, chair.question.bank = chair.remaining(chair.used)
            if len(self.transcript.events) < MOST_EVENTS:
                self.transcript.asked_again(seat, self.table.decisions, "reconnected")
            if chair.put:
                chair.question.left(now)
            chair.player.ask(chair.question)

    def tick(self, now: float) -> None:
        """See whether the time of a seat is up."""
        if self.ending is not None or self.deadline is None or now < self.deadline:
            return
        for seat, chair in enumerate(self._chairs):
            if chair.forfeit is not None:
                continue
            if chair.away_since is not None:
                ours = max(chair.queued(now), self._lag.between(chair.away_since, now))
                if now - chair.away_since - ours > chair.patience:
                    self.forfeit(seat, Termination.DISCONNECT, self._gone(chair))
            elif chair.sent_at is not None:
                used, lag = chair.thought(now)
                allowed = chair.allowed
                if lag > Lag.VOID_AFTER and used + lag > allowed and chair.voids < MOST_VOIDS:
                    self._ask_again(seat, "the referee was late")
                elif used > allowed:
                    self.forfeit(seat, Termination.TIMEOUT, self._out_of_time(chair, used))
            if self.ending is not None:
                return
        self._set_deadline(now)

    def break_off(self, text: str) -> None:
        """End without a result; no bot is to blame."""
        if self.ending is None:
            self._end(void(self._scores(), text))

    def final_view(self, seat: Seat) -> bytes:
        """What the seat may know now that the match is over; empty if it was broken off."""
        if self.ending is None or self.ending.void:
            return b""
        try:
            return self.table.state.view_bytes(seat)
        except Exception:  # noqa: BLE001 - a game may be a third party's; the result stands without the view
            return b""

    def stored(self, head: ChainHead) -> None:
        """The result is stored; the players are told the head of its hash chain when they are told of the end."""
        self.head = head

    def announce(self) -> None:
        """Tell the players how it ended; called once the result is stored."""
        assert self.ending is not None
        for chair in self._chairs:
            chair.player.ended(self, self.ending)
        self._is_announced = True
        if self._announced is not None:
            self._announced(self)

    # How it goes on.

    def _advance(self) -> None:
        """Play forfeited seats and ask the others, until a bot has to think or the match is over."""
        if self._advancing or self.ending is not None:
            return
        self._advancing = True
        try:
            state = self.table.state
            while (result := state.result()) is None:
                if self._is_waiting():
                    return
        except Exception as error:  # noqa: BLE001 - a game may be a third party's; its failure is no bot's doing
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

    def _ask(self, seat: Seat, chair: Chair, again: bool = False) -> None:
        state = self.table.state
        self._number += 1
        chair.used = 0.0
        chair.sent_at = None
        chair.put = False
        chair.voids = chair.voids + 1 if again else 0
        if chair.player.wants_legal:
            legal = state.legal(seat)
            moves, complete = [state.format(move) for move in legal.moves], legal.complete
            if len(moves) > MOST_LEGAL:
                moves, complete = moves[:MOST_LEGAL], False
        else:
            moves, complete = [], False
        # Nearly always the bounds on the match as a whole are far away.
        budget, bank = self.control.limit, chair.bank
        if bank > chair.slack or budget + bank > chair.left:
            budget, bank = chair.remaining(0.0)
        chair.question = question = Question(
            self,
            seat,
            self._number,
            state.view_bytes(seat),
            moves,
            complete,
            budget,
            bank,
            again,
            chair=chair,
        )
        if chair.away_since is None:
            chair.player.ask(question)

    def _ask_again(self, seat: Seat, why: str) -> None:
        """Withdraw the present question and put it anew under another number, with a fresh clock."""
        chair = self._chairs[seat]
        assert chair.question is not None
        chair.withdrawn.add(chair.question.number)
        chair.question.open = False
        self.transcript.asked_again(seat, self.table.decisions, why)
        self._ask(seat, chair, again=True)

    def _fail(self, error: Exception, why: str = "") -> None:
        if self.ending is None:
            self.failure = error
            why = why or f"{self.game.name} failed; the host finds the reason in the log"
            self._end(void(self._scores(), why))

    def _scores(self) -> list[int]:
        try:
            return self.table.state.scores()
        except Exception:  # noqa: BLE001 - the game has failed already, most likely
            return [0] * len(self._chairs)

    def _end(self, ending: Ending) -> None:
        self.ending = ending
        self._deadline.moment = None
        for chair in self._chairs:
            chair.close_question()
        if self._finished is None:
            self.announce()
        else:
            self._finished(self, ending)

    def _tell_moved(self) -> None:
        if self._moved is not None:
            self._moved(self)

    def _set_deadline(self, now: float) -> None:
        """The earliest moment at which the time of a seat could be up, not before a heartbeat from now."""
        due = [moment for chair in self._chairs if (moment := chair.due()) is not None]
        self._deadline.moment = max(min(due), now + self._lag.interval) if due else None

    def _out_of_time(self, chair: Chair, used: float) -> str:
        if used > self.control.limit + chair.slack and chair.slack < chair.bank:
            return f"no answer in time: {self._slack_used_up()}"
        if used <= self.control.limit + chair.bank:
            return f"no answer in time: the {self.control.total:g} s that a seat may take in all of a match are used up"
        return f"no answer in time: {used:.2f} s used, {self.control.limit:g} s allowed and the bank is empty"

    def _gone(self, chair: Chair) -> str:
        if chair.slack < min(chair.left, chair.grace):
            return f"the connection was lost, and {self._slack_used_up()}"
        if chair.left < chair.grace:
            return f"the connection was lost, and the {self.control.total:g} s that a seat may take in all are used up"
        return f"the connection was lost for more than {self.control.grace:g} s of this match"

    def _slack_used_up(self) -> str:
        return (
            f"the {self.control.slack:g} s that a seat may take in all beyond the {self.control.limit:g} s of each "
            "decision, thinking and away together, are used up"
        )

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
        self,
        seat: Seat,
        number: int,
        kind: RejectionKind,
        code: str,
        message: str,
        text: str,
        strike: bool = True,
        used: float | None = None,
    ) -> None:
        """Tell a bot that its answer counts for nothing; `used` is the thought so far on a question that stays open."""
        chair = self._chairs[seat]
        if strike:
            chair.strikes += 1
            self.transcript.seats[seat].strikes += 1
        left = max(0, self.control.strikes - chair.strikes)
        question = None
        if used is not None and left and chair.question is not None:
            budget, bank = chair.remaining(used)
            question = replace(chair.question, budget=budget, bank=bank, again=True)
        rejected = Rejected(number, kind, code, printable(message, 500), printable(text, SHOWN), left, question)
        if len(self.transcript.events) < MOST_EVENTS:
            self.transcript.rejected(seat, self.table.decisions, rejected)
        chair.player.rejected(self, rejected)
        if strike and left == 0:
            last = f"{rejected.move!r}: {printable(message, 200)}"
            self.forfeit(seat, Termination.ILLEGAL, f"{chair.strikes} rejected moves; the last, {last}")

    def _why_late(self, chair: Chair) -> str:
        if chair.forfeit is None:
            return "the match is over"
        how = chair.forfeit.termination.value
        return f"this seat has forfeited the match ({how}) and is played on by the referee"


_DUPLICATE = "this question has been answered already"
_STALE = "this question is no longer open: answer the one with the latest number"
_OUT_OF_TURN = "this question was not put to you: wait for a Decide and answer with its number"
_TOO_LONG = Rejection("unreadable", "the move is longer than 4096 characters, as no move is")
