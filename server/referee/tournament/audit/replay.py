"""Replay of a stored match, offline: its moves lead to its result, and its forfeits to its ranks.

A record may come from a stranger: its types are checked before anything is made of it, and whatever a game says to it
is an answer, never an error of this program. No view is made, so this is as fast as the rules are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from referee.match.match import MOST_EVENTS
from referee.match.player import RejectionKind
from referee.match.result import Ending, Forfeit, Termination, judge
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Game, Seat, State, WrongUse
from referee.rules.record import NO_RECORD, KnownMoves, Record, ReplayError, read_moves, read_object
from referee.rules.spelling import brief

_NO_STRIKE = (RejectionKind.STALE.value, RejectionKind.LATE.value)
_FORMS = {
    "forfeit": (int, int, str, str),
    "rejected": (int, int, str, str, str),
    "asked_again": (int, int, str),
}
"""The events of a match, and the types of what follows the word: the decision and the seat come first."""


LONGEST_TIME = 1 << 53
"""Milliseconds of one answer: what a double holds exactly."""
_INT, _STR, _LIST = frozenset({int}), frozenset({str}), frozenset({list})


class DoesNotHold(Exception):
    """The first thing that a verification found wrong: says where and what."""


@dataclass(frozen=True, slots=True)
class RecordedAccount:
    """What a record tells of one seat."""

    decisions: int
    time_ms: int
    """The sum of rounded times: up to half a millisecond off for every decision."""
    strikes: int | None
    """None if the match had more events than are noted."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A match as its moves tell it."""

    match: str
    names: tuple[str, ...]
    record: Record
    ending: Ending
    accounts: tuple[RecordedAccount, ...] = ()
    """By seat; none in a bare record of moves."""


def replay(data: bytes) -> Replayed:
    """Play a stored match (or a bare record of moves) again; DoesNotHold if it says anything that is not so."""
    try:
        value = read_object(data)
        bare = "record" not in value
        record = Record.from_value(value if bare else value["record"])
        events = [] if bare else _events(value["events"], record.players)
        forfeits = _forfeits(events)
        claimed = None if bare else _claimed(value, record.players)
        match, names = ("", []) if bare else (value["match"], value["names"])
        if type(match) is not str or type(names) is not list or not _STR.issuperset(map(type, names)):
            raise TypeError("its names are no texts")
        if not bare and len(names) != record.players:
            raise ValueError(f"it has {len(names)} names for {record.players} players")
        accounts = () if bare else _accounts(value.get("times_ms"), events, record.players)
    except RecursionError:
        raise DoesNotHold("this is not a record of a match: it is nested too deeply") from None
    except KeyError as error:
        raise DoesNotHold(f"this is not a record of a match: it has no {error}") from None
    except (ValueError, TypeError, IndexError, AttributeError) as error:
        why = str(error).removeprefix(NO_RECORD)
        raise DoesNotHold(f"this is not a record of a match: {why}") from None
    game = registry.find(record.game)
    if record.version != game.version:
        raise WrongUse(
            f"the record is of {game.name} version {record.version}, installed is version {game.version}: "
            "verify it with the version that played it"
        )
    ending, moved = _ending(game, record, forfeits)
    if claimed is not None:
        _compare(claimed, ending)
    for seat, account in enumerate(accounts):
        # The referee moves for a seat that has forfeited, and notes no time.
        if account.decisions != moved[seat] and (seat not in forfeits or account.decisions > moved[seat]):
            raise DoesNotHold(f"seat {seat} made {moved[seat]} moves, and {account.decisions} times are noted")
    return Replayed(match, tuple(names), record, ending, accounts)


def _claimed(value: Any, players: int) -> Ending:
    claimed = Ending.from_value(value)
    numbers, texts = claimed.ranks + claimed.scores, (*claimed.texts, claimed.reason)
    if not (_INT.issuperset(map(type, numbers)) and _STR.issuperset(map(type, texts))):
        raise TypeError("its ending is not written as one")
    return claimed


def _events(events: Any, players: int) -> list[list[Any]]:
    """The events, each of the form of its kind; kinds of later programs may follow."""
    if type(events) is not list:
        raise TypeError("its events are no list")
    for event in events:
        kind, *rest = event
        if (form := _FORMS.get(kind)) is None:
            continue
        if tuple(map(type, rest)) != form:
            raise TypeError(f"an event ({kind}) is not written as one")
        if not 0 <= rest[1] < players:
            raise ValueError(f"seat {rest[1]} is none of this match")
    return events


def _forfeits(events: list[list[Any]]) -> dict[Seat, Forfeit]:
    forfeits: dict[Seat, Forfeit] = {}
    for kind, *rest in events:
        if kind == "forfeit":
            decision, seat, termination, text = rest
            if seat in forfeits:
                raise ValueError(f"seat {seat} cannot forfeit twice")
            forfeits[seat] = Forfeit(Termination.of_word(termination), text, decision)
    return forfeits


def _accounts(times: Any, events: list[list[Any]], players: int) -> tuple[RecordedAccount, ...]:
    if type(times) is not list or len(times) != players or not _LIST.issuperset(map(type, times)):
        raise TypeError("its times are not written by seat")
    for one in times:
        if not _INT.issuperset(map(type, one)):
            raise TypeError("its times are no whole numbers")
        if one and not 0 <= min(one) <= max(one) <= LONGEST_TIME:
            raise ValueError("its times are none that a match can take")
    strikes = [0] * players
    for kind, *rest in events:
        if kind == "rejected" and rest[2] not in _NO_STRIKE:
            strikes[rest[1]] += 1
    whole = len(events) < MOST_EVENTS
    return tuple(
        [RecordedAccount(len(one), sum(one), strikes[seat] if whole else None) for seat, one in enumerate(times)]
    )


_resolved: tuple[str, Any, dict[str, Any], KnownMoves] = ("", None, {}, {})
"""The options that were resolved last, and the moves read with them: those of a tournament are all the same."""


def _options(game: Game[Any], record: Record) -> tuple[dict[str, Any], KnownMoves]:
    global _resolved
    name, given, options, known = _resolved
    if name != game.name or given != record.options or given is None:
        options, known = game.resolve_options(record.options), {}
        _resolved = (game.name, record.options, options, known)
    return options, known


def _seed(record: Record) -> bytes:
    try:
        return bytes.fromhex(record.seed)
    except ValueError:
        raise DoesNotHold("its seed is not written in hexadecimal digits") from None


def _ending(game: Game[Any], record: Record, forfeits: dict[Seat, Forfeit]) -> tuple[Ending, Mapping[Seat, int]]:
    """How the moves end, and how many each seat made."""
    number = -1
    try:
        seed = _seed(record)
        options, known = _options(game, record)
        state = game.begin(game.check_players(record.players), options, Seeded(seed))
        state.unwatched()
        play = state.play
        played = []
        for number, text in enumerate(record.moves):
            moves = read_moves(state, text, known)
            if forfeits:
                _check_forfeited(state, number, moves, forfeits)
            play(moves)
            played.append(moves)
        result = state.result()
    except DoesNotHold:
        raise
    except ReplayError as error:
        raise DoesNotHold(f"decision {number} is not legal: {error}") from None
    except Exception as error:  # noqa: BLE001 - what a game makes of a stranger's options or moves is the record's fault
        if number < 0:
            raise DoesNotHold(f"it cannot be started: {error}") from None
        raise DoesNotHold(f"decision {number} cannot be played: {type(error).__name__}: {brief(str(error))}") from None
    if result is None:
        raise DoesNotHold("it is not over after its last move")
    if result != record.result:
        raise DoesNotHold(f"its moves lead to {result}, it says {record.result}")
    return judge(result, forfeits), Counter(chain.from_iterable(played))


def _check_forfeited(
    state: State[Any], number: int, moves: Mapping[Seat, Any], forfeits: Mapping[Seat, Forfeit]
) -> None:
    for seat, forfeit in forfeits.items():
        # At the decision of the forfeit itself a sealed move may have been in already.
        if seat in moves and number > forfeit.after and moves[seat] != state.fallback(seat):
            raise DoesNotHold(f"decision {number}: seat {seat} had forfeited and was not played by the referee")


def _compare(claimed: Ending, ending: Ending) -> None:
    if claimed == ending:
        return
    for part in ("ranks", "scores", "terminations", "texts", "reason"):
        so, said = getattr(ending, part), getattr(claimed, part)
        if so != said:
            raise DoesNotHold(f"the {part} should be {_plain(so)}, not {_plain(said)}")


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part.word if isinstance(part, Termination) else part) for part in value)
    return str(value)
