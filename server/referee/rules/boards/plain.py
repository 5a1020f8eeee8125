"""Any view, protobuf message or dict, as plain values: dicts with sorted keys, lists, texts.

Keys are sorted so that equal views look alike, whatever the order in which a dict was filled. Third parties' values may
be anything: what is no plain value is told by its type, and what is nested too deeply is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.rules.boards.text import clean

DEEPEST = 8
MOST = 200
"""Items of one list that are shown."""
LONGEST = 2000
"""Characters of one text that are shown."""

Plain = dict[str, "Plain"] | list["Plain"] | str


def plain_events(view: Any) -> list[Plain]:
    """The events of a view, as plain values, without the fields of a message that say nothing (zeros, empty texts)."""
    typed = isinstance(view, Message) or not isinstance(view, Mapping)
    events: Any = getattr(view, "events", None) if typed else view.get("events")
    if not hasattr(events, "__len__") or isinstance(events, str | bytes | Mapping | Message):
        return []
    shown = []
    for event in events:
        fields = plain(event)
        if isinstance(event, Message) and isinstance(fields, dict):
            said = {field.name for field, _ in event.ListFields()}
            fields = {name: value for name, value in fields.items() if name in said}
        shown.append(fields)
    return shown


def plain_view(view: Any) -> dict[str, Plain]:
    """The view as plain values; a view that is no message and no dict has one field, `view`."""
    shown = plain(view)
    return shown if isinstance(shown, dict) else {"view": shown}


def plain(value: Any, depth: int = 0) -> Plain:
    """A value as it is shown: numbers and words as text, lists and dicts with such values."""
    if isinstance(value, str):
        return clean(value[:LONGEST])
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, bytes | bytearray):
        return value[: LONGEST // 2].hex()
    if depth >= DEEPEST:
        return "…"
    if isinstance(value, Message):
        return _fields(value, depth)
    if isinstance(value, Mapping):
        items = {clean(str(key)[:LONGEST]): item for key, item in list(value.items())[:MOST]}
        return {key: plain(items[key], depth + 1) for key in sorted(items)}
    if isinstance(value, list | tuple):
        shown = [plain(item, depth + 1) for item in value[:MOST]]
        return [*shown, f"… ({len(value)} in all)"] if len(value) > MOST else shown
    return f"<{type(value).__name__}>"


def _fields(message: Message, depth: int) -> dict[str, Plain]:
    """The fields of a message in the order of their numbers; absent ones that can be absent are left out."""
    shown: dict[str, Plain] = {}
    descriptor: Any = message.DESCRIPTOR
    for field in sorted(descriptor.fields, key=lambda field: field.number):
        if field.has_presence and not message.HasField(field.name):
            continue
        value = getattr(message, field.name)
        if field.type == FieldDescriptor.TYPE_ENUM:
            shown[field.name] = _words(field.enum_type, value)
        elif field.message_type is not None and field.message_type.GetOptions().map_entry:
            shown[field.name] = plain(dict(value), depth + 1)
        elif hasattr(value, "__len__") and not isinstance(value, str | bytes):
            shown[field.name] = plain(list(value), depth + 1)
        else:
            shown[field.name] = plain(value, depth + 1)
    return shown


def _words(kinds: Any, value: Any) -> Plain:
    """An enum value in words: its name without the name of its type before it; the same for a list of them."""
    if not isinstance(value, int):
        return [_words(kinds, item) for item in value]
    named = kinds.values_by_number.get(value)
    if named is None:
        return str(value)
    words = str(named.name).lower().replace("_", " ")
    before = "".join(f" {char.lower()}" if char.isupper() else char for char in str(kinds.name)).strip() + " "
    return words.removeprefix(before)


def _number(value: float) -> str:
    try:
        return str(value)
    except ValueError:  # thousands of digits
        return "a number too large to be shown"
