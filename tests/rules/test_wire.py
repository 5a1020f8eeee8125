"""Wire forms of parts of a view: joined, they are what the message writes."""

from __future__ import annotations

import pytest

from arena.games.stop_me_go.v1.stop_me_go_pb2 import Purse, View
from referee.rules.wire import each, framed, heads, numbers, part_heads, tag, varint


@pytest.mark.parametrize("value", range(0, 300, 13))
def test_each_value_of_a_field_is_written_as_the_message_writes_it(value: int) -> None:
    assert each(View, "pile_size", range(300))[value] == View(pile_size=value).SerializeToString()


@pytest.mark.parametrize("numbers", [[], [0], [127], [1, 2, 3], list(range(20))])
def test_numbers_behind_their_head_are_written_as_the_message_writes_them(numbers: list[int]) -> None:
    form = heads(View, "discarded", 20)[len(numbers)] + bytes(numbers)
    assert form == View(discarded=numbers).SerializeToString()


@pytest.mark.parametrize("text", ["", "a", "ä" * 63, "x" * 127, "x" * 128, "x" * 20_000])
def test_a_text_behind_its_tag_is_written_as_the_message_writes_it(text: str) -> None:
    written = framed(tag(View, "reason"), text.encode()) if text else b""
    assert written == View(reason=text).SerializeToString()


@pytest.mark.parametrize("value", [0, 1, 127, 128, 300, 2**31 - 1, -1, -5, -(2**31)])
def test_a_number_is_written_as_the_message_writes_it(value: int) -> None:
    form = framed(tag(View, "scores"), varint(value) + varint(7))
    assert form == View(scores=[value, 7]).SerializeToString()


def test_a_field_with_a_high_number_has_a_tag_of_two_bytes() -> None:
    assert tag(View, "arrests") == View(arrests=[{}]).SerializeToString()[:-1]  # type: ignore[list-item]  # a dict will do


@pytest.mark.parametrize("length", [0, 1, 127, 128, 300])
def test_a_part_behind_its_head_is_written_as_the_message_writes_it(length: int) -> None:
    purse = Purse(values=[7] * length)
    part = purse.SerializeToString()
    assert part_heads(View, "purses", 400)[len(part)] + part == View(purses=[purse]).SerializeToString()


@pytest.mark.parametrize("values", [[], [0], [127, 128, 129], [16383, 16384, 1 << 31], [300] * 200])
def test_numbers_of_any_size_are_written_as_the_message_writes_them(values: list[int]) -> None:
    form = numbers(values)
    head = part_heads(View, "tokens", 400)[len(form)] if values else b""
    assert head + form == View(tokens=values).SerializeToString()
