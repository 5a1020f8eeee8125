"""What a bot sees of a game that the SDK does not know: a plain dict, or a message described by the server."""

from __future__ import annotations

import sys

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, struct_pb2

import arena
from arena import views
from arena.v1 import match_pb2 as pb

FIELD = descriptor_pb2.FieldDescriptorProto


def described(package: str = "somebody.else.v1") -> bytes:
    """The description of a message with a number and a `Struct`, whose module is nowhere."""
    files = descriptor_pb2.FileDescriptorSet()
    struct_pb2.DESCRIPTOR.CopyToProto(files.file.add())
    file = files.file.add(name=f"{package}.proto", package=package, syntax="proto3")
    file.dependency.append("google/protobuf/struct.proto")
    message = file.message_type.add(name="View")
    message.field.add(name="left", number=1, type=FIELD.TYPE_UINT32, label=FIELD.LABEL_OPTIONAL)
    message.field.add(
        name="more", number=2, type=FIELD.TYPE_MESSAGE, label=FIELD.LABEL_OPTIONAL, type_name=".google.protobuf.Struct"
    )
    return files.SerializeToString()


def info(view_type: str, descriptor: bytes = b"") -> arena.Match:
    start = pb.MatchStart(match_id="m", game="g", view_type=view_type, view_descriptor=descriptor)
    return arena.Match.from_start(start)


def test_a_json_view_is_a_dict_whose_numbers_are_whole() -> None:
    data = '{"card":7,"né":[1,2,{"a":null}]}'.encode()
    decision = arena.Decision(info("json"), 1, ["a"], data)
    assert decision.view_bytes == data
    assert decision.view == {"card": 7, "né": [1, 2, {"a": None}]}
    assert type(decision.view["card"]) is int
    assert decision.view_bytes == data, "also after it was looked at"


def test_a_dict_that_is_given_has_the_bytes_of_the_wire() -> None:
    assert arena.Decision(info(""), 1, [], {"b": 1, "a": [2]}).view_bytes == b'{"a":[2],"b":1}'


def test_a_described_message_is_read_without_any_import() -> None:
    modules = set(sys.modules)
    decision = arena.Decision(info("somebody.else.v1.View", described()), 1, ["a"], b"\x08\x05")
    assert decision.view.left == 5
    assert set(sys.modules) == modules
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("somebody.else.v1.View")


def test_two_servers_may_describe_the_same_name_differently() -> None:
    other = descriptor_pb2.FileDescriptorSet.FromString(described())
    other.file[1].message_type[0].field[0].name = "right"
    first = views.read("somebody.else.v1.View", b"\x08\x05", described())
    second = views.read("somebody.else.v1.View", b"\x08\x05", other.SerializeToString())
    assert (first.left, second.right) == (5, 5)


@pytest.mark.parametrize("name", ["arena.games.os.v1.View", "arena.games.flip7.v1.Nothing", "os.path", "antigravity"])
def test_nothing_is_imported_because_a_server_names_it(name: str) -> None:
    modules = set(sys.modules)
    with pytest.raises(views.UnknownView):
        views.read(name, b"")
    assert set(sys.modules) == modules


@pytest.mark.parametrize(
    "descriptor",
    [
        b"\xff\xff",
        b"nonsense",
        described("another"),
        descriptor_pb2.FileDescriptorSet().SerializeToString(),
        b"\x00" * (2 << 20),
    ],
    ids=["undecodable", "nonsense", "another message", "empty", "huge"],
)
def test_a_description_that_is_of_no_use_is_told_in_a_sentence(descriptor: bytes) -> None:
    decision = arena.Decision(info("somebody.v1.View", descriptor), 1, ["a"], b"\x08\x05")
    with pytest.raises(views.UnknownView, match=r"decision\.legal alone"):
        _ = decision.view
    assert decision.view_bytes == b"\x08\x05"


def test_a_description_without_its_parts_is_told_in_a_sentence() -> None:
    files = descriptor_pb2.FileDescriptorSet.FromString(described())
    del files.file[0]
    with pytest.raises(views.UnknownView):
        views.read("somebody.else.v1.View", b"", files.SerializeToString())
