"""The files of the protocol as generators in other languages meet them: packages, names, and enums instead of words."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

PROTO = Path(__file__).resolve().parents[2] / "proto"
FILES = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
KEYWORDS = """
abstract as assert async await bool boolean break byte case catch chan char class const continue crate debugger
decimal default defer delegate delete do double dyn else enum event explicit export extends extern false final
finally fixed float fn for foreach func function go goto if impl implements import in instanceof int interface
internal is let lock long loop map match mod move mut namespace native new null object operator out override
package params private protected pub public range readonly ref register return sealed select self short
signed sizeof static string struct super switch template this throw trait true try type typedef typename union
unsafe unsigned use using var virtual void volatile where while with yield
"""
WORDS = {"fault", "kind", "missed", "order", "phase", "state", "states", "status", "step", "termination"}
"""What has a fixed set of values, in whatever message it stands."""
OPEN = {"arena.v1.EventInfo.kind"}
"""Words of which every version may add some."""


def described(file: str) -> Any:
    """What the generated code of a file knows about it."""
    return importlib.import_module(file.removesuffix(".proto").replace("/", ".") + "_pb2").DESCRIPTOR


def fields(file: str) -> list[Any]:
    messages = list(described(file).message_types_by_name.values())
    for message in messages:
        messages += message.nested_types
    return [field for message in messages for field in message.fields]


@pytest.mark.parametrize("file", FILES)
def test_every_file_says_into_which_packages_its_code_goes(file: str) -> None:
    options = described(file).GetOptions()
    assert options.go_package
    assert options.java_package
    assert options.java_multiple_files
    assert options.csharp_namespace


@pytest.mark.parametrize("file", FILES)
def test_no_field_is_a_keyword_of_a_language_that_sdks_are_written_in(file: str) -> None:
    assert [field.full_name for field in fields(file) if field.name in KEYWORDS.split()] == []


@pytest.mark.parametrize("file", FILES)
def test_what_has_a_fixed_set_of_values_is_an_enum(file: str) -> None:
    texts = {field.full_name for field in fields(file) if field.name in WORDS and field.type == field.TYPE_STRING}
    assert texts - OPEN == set()


@pytest.mark.parametrize("file", FILES)
def test_the_zero_of_every_enum_says_that_nothing_is_said(file: str) -> None:
    for enum in described(file).enum_types_by_name.values():
        assert enum.values_by_number[0].name.endswith("_UNSPECIFIED")
