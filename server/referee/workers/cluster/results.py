"""Results from workers of other machines: read, replayed and compared with what was ordered, before they are believed.

A worker that answers with anything that does not follow from the rules, the seed and the moves it tells has lied or is
broken. What a replay cannot know stays open: whether a bot really chose these moves, and how long it took.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from referee.match.result import Ending
from referee.match.seat_log import PackedLog, SeatLog
from referee.rules.game import WrongUse
from referee.rules.record import Record
from referee.tournament.audit.replay import DoesNotHold, Replayed, replay
from referee.tournament.running.played import Played, nobody_hears
from referee.tournament.running.venue import Fixture

MOST_LOG = 1 << 20
"""Bytes of what a bot wrote that are taken from a worker."""
MOST_RECORD = 32 << 20
"""Bytes of a record; those of real matches have a few thousand."""
MOST = (1 << 31) - 1
"""Numbers beyond this do not fit into every database; so many milliseconds are 24 days."""


class Untrue(Exception):
    """A worker's answer is not so: says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a match: nothing, if it was not played."""

    match: str
    played: Played | None = None
    course: bytes = b""
    """The SHA-256 of the moves and of how each seat ended: the same wherever bots decide alike."""


@dataclass(slots=True)
class Answer:
    """What a worker said of the matches that it was given."""

    results: list[Result] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    closed: bool = False
    """It does not know this run (any more)."""
    failed: str = ""
    """Why nothing can be played there."""


def still_played(said: bytes) -> int:
    """How many matches the worker still plays, as the first line of its answer says; 0 if it does not."""
    try:
        return max(0, int(json.loads(said[: said.index(b"\n")])["left"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0


def read_answer(said: bytes, fixtures: Mapping[str, Fixture]) -> Answer:
    """Read and check an answer; Untrue if anything in it is not so."""
    answer = Answer()
    lines = io.BytesIO(said)
    try:
        for line in lines:
            news = json.loads(line)
            match news["say"]:
                case "notice":
                    answer.notices.append(str(news["text"])[:500])
                case "closed":
                    answer.closed = True
                case "failed":
                    answer.failed = str(news["why"])[:500]
                case "unplayed":
                    answer.results.append(Result(_one_of(news["match"], fixtures)))
                case "played":
                    fixture = fixtures[_one_of(news["match"], fixtures)]
                    answer.results.append(checked(fixture, news["played"], next(lines, b"")))
    except Untrue:
        raise
    except Exception as error:  # noqa: BLE001 - whatever this program stumbles over in it is the worker's fault
        raise Untrue(f"its answer cannot be read ({type(error).__name__}: {error})"[:300]) from None
    told = [result.match for result in answer.results]
    if len(set(told)) != len(told):
        raise Untrue("it tells a match twice")
    return answer


def _one_of(match: Any, fixtures: Mapping[str, Fixture]) -> str:
    if match not in fixtures:
        raise Untrue(f"it tells of {str(match)[:100]!r}, which it was not given")
    return str(match)


def checked(fixture: Fixture, value: dict[str, Any], record: bytes) -> Result:
    """A result, replayed; Untrue if it does not follow from its moves, or is not of the match that was ordered."""
    played = Played.from_value(value, record, nobody_hears)
    if len(record) > MOST_RECORD:
        raise Untrue(f"match {fixture.id}: its record has {len(record):,} bytes")
    if played.ending.void:
        return Result(fixture.id, played)  # without an end there is nothing to replay, and nothing is stored of it
    try:
        replayed = replay(record)
    except (DoesNotHold, WrongUse) as error:
        raise Untrue(f"match {fixture.id} is not so: {error}") from None
    _compare(fixture, played, replayed)
    ending = replayed.ending
    course = "\n".join([*replayed.record.moves, str((ending.ranks, ending.scores, ending.words))])
    return Result(fixture.id, _plain(played), sha256(course.encode()).digest())


def _compare(fixture: Fixture, played: Played, replayed: Replayed) -> None:
    record, ending = replayed.record, played.ending
    expected: tuple[tuple[str, Any, Any], ...] = (
        ("match", fixture.id, replayed.match),
        ("players", fixture.bots, replayed.names),
        ("game", fixture.game, record.game),
        ("seed", fixture.seed.hex(), record.seed),
        ("options", *_options(fixture, record)),
        ("number of seats", len(fixture.bots), len(played.seats)),
    )
    for what, wanted, found in expected:
        if wanted != found:
            raise Untrue(f"match {fixture.id}: the {what} should be {wanted}, not {found}"[:300])
    if replayed.ending != ending:
        raise Untrue(f"match {fixture.id}: its moves give {_told(replayed.ending)}, and it tells {_told(ending)}"[:300])
    for seat, account in enumerate(replayed.accounts):
        noted = played.seats[seat]
        numbers = (noted.decisions, noted.strikes, noted.time_ms)
        if not all(type(number) is int and 0 <= number <= MOST for number in numbers):
            raise Untrue(f"match {fixture.id}: what seat {seat} did is not told in numbers that can be")
        strikes = noted.strikes if account.strikes is None else account.strikes
        if (noted.decisions, noted.strikes) != (account.decisions, strikes):
            raise Untrue(f"match {fixture.id}: seat {seat} made {account.decisions} decisions with {strikes} strikes")
        if abs(noted.time_ms - account.time_ms) > account.decisions / 2 + 1:
            raise Untrue(f"match {fixture.id}: seat {seat} took {account.time_ms} ms by its record")


def _options(fixture: Fixture, record: Record) -> tuple[Any, Any]:
    """Those of the order and those of the record, in the form in which they can be compared."""
    ordered = dict(fixture.options)
    if ordered == record.options:
        return ordered, record.options
    return json.loads(json.dumps(ordered)), json.loads(json.dumps(record.options))


def _told(ending: Ending) -> str:
    ranks, scores = (" ".join(map(str, numbers)) for numbers in (ending.ranks, ending.scores))
    return f"ranks {ranks} with scores {scores} ({', '.join(ending.words)})"


def _plain(played: Played) -> Played:
    """The same with logs that can be read and are not too large, one per seat."""
    seats = range(len(played.seats))
    logs = {log.seat: log for log in played.logs if type(log.seat) is int and log.seat in seats and _is_log(log)}
    return replace(played, logs=tuple(logs[seat] for seat in sorted(logs)))


def _is_log(log: PackedLog) -> bool:
    try:
        SeatLog.from_bytes(log.seat, log.body)
    except ValueError:
        return False
    return len(log.body) <= MOST_LOG
