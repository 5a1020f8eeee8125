"""Views on the wire: canonical bytes, and a description exactly where bots need one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, struct_pb2
from google.protobuf.message import Message

from matchsticks import GAME as MATCHSTICKS
from referee.rules import registry, views
from tall_tales import GAME as TALL_TALES


@pytest.mark.parametrize("name", ["encore", "flip7", "stop", "stop_me_go"])
def test_the_built_in_games_send_their_messages_and_no_description(name: str) -> None:
    state = registry.find(name).start(3, seed=b"views")
    view = state.view(0)
    assert isinstance(view, Message)
    assert views.describe(view) == views.ViewFormat(f"arena.games.{name}.v1.View", b"")
    assert views.pack(view) == view.SerializeToString(deterministic=True) == state.view_bytes(0)


def test_a_dict_travels_as_json_with_sorted_keys_and_whole_numbers() -> None:
    assert views.pack({"b": [1, (2, 3)], "a": {"é": None}}) == '{"a":{"é":null},"b":[1,[2,3]]}'.encode()
    assert views.pack({"b": 1, "a": 2}) == views.pack({"a": 2, "b": 1})
    assert views.describe({}) == views.ViewFormat("json", b"")
    state = TALL_TALES.start(2, seed=b"views")
    assert type(json.loads(state.view_bytes(0))["card"]) is int


def test_what_json_cannot_carry_is_no_view() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            views.pack({"worth": value})


def test_another_message_travels_with_its_description_parts_first() -> None:
    state = MATCHSTICKS.start(2, seed=b"views")
    wire = views.view_format_of(MATCHSTICKS, state)
    assert wire.type == "example.matchsticks.v1.View"
    files = descriptor_pb2.FileDescriptorSet.FromString(wire.descriptor)
    assert [message.name for message in files.file[-1].message_type] == ["View", "Event", "Taken"]
    assert views.view_format_of(MATCHSTICKS, state) is wire, "worked out once"


def test_a_description_beyond_the_bound_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    view: Any = struct_pb2.Struct()
    length = len(views.describe(view).descriptor)
    assert length > 0
    monkeypatch.setattr(views, "LONGEST_DESCRIPTOR", length - 1)
    assert views.describe(view) == views.ViewFormat("google.protobuf.Struct", b"")
