"""Views on the wire: how the message or the plain dict that a game shows becomes bytes, and how a bot reads them.

A game shows a protobuf message or a plain dict. A message travels as its own bytes under its full name. A dict travels
as JSON in UTF-8 under the name `json`: keys sorted, no spaces, so that equal views have equal bytes. Whole numbers stay
whole numbers in every language.

A bot has no generated code for a message of a third party. So the description of such a message
(a `FileDescriptorSet`) is sent along when a match starts, and a bot has to import nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf import json_format
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message

if TYPE_CHECKING:
    from referee.rules.game import Game, Seat, State

View = Message | dict[str, Any]
"""What a game may show."""

COMMON = ("seat", "asked", "events", "scores", "ranks", "reason")
"""What every view has, under these names."""

OWN_FIELDS = 10
"""In a message, the fields that all games share have lower numbers than this; a game's own ones begin here."""

JSON = "json"
"""The name under which plain dicts travel."""

BUILT_IN = "arena.games."
"""Messages of this package come with every SDK."""

LONGEST_DESCRIPTOR = 1 << 16
"""A longer description is not sent: bots then play from the legal list, or import the game's generated code."""


class ViewFormat(NamedTuple):
    """How the views of a game travel: the name of their type, and its description where bots may not know it."""

    type: str
    descriptor: bytes


def common(state: State[Any], seat: Seat | None, events: Iterable[Any]) -> dict[str, Any]:
    """The part that every view has, of a game in which everybody may know who is asked.

    `seat` is whose view it is, None for the public. `asked` are the seats that are asked now, ascending. `events` are
    what happened since this seat's last decision, oldest first; each has a `kind`. `scores` are the public scores by
    seat. `ranks` by seat and the `reason` word tell how the match ended, and are empty before.
    """
    result = state.result()
    return {
        "seat": seat,
        "asked": list(state.pending()),
        "events": list(events),
        "scores": list(state.scores()),
        "ranks": [] if result is None else list(result.ranks),
        "reason": "" if result is None else result.reason,
    }


def pack(view: View) -> bytes:
    """The bytes of a view; equal views have equal bytes."""
    if isinstance(view, Message):
        return view.SerializeToString(deterministic=True)
    return json.dumps(view, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False).encode()


def to_value(view: View) -> dict[str, Any]:
    """A view as plain JSON values: every field under its name, as bots over JSON lines read it."""
    if not isinstance(view, Message):
        return view
    value: dict[str, Any] = json_format.MessageToDict(
        view, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return value


def show(view: View) -> str:
    """A view for people, one field per line."""
    if isinstance(view, Message):
        return str(view)
    return "\n".join(f"{key}: {json.dumps(view[key], ensure_ascii=False)}" for key in sorted(view))


def view_format_of(game: Game[Any], state: State[Any]) -> ViewFormat:
    """How the views of this game travel; the same for all its matches, so it is worked out once."""
    if game not in _WIRES:
        _WIRES[game] = describe(state.view(None))
    return _WIRES[game]


def describe(view: View) -> ViewFormat:
    """How a view of this type travels."""
    if not isinstance(view, Message):
        return ViewFormat(JSON, b"")
    name = view.DESCRIPTOR.full_name
    described = b"" if name.startswith(BUILT_IN) else descriptor(view)
    return ViewFormat(name, described if len(described) <= LONGEST_DESCRIPTOR else b"")


def descriptor(view: Message) -> bytes:
    """The description of a message and of all that it is made of: a serialized FileDescriptorSet, parts first."""
    files = FileDescriptorSet()
    _add(files, view.DESCRIPTOR.file, set())
    return files.SerializeToString(deterministic=True)


def _add(files: FileDescriptorSet, file: Any, known: set[str]) -> None:
    if file.name not in known:
        known.add(file.name)
        for part in file.dependencies:
            _add(files, part, known)
        file.CopyToProto(files.file.add())


_WIRES: dict[Game[Any], ViewFormat] = {}
