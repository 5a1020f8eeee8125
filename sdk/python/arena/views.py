"""From the bytes of a view to what a bot looks at: a typed message, or a plain dict."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import import_module
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message

JSON = "json"
"""The view type of a plain dict."""

BUILT_IN = {f"arena.games.{game}.v1.View": game for game in ("encore", "flip7", "stop", "stop_me_go")}
"""The views that come with this package. No other module is ever imported because a server names it."""

LONGEST_DESCRIPTOR = 1 << 20


class UnknownView(LookupError):
    """The view of this game cannot be read; the text says what would help."""


def view_type(game: str) -> str | None:
    """The type of view of a game that comes with Referee; None for any other game."""
    return next((name for name, known in BUILT_IN.items() if known == game), None)


def read(view_type: str, data: bytes, descriptor: bytes = b"") -> Any:
    """A view from its bytes: a dict, or a message of the type that is named."""
    if view_type == JSON:
        return json.loads(data)
    return message_class(view_type, descriptor).FromString(data)


def write(view: Any) -> bytes:
    """The bytes of a view as a referee writes them."""
    if isinstance(view, Message):
        return view.SerializeToString(deterministic=True)
    return json.dumps(view, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()


@lru_cache(64)
def message_class(view_type: str, descriptor: bytes = b"") -> type[Message]:
    """The class of a view such as `arena.games.flip7.v1.View`.

    Views of the built-in games come with this package. The view of another game is the generated class, if the bot has
    imported it, or else is made from the descriptor that came with the start of the match.
    """
    if game := BUILT_IN.get(view_type):
        import_module(f"arena.games.{game}.v1.{game}_pb2")
    try:
        found = descriptor_pool.Default().FindMessageTypeByName(view_type)
    except KeyError:
        found = _described(view_type, descriptor)
    return message_factory.GetMessageClass(found)


def _described(view_type: str, descriptor: bytes) -> Any:
    """The type from its description, in a pool of its own: it never mixes with the types the bot has imported."""
    if not descriptor or len(descriptor) > LONGEST_DESCRIPTOR:
        raise UnknownView(
            f"no generated code for the view {view_type!r} and no description of it: import the game's _pb2 module in "
            "your bot, or play from decision.legal alone"
        )
    pool = descriptor_pool.DescriptorPool()
    try:
        for file in descriptor_pb2.FileDescriptorSet.FromString(descriptor).file:
            pool.Add(file)
        return pool.FindMessageTypeByName(view_type)
    except (DecodeError, TypeError, KeyError, ValueError) as error:
        raise UnknownView(
            f"the server's description of the view {view_type!r} cannot be used ({error}): "
            "play from decision.legal alone"
        ) from None
