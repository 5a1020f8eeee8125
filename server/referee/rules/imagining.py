"""What every `imagine` needs: a view read from whatever form a bot has it in, and one error for what is no view.

A bot has a view as a message, as a dict (of a game that shows dicts, or over JSON lines) or as bytes. `Game.imagine`
takes all three: `read_message` and `read_dict` make one of them, `whole_view` turns what a view of another game or a
damaged one leads to into `WrongUse`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message

from referee.rules.game import Game, WrongUse
from referee.rules.views import View

V = TypeVar("V", bound=Message)


def imagines(game: Game[Any]) -> bool:
    """Whether this game can make a match from a view: `Game.imagine` is its author's to provide."""
    return type(game).imagine is not Game.imagine


def read_message(kind: type[V], view: View | bytes) -> V:
    """A view of a game that shows messages: the message, its bytes, or the dict that JSON lines carry."""
    if isinstance(view, kind):
        return view
    if isinstance(view, Message):
        if view.DESCRIPTOR.full_name != kind.DESCRIPTOR.full_name:
            raise ValueError(f"it is a {view.DESCRIPTOR.full_name}, not a {kind.DESCRIPTOR.full_name}")
        view = view.SerializeToString()
    if isinstance(view, dict):
        return json_format.ParseDict(view, kind())
    return kind.FromString(view)


def read_dict(view: View | bytes) -> dict[str, Any]:
    """A view of a game that shows dicts: the dict (copied, so that nothing is shared with it), or its bytes."""
    if isinstance(view, Message):
        raise TypeError(f"it is a {view.DESCRIPTOR.full_name}, not a dict")
    found = json.loads(view if isinstance(view, bytes) else json.dumps(view))
    if not isinstance(found, dict):
        raise TypeError(f"it is a {type(found).__name__}, not a dict")
    return found


@contextmanager
def whole_view(game: Game[Any]) -> Iterator[None]:
    """WrongUse where what is read inside turns out to be no view of this game."""
    try:
        yield
    except WrongUse:
        raise
    except (DecodeError, json_format.ParseError, ValueError, TypeError, LookupError, OverflowError) as error:
        why = f": {error}" if str(error) else ""
        raise WrongUse(f"this is no view of a match of {game.name}{why}") from error
