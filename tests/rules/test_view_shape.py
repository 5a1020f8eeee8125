"""The shape that all views share: in typed views too, with mistakes that the law finds, and in every built-in game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from matchsticks.game import Matchsticks, MatchsticksState
from matchsticks.view_pb2 import DESCRIPTOR, View
from referee.rules import registry
from referee.rules.chance import Chance
from referee.rules.game import Seat, seed_bytes
from referee.rules.laws import LawBroken, check_law
from referee.rules.playout import random_chooser
from referee.rules.views import common
from tall_tales import GAME as TALL_TALES

LAW = "views_have_the_common_shape"
OURS = ("encore", "flip7", "stop", "stop_me_go")
File = descriptor_pb2.FileDescriptorProto


def showing(show: Callable[[MatchsticksState, Seat | None], Any]) -> Matchsticks:
    """Matchsticks with another view."""

    class Shown(MatchsticksState):
        def view(self, seat: Seat | None) -> Any:
            return show(self, seat)

    def new(self: Any, players: int, options: Mapping[str, Any], chance: Chance) -> Shown:
        return Shown(Matchsticks().new(players, options, chance).left)

    game: Matchsticks = type("Variant", (Matchsticks,), {"new": new, "rules": lambda self: Matchsticks().rules()})()
    return game


def broken(game: Matchsticks) -> str:
    """What the law says."""
    with pytest.raises(LawBroken) as caught:
        check_law(game, LAW)
    return caught.value.seen


def honest(state: MatchsticksState, seat: Seat | None) -> View:
    return MatchsticksState.view(state, seat)


def declared(change: Callable[[Any, Any, Any], None]) -> Matchsticks:
    """Matchsticks with a view whose message, event or kinds of events are declared in another way."""
    file = File()
    DESCRIPTOR.CopyToProto(file)
    messages = {message.name: message for message in file.message_type}
    change(messages["View"], messages["Event"], file.enum_type[0])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("example.matchsticks.v1.View"))
    return showing(lambda state, seat: made())


def field(message: Any, name: str) -> Any:
    return next(one for one in message.field if one.name == name)


def always_present(view: Any, event: Any, kinds: Any) -> None:
    seat = field(view, "seat")
    seat.ClearField("proto3_optional")
    seat.ClearField("oneof_index")
    del view.oneof_decl[:]


def signed_seat(view: Any, event: Any, kinds: Any) -> None:
    field(view, "seat").type = descriptor_pb2.FieldDescriptorProto.TYPE_INT32


def one_asked(view: Any, event: Any, kinds: Any) -> None:
    field(view, "asked").label = descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL


def other_number(view: Any, event: Any, kinds: Any) -> None:
    field(view, "ranks").number = 12


def own_name(view: Any, event: Any, kinds: Any) -> None:
    field(view, "scores").name = "points"


def low_number(view: Any, event: Any, kinds: Any) -> None:
    field(view, "left").number = 7


def kind_in_words(view: Any, event: Any, kinds: Any) -> None:
    kind = field(event, "kind")
    kind.type = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
    kind.ClearField("type_name")


def own_word_for_the_end(view: Any, event: Any, kinds: Any) -> None:
    kinds.value[1].name = "EVENT_KIND_OVER"


def low_number_in_events(view: Any, event: Any, kinds: Any) -> None:
    field(event, "sticks").number = 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (always_present, "View should have the field 'optional uint32 seat = 1'"),
        (signed_seat, "View should have the field 'optional uint32 seat = 1'"),
        (one_asked, "View should have the field 'repeated uint32 asked = 2'"),
        (own_name, "View should have the field 'repeated int32 scores = 4'"),
        (other_number, "View should have the field 'repeated uint32 ranks = 5'"),
        (low_number, "the field 'left' of example.matchsticks.v1.View has the number 7"),
        (kind_in_words, "Event should have the field 'EventKind kind = 1'"),
        (own_word_for_the_end, "EventKind should have EVENT_KIND_ENDED = 1"),
        (low_number_in_events, "the field 'sticks' of example.matchsticks.v1.Event has the number 3"),
    ],
)
def test_a_message_that_declares_another_shape_is_caught(change: Callable[[Any, Any, Any], None], words: str) -> None:
    assert words in broken(declared(change))


def test_a_message_without_mistakes_keeps_the_law() -> None:
    check_law(Matchsticks(), LAW)
    check_law(showing(honest), LAW)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda view: view.ClearField("seat"), "the view of seat 0: 'seat' is None"),
        (lambda view: view.asked.append(1 - view.asked[0] if view.asked else 1), "'asked' is [0, 1], but only [0]"),
        (lambda view: view.ClearField("asked"), "the view of seat 0: 'asked' is [], but the seat itself is asked"),
        (lambda view: view.scores.append(0), "'scores' is [0, 0, 0], but scores() is [0, 0]"),
        (lambda view: view.ranks.extend([1, 1]), "'ranks' is [1, 1], not []"),
        (lambda view: view.ClearField("ranks"), "'ranks' is [], not [1, 2]"),
        (lambda view: view.ClearField("reason"), "'reason' is '', not 'finished'"),
        (lambda view: view.ClearField("events"), "the last event is not that it ended"),
        (lambda view: view.events.add(), "an event has no kind"),
        (lambda view: view.events.add(kind=1, seat=2), "an event names seat 2"),
    ],
)
def test_a_message_that_says_something_else_than_the_state_is_caught(
    mistake: Callable[[View], Any], words: str
) -> None:
    def mistaken(state: MatchsticksState, seat: Seat | None) -> View:
        view = honest(state, seat)
        mistake(view)
        return view

    seen = broken(showing(mistaken))
    assert words in seen or words.replace("[1, 2]", "[2, 1]") in seen


def test_the_common_part_is_made_for_dicts_and_for_messages() -> None:
    state = TALL_TALES.start(2, seed=b"shape")
    told = [{"kind": "dealt"}]
    shared = {"asked": [0, 1], "events": told, "scores": [0, 0], "ranks": [], "reason": ""}
    assert common(state, 1, told) == {"seat": 1} | shared
    assert common(state, None, told) == {"seat": None} | shared
    sticks = MatchsticksState(1)
    sticks.make(1)
    over = View(**common(sticks, None, []))
    assert not over.HasField("seat")
    assert (list(over.asked), list(over.scores), list(over.ranks), over.reason) == ([], [1, 0], [1, 2], "finished")


@pytest.mark.parametrize("name", OURS)
def test_the_last_that_everybody_hears_of_a_match_is_that_it_ended(name: str) -> None:
    state = registry.find(name).start(3, seed=seed_bytes("the end"))
    choose = [random_chooser(b"the end", seat) for seat in range(3)]
    while asked := state.pending():
        for seat in (None, 0, 1, 2):
            view: Any = state.view(seat)
            assert "EVENT_KIND_ENDED" not in str(view.events)
        state.play({seat: choose[seat](state, seat) for seat in asked})
    for seat in (None, 0, 1, 2):
        view = state.view(seat)
        last = view.events[-1]
        assert (last.DESCRIPTOR.fields_by_name["kind"].enum_type.values_by_number[last.kind].name, last.kind) == (
            "EVENT_KIND_ENDED",
            1,
        )
        assert last == type(last)(kind=1), "it says nothing else: how it ended stands in the view"


@pytest.mark.parametrize("name", OURS)
def test_names_of_the_enums_are_the_same_in_every_game(name: str) -> None:
    view: Any = registry.find(name).start(3, seed=b"").view(None)
    enums = set(view.DESCRIPTOR.file.enum_types_by_name)
    assert "EventKind" in enums
    assert not view.events[0].DESCRIPTOR.enum_types, "kinds of events stand at the top of the file"
    question = view.DESCRIPTOR.fields_by_name.get("question")
    assert (question is None) == (name == "stop_me_go"), "there is one question only in STOP me GO"
    assert question is None or (question.number, question.enum_type.name) == (10, "Question")
