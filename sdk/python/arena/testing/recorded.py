"""Recorded decisions: what `--record FILE` has kept, as decisions that a bot can be asked again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf import json_format

from arena import views
from arena.decision import Decision, Match
from arena.errors import Refused
from arena.testing.made_up import view_from_json
from arena.v1 import match_pb2 as pb


class Recorded(NamedTuple):
    """One decision of a record, and what the bot did then."""

    decision: Decision[Any]
    move: str
    seconds: float
    """How long the bot thought."""


def recorded(file: str | PathLike[str]) -> list[Recorded]:
    """All decisions of a record, oldest first; Refused says which line cannot be read.

    A record does not tell the time that was left, nor whether the legal list was complete: `budget` and `bank` are
    those of the match, and `complete` is False.
    """
    try:
        text = Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"cannot read the record {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"cannot read the record {file}: it is not text in UTF-8") from None
    return list(_decisions(str(file), text))


def _decisions(file: str, text: str) -> Iterator[Recorded]:
    matches: dict[str, Match] = {}
    refusals: dict[tuple[str, int], str] = {}
    whole, _, _ = text.rpartition("\n")  # a program that was killed may have left half a line
    for number, text_line in enumerate(whole.splitlines(), 1):
        where = f"{file}, line {number}"
        try:
            line = json.loads(text_line)
            kind = line.pop("type")
            if kind == "start":
                matches[line["match_id"]] = _match(line)
            elif kind == "rejected":
                refusals[line["match_id"], line["decision"]] = line["message"]
            elif kind == "decide":
                yield _decision(line, matches, refusals, where)
        except (ValueError, KeyError, TypeError, AttributeError, json_format.ParseError) as error:
            raise Refused(f"{where}: this is no line of a record: {type(error).__name__}: {error}") from None


def _match(line: dict[str, Any]) -> Match:
    line.pop("time", None)
    return Match.from_start(json_format.ParseDict(line, pb.MatchStart(), ignore_unknown_fields=True))


def _decision(
    line: dict[str, Any], matches: dict[str, Match], refusals: dict[tuple[str, int], str], where: str
) -> Recorded:
    info = matches.get(line["match"])
    if info is None:  # its start is in another file
        known = views.view_type(line["game"]) or views.JSON
        info = Match(line["match"], line["game"], line["seat"], (), view_type=known)
    view: Any = line["view"]
    if isinstance(view, str):  # it could not be read then: bytes in hexadecimal digits
        view = bytes.fromhex(view)
    elif info.view_type not in ("", views.JSON):
        view = view_from_json(views.message_class(info.view_type, info.view_descriptor), view, f"{where}: the view")
    number = line["decision"]
    decision = Decision(
        replace(info, options=dict(info.options)),
        number,
        list(line["legal"]),
        view,
        complete=False,
        budget=info.limit,
        bank=info.bank,
    )
    decision.rejected = refusals.get((line["match"], number), "")
    return Recorded(decision, line["move"], line["ms"] / 1000)
