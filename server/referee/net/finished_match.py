"""A match that is over, read from its record: the record as a message, and the final public view by replay.

Everything here takes its time and belongs into a thread.
"""

from __future__ import annotations

import json

from arena.v1 import tournament_pb2 as pb
from referee.match.result import Ending
from referee.net.messages import match_result
from referee.rules import registry, views
from referee.rules.record import Record, replay


def record_message(data: bytes) -> pb.MatchRecord:
    """What was played, typed, from the bytes of a stored match."""
    record = _record(json.loads(data))
    ended = record.result
    return pb.MatchRecord(
        game=record.game,
        game_version=record.version,
        players=record.players,
        options_json=json.dumps(record.options),
        seed=record.seed,
        decisions=record.moves,
        ranks=ended.ranks if ended else (),
        scores=ended.scores if ended else (),
        reason=ended.reason if ended else "",
    )


def final_view(data: bytes) -> pb.WatchMatchResponse:
    """The end of a match as the public sees it; WrongUse or ReplayError if the game of today cannot replay it."""
    value = json.loads(data)
    record = _record(value)
    state = replay(registry.find(record.game), record)
    ending = Ending.from_value(value)
    described = views.describe(state.view(None))
    return pb.WatchMatchResponse(
        view=state.view_bytes(None),
        view_type=described.type,
        view_descriptor=described.descriptor,
        scores=state.scores(),
        decisions=len(record.moves),
        over=True,
        result=match_result(ending),
        game=record.game,
        bots=value["names"],
    )


def _record(value: dict[str, object]) -> Record:
    return Record.from_bytes(json.dumps(value["record"]).encode())
