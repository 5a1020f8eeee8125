"""Conformance cases, messages: from the tables of a TOML file to protobuf, and from what a bot sent to a comparison.

A table such as `{decide = {match_id = "m/1", decision = 1}}` becomes a `RefereeBody`. Fields that a case does not
name have usual values (`USUAL`), so that a case shows only what it is about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from arena.games.flip7.v1 import flip7_pb2
from arena.v1 import match_pb2 as pb
from referee.rules.game import WrongUse

NAMES = ["conformbot", "odds"]
FLIP7 = "arena.games.flip7.v1.View"

USUAL: dict[str, dict[str, Any]] = {
    "welcome": {
        "name": "conformbot",
        "protocol_version": 1,
        "server": "Conformance 1.0",
        "session": "session-1",
        "grace_ms": 30_000,
        "max_message_bytes": 1 << 20,
    },
    "match_start": {
        "game": "flip7",
        "game_version": 1,
        "options_json": "{}",
        "names": NAMES,
        "time_control": {"limit_ms": 60_000, "bank_ms": 60_000, "strikes": 3},
        "view_type": "json",
    },
    "decide": {"complete": True, "budget_ms": 60_000, "bank_ms": 60_000},
    "rejected": {},
    "match_end": {
        "result": {
            "ranks": [1, 2],
            "scores": [10, 5],
            "terminations": ["TERMINATION_FINISHED", "TERMINATION_FINISHED"],
            "texts": ["", ""],
            "reason": "finished",
        },
        "seed": "00" * 32,
    },
    "notice": {},
    "nonces": {"tournament": "cup"},
    "drain": {},
}

# A field that no version of the protocol has, with a text in it; and the same as a body.
UNKNOWN_FIELD = 1999
UNKNOWN_BODY = 1998


class NotABody(WrongUse):
    """A table that is no message of the protocol; the text says why."""


def from_table(table: Mapping[str, Any]) -> pb.RefereeBody:
    """One thing the referee says. Keys beyond the protocol's own are in sdk/conformance/README.md."""
    if len(table) != 1:
        raise NotABody(f"a body is a table with one key, not {json.dumps(dict(table), default=str)}")
    ((kind, fields),) = table.items()
    body = pb.RefereeBody()
    if kind == "unknown_body":
        body.MergeFromString(_text_field(UNKNOWN_BODY, str(fields)))
        return body
    if kind == "empty_body":
        return body
    if kind not in USUAL:
        raise NotABody(f"{kind!r} is no body of the referee's; there are {', '.join(USUAL)}")
    message = getattr(body, kind)
    message.SetInParent()
    _fill(message, {**USUAL[kind], **fields})
    return body


def _fill(message: Message, fields: Mapping[str, Any]) -> None:
    plain = dict(fields)
    unknown = plain.pop("unknown_field", None)
    view = _view(plain)
    numbered = plain.pop("legal_numbered", None)
    question = plain.pop("question", None)
    try:
        json_format.ParseDict(plain, message)
    except json_format.ParseError as error:
        raise NotABody(str(error)) from None
    if view is not None:
        message.view = view  # type: ignore[attr-defined]
    if numbered is not None:
        message.legal.extend(f"move {number}" for number in range(1, numbered + 1))  # type: ignore[attr-defined]
    if question is not None:
        _fill(message.question, {**USUAL["decide"], **question})  # type: ignore[attr-defined]
    if unknown is not None:
        message.MergeFromString(_text_field(UNKNOWN_FIELD, str(unknown)))


def _view(fields: dict[str, Any]) -> bytes | None:
    """The bytes of a view, from the keys that stand for them in a case."""
    padding = fields.pop("view_padding", 0)
    if "view_json" in fields:
        value = fields.pop("view_json")
        if padding:
            value = {"": "x" * padding, **value}  # before all others, when keys are sorted
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    if "view_flip7" in fields:
        view = flip7_pb2.View()
        _fill(view, fields.pop("view_flip7"))
        return view.SerializeToString()
    if "view_hex" in fields:
        return bytes.fromhex(fields.pop("view_hex"))
    return None


def _text_field(number: int, text: str) -> bytes:
    """A field of the wire format with a text in it."""
    data = text.encode()
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def to_table(body: pb.BotBody) -> dict[str, Any]:
    """What a bot sent, as the table that a case would expect, zero fields written out."""
    kind = body.WhichOneof("body")
    if kind is None:
        return {"empty_body": {}}
    return {
        kind: json_format.MessageToDict(
            getattr(body, kind), preserving_proto_field_name=True, always_print_fields_with_no_presence=True
        )
    }


def fits(expected: Any, seen: Any) -> bool:
    """Whether what was seen is what a case expects: tables by the keys it names, `*` any text, `~…` a pattern."""
    if isinstance(expected, Mapping):
        return isinstance(seen, Mapping) and all(
            key in seen and fits(value, seen[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(seen, list) and len(expected) == len(seen) and all(map(fits, expected, seen))
    if isinstance(expected, str) and isinstance(seen, str):
        if expected == "*":
            return bool(seen)
        if expected.startswith("~"):
            return re.search(expected[1:], seen, re.DOTALL) is not None
    return bool(expected == seen)


def shown(table: Mapping[str, Any], keys: Mapping[str, Any] | None = None) -> str:
    """A body in a sentence: `act decision=1 match_id='m/1' move_text='hit'`, without fields that are empty.

    A body that is expected is given twice; its patterns are shown as such.
    """
    ((kind, fields),) = table.items()
    wanted = None if keys is None else keys.get(kind)
    parts = []
    for key, value in fields.items():
        if value in ("", 0, False, [], {}) and (wanted is None or key not in wanted):
            continue
        parts.append(_shown_field(key, value) if keys is table else f"{key}={_cut(repr(value))}")
    return " ".join([kind, *parts])


def _shown_field(key: str, value: Any) -> str:
    """A field that is expected."""
    if value == "*":
        return f"{key}=(any text)"
    if isinstance(value, str) and value.startswith("~"):
        return f"{key}=(a text like {_cut(value[1:])})"
    return f"{key}={_cut(repr(value))}"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"
