"""JSON lines: how a program in any language plays over stdin and stdout.

The referee writes one JSON object per line, and reads one JSON object per line:

    {"type":"start","match":"m1","game":"flip7","seat":0,"names":["awk","random"],"options":{…},
     "limit_ms":1000,"bank_ms":30000,"max_line_bytes":65536,"max_legal":10000}
    {"type":"decide","match":"m1","decision":7,"seat":0,"legal":["hit","stay"],"complete":true,"view":{…},
     "budget_ms":1000,"bank_ms":30000}
                                                            {"decision":7,"move":"hit"}
    {"type":"rejected","match":"m1","decision":7,"seat":0,"kind":"illegal","code":"not_now","message":"…",
     "move":"hit","strikes_left":2,"legal":["hit","stay"],"open":true}
    {"type":"end","match":"m1","seat":0,"ranks":[1,2],"scores":[211,86],"reasons":["finished","finished"],
     "texts":["",""],"reason":"finished","view":{…}}

The manual for authors, with every rule, is proto/LINES.md.

The referee's half is `StdioPlayer` (hosted bots) and `referee bridge` (a bot on its author's machine); both read and
write with the functions of this file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from google.protobuf import json_format

from arena import views
from referee.match.match import MOST_LEGAL
from referee.match.result import Ending
from referee.rules.spelling import printable

LONGEST_LINE = 1 << 16
SHOWN_LINE = 60
GARBLED = "\N{REPLACEMENT CHARACTER}"
"""Stands before the text of a line that is no answer when it is sent to a server as a move: no game reads it."""


class Answer(NamedTuple):
    decision: int
    move: str
    match: str | None = None


class NotAnAnswer(Exception):
    """A line that is no answer; the text says what is wrong with it. `decision` is there if that much can be read."""

    def __init__(self, text: str, decision: int | None = None) -> None:
        super().__init__(text)
        self.decision = decision


def start_line(
    match: str,
    game: str,
    seat: int,
    names: Sequence[str],
    options: Mapping[str, Any],
    limit: float,
    bank: float,
    total: float = 0.0,
) -> bytes:
    """`total` is the bound on what a seat may take in all of a match; 0: there is none, and nothing is said of it."""
    whole = {"total_ms": round(total * 1000)} if total else {}
    return _line(
        type="start",
        match=match,
        game=game,
        seat=seat,
        names=list(names),
        options=options,
        limit_ms=round(limit * 1000),
        bank_ms=round(bank * 1000),
        max_line_bytes=LONGEST_LINE,
        max_legal=MOST_LEGAL,
        **whole,
    )


def decide_line(
    match: str, decision: int, seat: int, legal: Sequence[str], complete: bool, view: Any, budget: float, bank: float
) -> bytes:
    """`view` as `view_value` gives it."""
    return _line(
        type="decide",
        match=match,
        decision=decision,
        seat=seat,
        legal=list(legal),
        complete=complete,
        view=view,
        budget_ms=round(budget * 1000),
        bank_ms=max(0, round(bank * 1000)),
    )


def rejected_line(
    match: str,
    decision: int,
    seat: int,
    kind: str,
    code: str,
    message: str,
    move: str,
    strikes_left: int | None,
    legal: Sequence[str] | None,
) -> bytes:
    """`legal` while the question is still open, else None."""
    open_again = {} if legal is None else {"legal": list(legal)}
    return _line(
        type="rejected",
        match=match,
        decision=decision,
        seat=seat,
        kind=kind,
        code=code,
        message=message,
        move=move,
        strikes_left=strikes_left,
        **open_again,
        open=legal is not None,
    )


def end_line(match: str, seat: int, ending: Ending, view: Any) -> bytes:
    """`view` as `view_value` gives it; an empty object if there is none."""
    # What a record calls terminations has been called reasons here from the beginning.
    value = {"reasons" if name == "terminations" else name: part for name, part in ending.to_value().items()}
    return _line(type="end", match=match, seat=seat, **value, view=view)


def final_view_value(view_type: str, view: bytes, descriptor: bytes = b"") -> Any:
    """A view at the end of a match as JSON; a match that was broken off has none, and shows an empty object."""
    return view_value(view_type, view, descriptor) if view else {}


def view_value(view_type: str, view: bytes, descriptor: bytes = b"") -> Any:
    """A view as JSON; `descriptor` describes a message that this program may have no code for."""
    if view_type == views.JSON:
        return json.loads(view)
    return json_format.MessageToDict(
        views.read(view_type, view, descriptor),
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )


def read_answer(line: bytes) -> Answer:
    """The answer on a line, or NotAnAnswer. An empty line is no answer either: skip those before."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):  # no JSON, no UTF-8, or nested without end
        raise NotAnAnswer(
            f"{shown(line)} on stdout is not JSON; answer with a line such as "
            '{"decision":7,"move":"hit"} and print everything else to stderr'
        ) from None
    if not isinstance(value, dict):
        raise NotAnAnswer(f"{shown(line)} is not a JSON object; an answer looks like {EXAMPLE}")
    decision = value.get("decision")
    if not isinstance(decision, int) or isinstance(decision, bool) or not 0 <= decision < 1 << 53:
        raise NotAnAnswer(f"{shown(line)} has no number under 'decision'; an answer looks like {EXAMPLE}")
    move = value.get("move")
    if not isinstance(move, str):
        raise NotAnAnswer(f"{shown(line)} has no text under 'move'; an answer looks like {EXAMPLE}", decision)
    match = value.get("match")
    if match is not None and not isinstance(match, str):
        raise NotAnAnswer(f"{shown(line)}: 'match' is a text, or left out", decision)
    return Answer(decision, move, match)


EXAMPLE = '{"decision":7,"move":"hit"}'


def shown(line: bytes) -> str:
    """A line of a bot's, short and safe to repeat."""
    return repr(printable(line[: SHOWN_LINE * 4].decode("utf-8", "replace"), SHOWN_LINE))


def garbled(line: bytes) -> str:
    """A line that is no answer, as a move that no game can read."""
    return GARBLED + shown(line)[1:-1]


def _line(**fields: Any) -> bytes:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
