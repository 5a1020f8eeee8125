"""Made-up decisions for unit tests: a question as a referee would ask it, from a few fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, overload

from google.protobuf import json_format
from google.protobuf.message import Message

from arena import views
from arena.decision import Decision, Match
from arena.errors import Refused

M = TypeVar("M", bound=Message)


@overload
def decision(
    game: str,
    view: M,
    legal: Sequence[str] = (),
    *,
    seat: int = 0,
    names: Sequence[str] = ("me", "other"),
    options: Mapping[str, Any] | None = None,
    complete: bool = True,
    number: int = 1,
    budget: float = 1.0,
    bank: float = 0.0,
    rejected: str = "",
    again: bool = False,
) -> Decision[M]: ...


@overload
def decision(
    game: str,
    view: Mapping[str, Any] | None = None,
    legal: Sequence[str] = (),
    *,
    seat: int = 0,
    names: Sequence[str] = ("me", "other"),
    options: Mapping[str, Any] | None = None,
    complete: bool = True,
    number: int = 1,
    budget: float = 1.0,
    bank: float = 0.0,
    rejected: str = "",
    again: bool = False,
) -> Decision[Any]: ...


def decision(
    game: str,
    view: Message | Mapping[str, Any] | None = None,
    legal: Sequence[str] = (),
    *,
    seat: int = 0,
    names: Sequence[str] = ("me", "other"),
    options: Mapping[str, Any] | None = None,
    complete: bool = True,
    number: int = 1,
    budget: float = 1.0,
    bank: float = 0.0,
    rejected: str = "",
    again: bool = False,
) -> Decision[Any]:
    """One question to a bot.

    `view` is the game's message, or a dict of its fields. For the games that come with Referee a dict becomes the typed
    message, and what is not given has its zero value. The view of any other game stays a dict.
    """
    seen = made_up_view(game, view, seat)
    info = Match(
        "test/1", game, seat, tuple(names), dict(options or {}), budget, bank, view_type=view_type_of(seen)
    )  # fmt: skip
    made = Decision(info, number, list(legal), seen, complete=complete, budget=budget, bank=bank, again=again)
    made.rejected = rejected
    return made


def made_up_view(game: str, view: Message | Mapping[str, Any] | None, seat: int) -> Any:
    """The view as a bot sees it; Refused if the game's view has no such field."""
    if isinstance(view, Message):
        return view
    view_type = views.view_type(game)
    if view_type is None:
        return dict(view or {})
    return view_from_json(views.message_class(view_type), {"seat": seat, **(view or {})}, f"the view of {game}")


def view_from_json(message_class: type[Message], fields: Mapping[str, Any], what: str) -> Message:
    """A message from protobuf's JSON, as `--record` writes it."""
    try:
        return json_format.ParseDict(dict(fields), message_class())
    except (json_format.ParseError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"{what} cannot be made of these fields: {error}") from None


def view_type_of(view: Any) -> str:
    """The name under which a view travels."""
    return view.DESCRIPTOR.full_name if isinstance(view, Message) else views.JSON
