"""From the name of a view to its typed message."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import Message


class UnknownView(LookupError):
    """The bot has no generated code for this game's view; the text says what to import."""


@cache
def message_class(view_type: str) -> type[Message]:
    """The class of a view such as `arena.games.flip7.v1.View`.

    Views of the built-in games come with this package. A third party's game ships its own generated module: import
    it in the bot, and it is found by name.
    """
    package, _, _ = view_type.rpartition(".")
    parts = package.split(".")
    if len(parts) == 4 and parts[:2] == ["arena", "games"]:
        with suppress(ImportError):
            import_module(f"{package}.{parts[2]}_pb2")
    try:
        found = descriptor_pool.Default().FindMessageTypeByName(view_type)
    except KeyError:
        raise UnknownView(
            f"no generated code for the view {view_type!r}: import the game's _pb2 module in your bot, "
            "or play from decision.legal alone"
        ) from None
    return message_factory.GetMessageClass(found)


def read(view_type: str, data: bytes) -> Any:
    """A typed view from its bytes."""
    return message_class(view_type).FromString(data)
