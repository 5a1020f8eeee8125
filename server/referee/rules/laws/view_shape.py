"""The law about what the views of all games have in common: one shape, and nothing in it that the state denies.

A program that knows no game reads from any view whose it is, who is asked, what happened, how it stands and how it
ended. `referee.rules.views.common` makes this part of a view.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto
from google.protobuf.message import Message

from referee.rules.game import Seat, State
from referee.rules.laws.cases import Trial
from referee.rules.views import COMMON, OWN_FIELDS, View

VIEW_FIELDS = {
    "seat": "optional uint32 seat = 1",
    "asked": "repeated uint32 asked = 2",
    "events": "repeated Event events = 3",
    "scores": "repeated int32 scores = 4",
    "ranks": "repeated uint32 ranks = 5",
    "reason": "string reason = 6",
}
EVENT_FIELDS = {"kind": "EventKind kind = 1", "seat": "optional uint32 seat = 2"}
ENDED, ENDED_NUMBER = "EVENT_KIND_ENDED", 1
"""How a typed view and its events declare what they share; in a dict the last event of a match has the kind `ended`."""

_TYPES = {
    FieldDescriptor.TYPE_ENUM: "EventKind",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_MESSAGE: "Event",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_UINT32: "uint32",
}


def views_have_the_common_shape(trial: Trial) -> None:
    """Every view tells seat, asked, events, scores, ranks and reason in the same words, and as the state has them."""
    for case in trial.cases:
        for state in trial.moments(case, dense=4):
            asked_in_public: list[Seat] = []
            for seat in case.seats:
                who = "the public" if seat is None else f"seat {seat}"
                view = state.view(seat)
                if flaw := _misshapen(view) or _disagrees(_shared(view), state, seat, asked_in_public):
                    raise trial.broken(f"the view of {who}: {flaw}")
                if seat is None:
                    asked_in_public = _shared(view)["asked"]


def _misshapen(view: View) -> str | None:
    """What the common part of a view lacks, or None."""
    if isinstance(view, Message):
        return _misdeclared(view)
    # The public's view has no seat, and may leave the word out.
    if missing := [name for name in COMMON if name not in view and name != "seat"]:
        return f"{missing[0]!r} is missing; every view has {', '.join(COMMON)}"
    for name in ("asked", "events", "scores", "ranks"):
        if not isinstance(view[name], list | tuple):
            return f"{name!r} is {view[name]!r}, not a list"
        if name != "events" and any(type(number) is not int for number in view[name]):
            return f"{name!r} is {view[name]!r}, not a list of whole numbers"
    if type(view["reason"]) is not str:
        return f"'reason' is {view['reason']!r}, not a text"
    for event in view["events"]:
        if not isinstance(event, dict) or type(event.get("kind")) is not str or not event["kind"]:
            return f"the event {event!r} does not say its 'kind' in a word"
        if event.get("seat") is not None and type(event["seat"]) is not int:
            return f"the 'seat' of the event {event!r} is no whole number"
    return None


def _misdeclared(view: Message) -> str | None:
    """What is wrong with the fields of a typed view, or None."""
    message: Any = view.DESCRIPTOR
    if flaw := _fields(message, VIEW_FIELDS):
        return flaw
    event = message.fields_by_name["events"].message_type
    if flaw := _fields(event, EVENT_FIELDS):
        return flaw
    kinds = event.fields_by_name["kind"].enum_type
    ended = kinds.values_by_name.get(ENDED)
    return None if ended and ended.number == ENDED_NUMBER else f"{kinds.full_name} should have {ENDED} = {ENDED_NUMBER}"


def _fields(message: Any, wanted: dict[str, str]) -> str | None:
    """What is wrong with the fields of a message, given its descriptor, or None."""
    described = DescriptorProto()
    message.CopyToProto(described)
    repeated = {field.name for field in described.field if field.label == FieldDescriptorProto.LABEL_REPEATED}
    for name, line in wanted.items():
        field = message.fields_by_name.get(name)
        if field is None or _declared(field, name in repeated, line.startswith("optional ")) != line:
            return f"the message {message.full_name} should have the field '{line}'"
    for field in message.fields:
        if field.name not in wanted and field.number < OWN_FIELDS:
            own = f"a game's own fields begin at {OWN_FIELDS}"
            return f"the field {field.name!r} of {message.full_name} has the number {field.number}; {own}"
    return None


def _declared(field: FieldDescriptor, repeated: bool, may_be_absent: bool) -> str:
    """A field as its .proto file has it, with any message called Event and any enum EventKind.

    Whether it can be told from zero when absent counts only where that is wanted.
    """
    before = "repeated " if repeated else "optional " if may_be_absent and field.has_presence else ""
    return f"{before}{_TYPES.get(field.type, 'another type')} {field.name} = {field.number}"


def _shared(view: View) -> dict[str, Any]:
    """The common part of a view, in plain values."""
    if not isinstance(view, Message):
        return {name: list(part) if isinstance(part := view.get(name), tuple) else part for name in COMMON}
    typed: Any = view
    shared = {name: list(getattr(typed, name)) for name in ("asked", "scores", "ranks")}
    events = [{"kind": event.kind, "seat": event.seat if event.HasField("seat") else None} for event in typed.events]
    seat = typed.seat if typed.HasField("seat") else None
    return {"seat": seat, "events": events, "reason": typed.reason} | shared


def _disagrees(shared: dict[str, Any], state: State[Any], seat: Seat | None, asked_in_public: list[Seat]) -> str | None:
    """What a view says that is not so in this state, or None."""
    asked, pending, result = shared["asked"], state.pending(), state.result()
    if shared["seat"] != seat:
        return f"'seat' is {shared['seat']!r}"
    if asked != sorted(set(asked)):
        return f"'asked' is {asked}, not ascending"
    if not set(asked) <= set(pending):
        return f"'asked' is {asked}, but only {list(pending)} are asked"
    if seat is not None and (seat in asked) != (seat in pending):
        return f"'asked' is {asked}, but the seat itself is {'' if seat in pending else 'not '}asked"
    if not set(asked_in_public) <= set(asked):
        return f"'asked' is {asked}, though the public sees that {asked_in_public} are asked"
    if shared["scores"] != list(state.scores()):
        return f"'scores' is {shared['scores']}, but scores() is {state.scores()}"
    ranks, reason = ([], "") if result is None else (list(result.ranks), result.reason)
    if shared["ranks"] != ranks:
        return f"'ranks' is {shared['ranks']}, not {ranks} as the result says"
    if shared["reason"] != reason:
        return f"'reason' is {shared['reason']!r}, not {reason!r} as the result says"
    if not pending and [event["kind"] for event in shared["events"]][-1:] not in (["ended"], [ENDED_NUMBER]):
        return "the match is over, and the last event is not that it ended"
    for event in shared["events"]:
        if not event["kind"]:
            return "an event has no kind"
        if event.get("seat") is not None and event["seat"] not in range(state.players):
            return f"an event names seat {event['seat']}, which is not at the table"
    return None
