"""Replay of a match: steps of a record as values, drawn as text, as one HTML page, or as JSON.

match = read_match(data)              # bytes from the store, a file or a server; DoesNotHold if they are not true
replay = Replay(match)
replay[17].to_value(Perspective(2))   # decision 17 as seat 2 saw it
"""

from referee.analysis.replay.perspective import PUBLIC, REVEALED, Perspective, of_seat, perspectives
from referee.analysis.replay.recorded import RecordedMatch, read_match
from referee.analysis.replay.steps import Asked, LogLine, Replay, Step

__all__ = [
    "PUBLIC",
    "REVEALED",
    "Asked",
    "LogLine",
    "Perspective",
    "RecordedMatch",
    "Replay",
    "Step",
    "of_seat",
    "perspectives",
    "read_match",
]
