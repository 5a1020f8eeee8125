"""Frozen dataclasses to plain JSON values and back, keys in the order the fields are declared.

`encode(value)` gives dicts, lists, strings, numbers, booleans and None. `decode(kind, value)` builds the dataclass
again and refuses anything that does not fit, naming the place: `standings.rows[3].mu: expected a number, got "x"`.
A dataclass may name computed attributes in `computed`: they are written for the reader's sake and passed over on
the way back, since they follow from the rest.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


class StandingsError(ValueError):
    """A JSON value that does not describe what it should; the message says where and why."""


def encode(value: Any) -> Any:
    """The plain JSON value of a dataclass, an enum, a tuple or a plain value."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [*(field.name for field in dataclasses.fields(value)), *getattr(value, "computed", ())]
        return {name: encode(getattr(value, name)) for name in names}
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


def decode(kind: type[T], value: object, where: str) -> T:
    """Build a `kind` from its JSON value; `where` is what an error calls the place."""
    built: T = _decode(kind, value, where)
    return built


def _decode(kind: Any, value: object, where: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _decode_record(kind, value, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        (inner,) = (argument for argument in get_args(kind) if argument is not types.NoneType)
        return None if value is None else _decode(inner, value, where)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise _unfit(where, "a list", value)
        inner = get_args(kind)[0]
        return tuple(_decode(inner, item, f"{where}[{index}]") for index, item in enumerate(value))
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        if not isinstance(value, str) or value not in kind.__members__.values():
            raise _unfit(where, "one of " + ", ".join(member.value for member in kind), value)
        return kind(value)
    return _decode_plain(kind, value, where)


def _decode_record(kind: Any, value: object, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise _unfit(where, "an object", value)
    hints = _hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}
    unknown = [str(key) for key in value if key not in fields and key not in getattr(kind, "computed", ())]
    if unknown:
        raise StandingsError(f"{where}: unknown key {unknown[0]!r}; was it written by a newer version?")
    built = {}
    for name, field in fields.items():
        if name in value:
            built[name] = _decode(hints[name], value[name], f"{where}.{name}")
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise StandingsError(f"{where}: the key {name!r} is missing")
    try:
        return kind(**built)
    except StandingsError:
        raise
    except ValueError as error:
        raise StandingsError(f"{where}: {error}") from None


def _decode_plain(kind: Any, value: object, where: str) -> Any:
    # bool is an int to Python, but true is not a number in JSON.
    if kind is bool and isinstance(value, bool):
        return value
    if kind is str and isinstance(value, str):
        return value
    if kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    names = {bool: "true or false", str: "a string", int: "a whole number", float: "a number"}
    raise _unfit(where, names[kind], value)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _unfit(where: str, expected: str, value: object) -> StandingsError:
    shown = json.dumps(value, default=repr, ensure_ascii=False)
    if len(shown) > 60:
        shown = shown[:57] + "..."
    return StandingsError(f"{where}: expected {expected}, got {shown}")
