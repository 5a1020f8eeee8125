"""Wire forms of parts of a view, made once: for a game that writes the bytes of its views without building a message.

The wire form of a message is that of its fields one after the other, in the order of their numbers. So a view can be
joined from parts: those that come again and again are kept, and the message itself says how each is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from google.protobuf.message import Message


def each(view: type[Message], field: str, values: Iterable[Any]) -> list[bytes]:
    """The wire form of a view that has this field alone, for each of its values."""
    return [view(**{field: value}).SerializeToString() for value in values]


def heads(view: type[Message], field: str, most: int) -> list[bytes]:
    """What stands before the numbers of a repeated field, by how many they are.

    Each number has to be below 128: then it is written as one byte, and `heads[len(numbers)] + bytes(numbers)` is the
    wire form of all of them.
    """
    return [form[: len(form) - count] for count, form in enumerate(each(view, field, map(bytes, range(most + 1))))]


def tag(message: type[Message], field: str) -> bytes:
    """What a text or a part of this field begins with; `framed` writes the rest."""
    return varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | _FRAMED)


def framed(tag: bytes, content: bytes) -> bytes:
    """A text or a part: its tag, how long it is, the content."""
    return tag + varint(len(content)) + content


def part_heads(view: type[Message], field: str, most: int) -> list[bytes]:
    """What stands before a message in this field, or before the `numbers` of a repeated one, by its length in bytes."""
    return [tag(view, field) + varint(length) for length in range(most + 1)]


def numbers(values: Iterable[int]) -> bytes:
    """Whole numbers as a repeated field holds them, behind its head."""
    return b"".join(map(varint, values))


@lru_cache(maxsize=4096)
def varint(value: int) -> bytes:
    """A whole number, seven bits to a byte and the lowest first; below 0 it takes ten bytes."""
    value &= (1 << 64) - 1
    form = bytearray()
    while value > 127:
        form.append(value & 127 | 128)
        value >>= 7
    form.append(value)
    return bytes(form)


_FRAMED = 2
"""How a tag says that a length and so many bytes follow."""
