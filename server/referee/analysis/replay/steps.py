"""A replay: the positions of a recorded match one by one, each worked out only when it is asked for.

Step n is the position in which decision n is asked, with what was answered; decisions are numbered from 0, as in the
record and in what `referee verify` says. The last step is the end, where nothing is asked. `Step.to_value` is the one
form in which a step leaves this package: `referee replay --json`, its page and the web page use it.

A match is followed from the nearest position that was kept on the way, so that going backwards costs little and a long
match does not have to be held as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from google.protobuf.message import Message

from referee.analysis.replay.perspective import REVEALED, Perspective
from referee.analysis.replay.recorded import AskedAgain, Forfeited, Incident, RecordedMatch, RejectedAnswer
from referee.rules.game import Seat, State, Unreadable
from referee.rules.record import read_moves
from referee.rules.views import View, pack, to_value

KEPT_EVERY = 32
"""Decisions between two positions that are kept."""
KEPT_STEPS = 64
"""Steps that are kept, for going back and forth."""
MOST_LEGAL = 200
"""Legal moves that a step lists; more of them are only counted."""
BOT, REFEREE = "bot", "referee"
LATE = "the referee was late"
"""Why a question was withdrawn and put again under another number, as `match/match.py` writes it."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line that a hosted bot wrote to stderr, while the decision of this number was open."""

    decision: int
    seat: Seat
    text: str
    shared: int = 1
    """How many matches the bot was playing at that moment: beyond one, the line may be about another of them."""


@dataclass(frozen=True, slots=True)
class RefusedAnswer:
    """A rejected answer, with the sentence that the bot was told as far as the rules tell it again."""

    kind: str
    code: str
    move: str
    message: str
    strike: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One seat at one decision: what it was asked, what it answered, and what went wrong."""

    seat: Seat
    name: str
    legal: tuple[str, ...]
    legal_total: int
    complete: bool
    """Whether the moves are all there were; False where they were suggestions or are too many to be listed."""
    answer: str
    question: int | None
    """The number of the question that the bot heard last, which SDKs call the decision; None where none was put."""
    by: str
    """`bot`, or `referee` for a seat that had forfeited."""
    ms: int | None
    """How long the answer took, without the referee's own lag; None where it is not known."""
    rejected: tuple[RefusedAnswer, ...] = ()
    forfeit: Forfeited | None = None
    asked_again: tuple[str, ...] = ()

    def to_value(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "name": self.name,
            "legal": list(self.legal),
            "legal_total": self.legal_total,
            "complete": self.complete,
            "answer": self.answer,
            "question": self.question,
            "by": self.by,
            "ms": self.ms,
            "rejected": [
                {"kind": one.kind, "code": one.code, "move": one.move, "message": one.message, "strike": one.strike}
                for one in self.rejected
            ],
            "forfeit": None
            if self.forfeit is None
            else {"termination": self.forfeit.termination, "text": self.forfeit.text},
            "asked_again": list(self.asked_again),
        }


@dataclass(frozen=True)
class Step:
    """One position of a match, and the decision that was taken in it."""

    match: RecordedMatch
    number: int
    _state: State[Any] = field(repr=False)
    _log: tuple[LogLine, ...] = field(default=(), repr=False)
    _notes: tuple[str, ...] = field(default=(), repr=False)
    _before: Mapping[Seat, int] = field(default_factory=dict, repr=False)
    """How many decisions each seat had been asked for before this one."""
    _questions: int = 0
    """How many questions had been put before."""

    @property
    def over(self) -> bool:
        """Whether this is the end of the match."""
        return self.number == self.match.decisions

    @property
    def scores(self) -> list[int]:
        return self._state.scores()

    @property
    def pending(self) -> tuple[Seat, ...]:
        return self._state.pending()

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """Every seat that was asked, and what came of it."""
        if self.over:
            return ()
        moves = read_moves(self._state, self.match.record.moves[self.number])
        numbers = questions(self.match, self.number, self._state.pending(), self._questions)
        return tuple(
            [self._asked(seat, self._state.format(moves[seat]), numbers.get(seat)) for seat in self._state.pending()]
        )

    @cached_property
    def besides(self) -> tuple[Incident, ...]:
        """What went wrong at this moment with seats that were not asked."""
        pending = self._state.pending()
        return tuple([one for one in self.match.at.get(self.number, ()) if one.seat not in pending])

    @property
    def hidden(self) -> dict[str, Any]:
        """What no view shows."""
        return self._state.hidden()

    @property
    def trouble(self) -> bool:
        """Whether something was rejected or forfeited here, or was marked as a mistake."""
        marked = any(not isinstance(one, AskedAgain) for one in self.match.at.get(self.number, ()))
        return marked or bool(self._notes)

    def view(self, seat: Seat | None) -> View:
        """What this seat, or (None) the public, was shown."""
        return self._state.view(seat)

    def viewers(self, perspective: Perspective) -> list[Seat | None]:
        """Whose views a perspective may see: all seats, where everything is revealed."""
        return list(range(self.match.players)) if perspective.revealed else [perspective.seat]

    def boards(self, perspective: Perspective) -> list[tuple[Seat | None, tuple[Seat, ...]]]:
        """The boards to draw so that everything is seen: whose view each is, and for which seats it stands.

        With everything revealed that is one for each view that says anything else than the others; in a game without
        secrets, one. A seat that is asked is drawn rather than another, and first.
        """
        if not perspective.revealed:
            return [(perspective.seat, () if perspective.seat is None else (perspective.seat,))]
        alike: dict[bytes, list[Seat]] = {}
        order = [*self.pending, *(seat for seat in range(self.match.players) if seat not in self.pending)]
        for seat in order:
            alike.setdefault(_without_viewer(self.view(seat)), []).append(seat)
        return [(seats[0], tuple(sorted(seats))) for seats in alike.values()]

    def waits_for(self, perspective: Perspective) -> list[Seat]:
        """The seats that are asked, as far as this perspective may know."""
        if perspective.revealed:
            return list(self.pending)
        asked = to_value(self.view(perspective.seat)).get("asked", [])
        return [seat for seat in asked if isinstance(seat, int)]

    def log(self, perspective: Perspective) -> list[LogLine]:
        """What hosted bots wrote to stderr meanwhile, as far as it was handed in and this perspective may know it."""
        return [line for line in self._log if perspective.knows(line.seat)]

    def notes(self, perspective: Perspective) -> list[str]:
        """Remarks on this decision that were handed in."""
        seats = self._state.pending()
        return list(self._notes) if perspective.revealed or perspective.seat in seats else []

    def told(self, seat: Seat | None) -> list[str]:
        """What happened since this seat's last decision (None: what the latest decision brought about), in words."""
        return self.match.game.told(self.view(seat), names=self.match.names)

    def to_value(self, perspective: Perspective = REVEALED, *, views: bool = True) -> dict[str, Any]:
        """The step as a JSON object, with nothing in it that this perspective could not know.

        Each of its `views` stands for the `seats` that see the same; of these it is the view of `seat`.
        """
        value: dict[str, Any] = {
            "number": self.number,
            "over": self.over,
            "waits_for": self.waits_for(perspective),
            "scores": self.scores,
            "asked": [one.to_value() for one in self.asked if perspective.knows(one.seat)],
            "besides": [_incident_value(one) for one in self.besides if perspective.knows(one.seat)],
            "notes": self.notes(perspective),
            "log": [{"seat": line.seat, "text": line.text, "shared": line.shared} for line in self.log(perspective)],
        }
        if views:
            value["views"] = [
                {"seat": seat, "seats": list(seats), "view": to_value(self.view(seat)), "events": self.told(seat)}
                for seat, seats in self.boards(perspective)
            ]
            if perspective.revealed:
                value["hidden"] = self.hidden
        return value

    def _asked(self, seat: Seat, answer: str, question: int | None) -> Asked:
        match, state = self.match, self._state
        legal = state.legal(seat)
        own = self._before.get(seat, 0)
        times = None if match.times_ms is None else match.times_ms[seat]
        incidents = [one for one in match.at.get(self.number, ()) if one.seat == seat]
        by_bot = match.by_bot(seat, self.number, own)
        return Asked(
            seat,
            match.names[seat],
            tuple([state.format(move) for move in legal.moves[:MOST_LEGAL]]),
            len(legal.moves),
            legal.complete,
            answer,
            question,
            BOT if by_bot else REFEREE,
            times[own] if times is not None and by_bot else None,
            tuple([self._refusal(one) for one in incidents if isinstance(one, RejectedAnswer)]),
            next((one for one in incidents if isinstance(one, Forfeited)), None),
            tuple([one.why for one in incidents if isinstance(one, AskedAgain)]),
        )

    def _refusal(self, one: RejectedAnswer) -> RefusedAnswer:
        return RefusedAnswer(one.kind, one.code, one.move, why_rejected(self._state, one), one.strike)


class Replay:
    """A recorded match, step by step: `replay[17]`, `len(replay)`, `for step in replay`."""

    def __init__(
        self, match: RecordedMatch, log: Sequence[LogLine] = (), notes: Mapping[int, Sequence[str]] | None = None
    ) -> None:
        """`log` is what hosted bots wrote, as far as the viewer may see it; `notes` are remarks on decisions."""
        self.match = match
        self._log: dict[int, list[LogLine]] = {}
        for line in log:
            self._log.setdefault(min(line.decision, match.decisions), []).append(line)
        self._notes = dict(notes or {})
        self._steps: dict[int, Step] = {}
        record = match.record
        start = match.game.start(record.players, record.options, bytes.fromhex(record.seed))
        self._kept: dict[int, tuple[State[Any], dict[Seat, int], int]] = {0: (start, {}, 0)}

    def __len__(self) -> int:
        """One step for every decision, and one for the end."""
        return self.match.decisions + 1

    def __getitem__(self, number: int) -> Step:
        """The step of that number; IndexError if there is none."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        step = self._steps.pop(number, None)
        if step is None:
            state, before, put = self._position(number)
            step = Step(
                self.match,
                number,
                state,
                tuple(self._log.get(number, ())),
                tuple(self._notes.get(number, ())),
                before,
                put,
            )
        self._steps[number] = step
        if len(self._steps) > KEPT_STEPS:
            del self._steps[next(iter(self._steps))]
        return step

    def __iter__(self) -> Iterator[Step]:
        return (self[number] for number in range(len(self)))

    @cached_property
    def troubles(self) -> list[int]:
        """The decisions at which something was rejected or forfeited, or that are marked as mistakes."""
        found = {one.decision for one in self.match.incidents if not isinstance(one, AskedAgain)} | set(self._notes)
        return sorted(number for number in found if 0 <= number < len(self))

    def trouble_after(self, number: int) -> int | None:
        """The next of these, or None."""
        return next((one for one in self.troubles if one > number), None)

    def trouble_before(self, number: int) -> int | None:
        """The one before, or None."""
        return next((one for one in reversed(self.troubles) if one < number), None)

    def header(self, perspective: Perspective = REVEALED) -> dict[str, Any]:
        """What is told of the match as a whole, as a JSON object; the seed and the forfeits were told at its end."""
        match = self.match
        return {
            "match": match.match,
            "game": match.record.game,
            "version": match.record.version,
            "title": match.game.title,
            "players": match.players,
            "names": list(match.names),
            "options": dict(match.record.options),
            "seed": match.record.seed,
            "decisions": match.decisions,
            "ending": match.ending.to_value(),
            "perspective": perspective.word,
        }

    def to_value(self, perspective: Perspective = REVEALED) -> dict[str, Any]:
        """The whole match as a JSON object: what is told of it, and every step."""
        return self.header(perspective) | {"steps": [step.to_value(perspective) for step in self]}

    def _position(self, number: int) -> tuple[State[Any], dict[Seat, int], int]:
        """The state before decision `number`, how often each seat was asked before, and how many questions were put.

        Nothing here will change this state.
        """
        nearest = max(kept for kept in self._kept if kept <= number)
        kept, counted, put = self._kept[nearest]
        state, before = kept.copy(), counted.copy()
        for played in range(nearest, number):
            if played % KEPT_EVERY == 0 and played not in self._kept:
                self._kept[played] = (state.copy(), before.copy(), put)
            pending = state.pending()
            for seat in pending:
                before[seat] = before.get(seat, 0) + 1
            put = max(questions(self.match, played, pending, put).values(), default=put)
            state.play(read_moves(state, self.match.record.moves[played]))
        return state, before, put


def questions(match: RecordedMatch, decision: int, pending: Sequence[Seat], before: int) -> dict[Seat, int]:
    """The number of the question that each of these seats heard last; `before` were put in the match before.

    Each question has a number of its own: those of a sealed decision are put seat by seat, one that is asked again
    because the referee was late gets a further one, and a seat that has forfeited is asked no more.
    """
    asked = [seat for seat in pending if match.forfeits.get(seat, decision) >= decision]
    numbers = {seat: before + place for place, seat in enumerate(asked, 1)}
    last = before + len(asked)
    for one in match.at.get(decision, ()):
        if isinstance(one, AskedAgain) and one.why == LATE and one.seat in numbers:
            last += 1
            numbers[one.seat] = last
    return numbers


def why_rejected(state: State[Any], one: RejectedAnswer) -> str:
    """The sentence about a rejected answer: the rules say it again, where the text was kept whole."""
    if one.kind in _SENTENCES:
        return _SENTENCES[one.kind]
    if one.move.endswith("…") or one.seat not in state.pending():
        return one.code.replace("_", " ")
    try:
        rejection = state.check(one.seat, state.parse(one.move))
    except Unreadable as error:
        return str(error)
    return one.code.replace("_", " ") if rejection is None else rejection.message


_SENTENCES = {
    "duplicate": "this question had been answered already",
    "stale": "this question was no longer open",
    "out_of_turn": "this question was not put to this seat",
    "late": "it came too late: the seat had forfeited, or the match was over",
    "not_your_match": "the bot does not play in this match",
}


def _without_viewer(view: View) -> bytes:
    """A view without whose it is and what is news to that seat: equal where two seats see the same."""
    if not isinstance(view, Message):
        return pack({key: value for key, value in view.items() if key not in ("seat", "events")})
    twin = type(view)()
    twin.CopyFrom(view)
    twin.ClearField("seat")
    twin.ClearField("events")
    return pack(twin)


def _incident_value(one: Incident) -> dict[str, Any]:
    """Something that went wrong with a seat that was not asked, as a JSON object."""
    value: dict[str, Any] = {"seat": one.seat}
    if isinstance(one, RejectedAnswer):
        return value | {"what": "rejected", "kind": one.kind, "code": one.code, "move": one.move}
    if isinstance(one, Forfeited):
        return value | {"what": "forfeit", "termination": one.termination, "text": one.text}
    return value | {"what": "asked_again", "text": one.why}
