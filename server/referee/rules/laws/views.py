"""The law about views as they travel: a message or a plain dict, of one type, with the same bytes each time."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.message import Message

from referee.rules.laws.cases import Trial
from referee.rules.views import JSON, LONGEST_DESCRIPTOR, View, descriptor, pack

WIDEST = 1 << 53
"""Whole numbers beyond this are no longer exact in every language that reads JSON."""


def views_can_be_sent(trial: Trial) -> None:
    """A view is a plain dict or a protobuf message of one type for all seats; asked for twice it has the same bytes."""
    for case in trial.cases:
        for state in trial.moments(case, dense=4):
            views = [state.view(seat) for seat in case.seats]
            kinds = {_kind(view) for view in views}
            if len(kinds) > 1 or not all(isinstance(view, Message | dict) for view in views):
                types = ", ".join(sorted(kinds))
                raise trial.broken(f"views are of types {types}; all are dicts, or all are one type of message")
            for view in views:
                if flaw := _flaw(view):
                    raise trial.broken(flaw)
            written = [pack(view) for view in views]
            if written != [pack(state.view(seat)) for seat in case.seats]:
                raise trial.broken("a view is another one when asked for again")
            if written != [state.view_bytes(seat) for seat in case.seats]:
                raise trial.broken("view_bytes is not what the view itself writes")


def _kind(view: Any) -> str:
    if isinstance(view, Message):
        return view.DESCRIPTOR.full_name
    return JSON if isinstance(view, dict) else type(view).__name__


def _flaw(view: View) -> str | None:
    """Why this view cannot travel, or None."""
    if isinstance(view, Message):
        if len(descriptor(view)) > LONGEST_DESCRIPTOR:
            return f"the description of {view.DESCRIPTOR.full_name} is longer than {LONGEST_DESCRIPTOR} bytes"
        return None
    if found := _not_plain(view, "view"):
        return found
    if json.loads(pack(view)) != _listed(view):
        return "a view reads back as something else than it was"
    return None


def _not_plain(value: Any, where: str) -> str | None:
    """The first part of a dict view that JSON cannot carry as it is, or None."""
    if isinstance(value, dict):
        for key, part in value.items():
            if type(key) is not str:
                return f"{where} has the key {key!r}; the keys of a view are texts"
            if found := _not_plain(part, f"{where}[{key!r}]"):
                return found
        return None
    if isinstance(value, list | tuple):
        return next((found for at, part in enumerate(value) if (found := _not_plain(part, f"{where}[{at}]"))), None)
    if type(value) is int and abs(value) >= WIDEST:
        return f"{where} is {value}; whole numbers in a view have at most 53 bits"
    if type(value) is float and value - value != 0:
        return f"{where} is {value}, which JSON cannot write"
    if value is None or type(value) in (bool, int, float, str):
        return None
    return f"{where} is a {type(value).__name__}; a view holds whole numbers, texts, yes and no, None, lists and dicts"


def _listed(value: Any) -> Any:
    """The same with lists for tuples, as it is read back."""
    if isinstance(value, dict):
        return {key: _listed(part) for key, part in value.items()}
    return [_listed(part) for part in value] if isinstance(value, list | tuple) else value
