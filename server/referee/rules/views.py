"""Views on the wire: how the message or the plain dict that a game shows becomes bytes, and how a bot reads them.

A game shows a protobuf message or a plain dict. A message travels as its own bytes under its full name. A dict travels
as JSON in UTF-8 under the name `json`: keys sorted, no spaces, so that equal views have equal bytes. Whole numbers stay
whole numbers in every language.

A bot has no generated code for a message that somebody else wrote. So the description of such a message
(a `FileDescriptorSet`) is sent along when a match starts, and a bot has to import nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message import Message

if TYPE_CHECKING:
    from referee.rules.game import Game, State

View = Message | dict[str, Any]
"""What a game may show."""

JSON = "json"
"""The name under which plain dicts travel."""

BUILT_IN = "arena.games."
"""Messages of this package come with every SDK."""

LONGEST_DESCRIPTOR = 1 << 16
"""A longer description is not sent: bots then play from the legal list, or import the game's generated code."""


class Wire(NamedTuple):
    """How the views of a game travel: the name of their type, and its description where bots may not know it."""

    type: str
    descriptor: bytes


def pack(view: View) -> bytes:
    """The bytes of a view; equal views have equal bytes."""
    if isinstance(view, Message):
        return view.SerializeToString(deterministic=True)
    return json.dumps(view, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False).encode()


def show(view: View) -> str:
    """A view for people, one field per line."""
    if isinstance(view, Message):
        return str(view)
    return "\n".join(f"{key}: {json.dumps(view[key], ensure_ascii=False)}" for key in sorted(view))


def wire_of(game: Game[Any], state: State[Any]) -> Wire:
    """How the views of this game travel; the same for all its matches, so it is worked out once."""
    if game not in _WIRES:
        _WIRES[game] = describe(state.view(None))
    return _WIRES[game]


def describe(view: View) -> Wire:
    """How a view of this type travels."""
    if not isinstance(view, Message):
        return Wire(JSON, b"")
    name = view.DESCRIPTOR.full_name
    described = b"" if name.startswith(BUILT_IN) else descriptor(view)
    return Wire(name, described if len(described) <= LONGEST_DESCRIPTOR else b"")


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


_WIRES: dict[Game[Any], Wire] = {}
