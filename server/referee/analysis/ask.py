"""What would another bot have answered? A recorded match played again, with one seat's questions put to a bot.

The bot gets the very questions that the seat got: the same views, legal moves, names, options and numbers, in the same
order. Whatever it answers, the recorded moves are played, so that the next question is again the recorded one. No clock
runs: the bot is told the time it would have, and may take as long as it likes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from referee.analysis.replay.recorded import AskedAgain, Forfeited, RecordedMatch, RejectedAnswer
from referee.match.chair import Chair
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending, Forfeit, Termination
from referee.rules.game import Seat, Unreadable, WrongUse
from referee.rules.record import read_moves
from referee.rules.spelling import SHOWN, printable

BARE = "record"
"""What a match is called whose record has no name for it."""
RECONNECTED = "reconnected"
"""Why a question was put again under the same number; for any other reason it got a new one."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One question, what the seat answered in the match, and what the bot answers now."""

    decision: int
    """The number of the decision in the match, from 0, as in a replay."""
    legal: tuple[str, ...]
    """The moves that were listed."""
    played: str | None
    """The seat's first answer in the match, even if it was rejected; None: it gave none and forfeited."""
    answer: str
    illegal: str
    """Why the answer would have been rejected; empty if it is a legal move."""
    seconds: float
    """How long the bot took."""
    same: bool


def questions_of(recorded: RecordedMatch, seat: Seat) -> list[int]:
    """The decisions at which a seat was asked, up to the one at which it forfeited."""
    if not 0 <= seat < recorded.players:
        raise WrongUse(f"there is no seat {seat}: the match has the seats 0 to {recorded.players - 1}")
    forfeit = _forfeit_of(recorded, seat)
    last = recorded.decisions if forfeit is None else forfeit.decision
    record = recorded.record
    state = recorded.game.start(record.players, record.options, bytes.fromhex(record.seed))
    found = []
    for number, text in enumerate(record.moves):
        if number > last:
            break
        if seat in state.pending():
            found.append(number)
        state.play(read_moves(state, text))
    return found


class Interview(Match):
    """A recorded match in which one seat is asked anew. `start` it; it is over when `on_over` is called."""

    def __init__(
        self,
        recorded: RecordedMatch,
        seat: Seat,
        bot: Player,
        control: TimeControl,
        *,
        only: int | None = None,
        on_reply: Callable[[Reply], object] = lambda reply: None,
        on_over: Callable[[], object] = lambda: None,
    ) -> None:
        """`control` is what the bot is told about its time. `only` is the one decision that it is asked about."""
        self.replies: list[Reply] = []
        self.trouble: Forfeit | None = None
        """Why the bot cannot be asked any further: it crashed, resigned, or said three times what is no answer."""
        self._recorded = recorded
        self._asked_seat = seat
        self._only = only
        self._on_reply = on_reply
        self._on_over = on_over
        self._script: deque[Question] = deque()
        """Questions that the record answers."""
        self._own = [0] * recorded.players
        """How many answers each seat has given."""
        self._going_on = False
        players: list[Player] = [_Scripted(name, self._script.append) for name in recorded.names]
        players[seat] = _Gate(bot, self._is_wanted, self._script.append)
        tournament = recorded.match.rpartition("/")[0]
        super().__init__(
            recorded.match or BARE,
            recorded.game,
            players,
            recorded.record.options,
            bytes.fromhex(recorded.record.seed),
            control,
            finished=self._finished_now,
            tournament="" if tournament == "practice" else tournament,
        )

    @property
    def names(self) -> list[str]:
        return list(self._recorded.names)

    def start(self) -> None:
        super().start()
        self._go_on()

    def answer(self, seat: Seat, number: int, text: str, now: float, unreadable: str = "") -> bool:
        """The bot's answer is noted, and what the seat answered in the match is played."""
        chair = self._chairs[seat]
        question = chair.question
        expected = question is not None and question.number == number and chair.put and not unreadable
        if seat != self._asked_seat or self.ending is not None or not expected:
            return super().answer(seat, number, text, chair.sent_at or now, unreadable)
        assert question is not None
        self._note(question, text, now - (chair.sent_at or now))
        chair.used = 0.0
        played = self._play_recorded(question)
        self._go_on()
        return played

    def forfeit(self, seat: Seat, termination: Termination, text: str) -> None:
        """The bot will not answer any more: it is not asked any further. Others forfeit as they did in the match."""
        if seat != self._asked_seat:
            super().forfeit(seat, termination, text)
        elif self.trouble is None and self.ending is None:
            self.trouble = Forfeit(termination, text, self.table.decisions)
            self.break_off(text)

    def _ask(self, seat: Seat, chair: Chair, again: bool = False) -> None:
        """Under the number that the question had in the match."""
        for one in self._recorded.incidents:
            if isinstance(one, AskedAgain) and (one.decision, one.seat) == (self.table.decisions, seat):
                self._number += one.why != RECONNECTED
        super()._ask(seat, chair, again)

    def _is_wanted(self) -> bool:
        return self._only is None or self._only == self.table.decisions

    # What the record says.

    def _go_on(self) -> None:
        """Play what is recorded, up to the next question for the bot."""
        if self._going_on:
            return
        self._going_on = True
        try:
            while self.ending is None:
                self._forfeit_the_absent()
                if not self._script:
                    return
                question = self._script.popleft()
                if question.open:
                    self._play_recorded(question)
        finally:
            self._going_on = False

    def _forfeit_the_absent(self) -> None:
        """Seats that forfeited while others were asked."""
        for one in self._recorded.incidents:
            if not isinstance(one, Forfeited) or one.decision > self.table.decisions:
                continue
            if one.seat not in self.table.pending():
                self._forfeit_as_recorded(one)

    def _forfeit_as_recorded(self, one: Forfeited) -> None:
        super().forfeit(one.seat, Termination.of_word(one.termination), one.text)

    def _play_recorded(self, question: Question) -> bool:
        """The answer of the record; where the seat gave none, its forfeit."""
        seat, chair = question.seat, self._chairs[question.seat]
        forfeit = _forfeit_of(self._recorded, seat)
        times = None if self._recorded.times_ms is None else self._recorded.times_ms[seat]
        own = self._own[seat]
        if forfeit is not None and times is not None and own >= len(times):
            self._forfeit_as_recorded(forfeit)
            return False
        self._own[seat] += 1
        question.left(0.0)
        used = times[own] / 1000 if times is not None and own < len(times) else 0.0
        used = min(used, 0.999 * (self.control.limit + chair.bank))  # it was in time, whatever is told here
        state = self.table.state
        move = read_moves(state, self._recorded.record.moves[self.table.decisions])[seat]
        return super().answer(seat, question.number, state.format(move), (chair.sent_at or 0.0) + used)

    # What the bot says.

    def _note(self, question: Question, text: str, seconds: float) -> None:
        state, seat, decision = self.table.state, question.seat, self.table.decisions
        try:
            move = state.parse(text)
            rejection = state.check(seat, move)
            answer = text if rejection else state.format(move)
            illegal = rejection.message if rejection else ""
        except Unreadable as error:
            answer, illegal = text, str(error)
        played = self._first_answer(seat, decision)
        rejected = played is not None and played[1]
        same = played is not None and (printable(text, SHOWN) if rejected else answer) == played[0]
        legal = tuple(question.legal)
        reply = Reply(decision, legal, played[0] if played else None, printable(answer, 500), illegal, seconds, same)
        self.replies.append(reply)
        self._on_reply(reply)

    def _first_answer(self, seat: Seat, decision: int) -> tuple[str, bool] | None:
        """What the seat answered first, and whether that was rejected."""
        for one in self._recorded.incidents:
            here = (one.decision, one.seat) == (decision, seat)
            if here and isinstance(one, RejectedAnswer) and one.kind in ("illegal", "unreadable"):
                return one.move, True
        times = self._recorded.times_ms
        if times is not None and self._own[seat] >= len(times[seat]) and _forfeit_of(self._recorded, seat) is not None:
            return None
        state = self.table.state
        return state.format(read_moves(state, self._recorded.record.moves[decision])[seat]), False

    def _finished_now(self, match: Match, ending: Ending) -> None:
        self.announce()
        self._on_over()


class _Scripted:
    """A seat whose moves are recorded."""

    wants_legal = False

    def __init__(self, name: str, asked: Callable[[Question], object]) -> None:
        self.name = name
        self._asked = asked

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None:
        self._asked(question)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class _Gate:
    """The seat of the bot: it is asked what is wanted, and the record answers the rest."""

    def __init__(self, bot: Player, wanted: Callable[[], bool], otherwise: Callable[[Question], object]) -> None:
        self.name = bot.name
        self.wants_legal = bot.wants_legal
        self.started = bot.started
        self.rejected = bot.rejected
        self.ended = bot.ended
        self._bot = bot
        self._wanted = wanted
        self._otherwise = otherwise

    def ask(self, question: Question) -> None:
        (self._bot.ask if self._wanted() else self._otherwise)(question)


@dataclass(frozen=True, slots=True)
class Findings:
    """What the answers tell about the bot, compared with those of the seat."""

    asked: int
    otherwise: int
    deterministic: bool | None
    """Whether it answered alike both times; None: it was asked only once, or not everything."""
    same_bot: bool | None
    """Whether it is the bot that played, as far as these questions tell; None: that cannot be told."""

    @classmethod
    def of(cls, replies: list[Reply], again: list[Reply] | None, complete: bool) -> Findings:
        """`again` are its answers when it was asked a second time; `complete`: it was asked everything."""
        otherwise = sum(not reply.same for reply in replies)
        if not complete or (again is not None and len(again) != len(replies)):
            return cls(len(replies), otherwise, None, None)
        if otherwise == 0:
            return cls(len(replies), 0, None, True)
        if again is None:
            return cls(len(replies), otherwise, None, None)
        alike = all(one.answer == other.answer for one, other in zip(replies, again, strict=True))
        return cls(len(replies), otherwise, alike, False if alike else None)


def _forfeit_of(recorded: RecordedMatch, seat: Seat) -> Forfeited | None:
    forfeits: Iterator[Forfeited] = (one for one in recorded.incidents if isinstance(one, Forfeited))
    return next((one for one in forfeits if one.seat == seat), None)
