"""A stored match played once more, offline: its moves lead to its result, and its forfeits to its ranks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from referee.match.result import Ending, Forfeit, Termination, judge
from referee.rules import registry
from referee.rules.game import Game, Seat, WrongUse
from referee.rules.record import Record, ReplayError, read_moves
from referee.rules.spelling import brief


class DoesNotHold(Exception):
    """The first thing that a verification found wrong: says where and what."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A match as its moves tell it."""

    match: str
    names: tuple[str, ...]
    record: Record
    ending: Ending


def replay(data: bytes) -> Replayed:
    """Play a stored match (or a bare record of moves) again; DoesNotHold if it says anything that is not so."""
    try:
        value = json.loads(data)
        bare = "record" not in value
        moves = value if bare else value["record"]
        record = Record.from_bytes(json.dumps(moves).encode())
        events = [] if bare else value["events"]
        forfeits = _forfeits(events, record.players)
        claimed = None if bare else Ending.from_value(value)
        match, names = ("", ()) if bare else (value["match"], tuple(value["names"]))
    except RecursionError:
        raise DoesNotHold("this is no record of a match: it is nested too deeply") from None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise DoesNotHold(f"this is no record of a match: {error}") from None
    game = registry.find(record.game)
    if record.version != game.version:
        raise WrongUse(
            f"the record is of {game.name} version {record.version}, installed is version {game.version}: "
            "verify it with the version that played it"
        )
    ending = _ending(game, record, forfeits)
    if claimed is not None:
        _compare(claimed, ending)
    return Replayed(match, names, record, ending)


def _forfeits(events: list[list[Any]], players: int) -> dict[Seat, Forfeit]:
    forfeits: dict[Seat, Forfeit] = {}
    for kind, *rest in events:
        if kind == "forfeit":
            decision, seat, termination, text = rest
            if type(seat) is not int or seat in forfeits or not 0 <= seat < players:
                raise ValueError(f"seat {brief(seat)} cannot forfeit")
            if type(decision) is not int or not isinstance(text, str):
                raise TypeError(f"the forfeit of seat {seat} is not written as one")
            forfeits[seat] = Forfeit(Termination.of_word(termination), text, decision)
    return forfeits


def _ending(game: Game[Any], record: Record, forfeits: dict[Seat, Forfeit]) -> Ending:
    try:
        state = game.start(record.players, record.options, bytes.fromhex(record.seed))
    except (WrongUse, ValueError) as error:
        raise DoesNotHold(f"it cannot be started: {error}") from None
    for number, text in enumerate(record.moves):
        try:
            moves = read_moves(state, text)
        except ReplayError as error:
            raise DoesNotHold(f"decision {number} is not legal: {error}") from None
        for seat, forfeit in forfeits.items():
            # At the decision of the forfeit itself a sealed move may have been in already.
            if seat in moves and number > forfeit.after and moves[seat] != state.fallback(seat):
                raise DoesNotHold(f"decision {number}: seat {seat} had forfeited and was not played by the referee")
        state.play(moves)
    result = state.result()
    if result is None:
        raise DoesNotHold("it is not over after its last move")
    if result != record.result:
        raise DoesNotHold(f"its moves lead to {result}, it says {record.result}")
    return judge(result, forfeits)


def _compare(claimed: Ending, ending: Ending) -> None:
    for part in ("ranks", "scores", "terminations", "texts", "reason"):
        so, said = getattr(ending, part), getattr(claimed, part)
        if so != said:
            raise DoesNotHold(f"the {part} should be {_plain(so)}, not {_plain(said)}")


def _plain(value: Any) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part.word if isinstance(part, Termination) else part) for part in value)
    return str(value)
