"""The cases of the conformance kit are well formed, and a file that is not gets one clear sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from referee.conformance import bodies, case
from referee.conformance.outcome import filled
from referee.rules.game import WrongUse

README = (case.folder() / "README.md").read_text("utf-8")
CASES = case.load()
OVER_LINES = {"greet", "say", "hear", "start_all", "ask_all"}


def said(one: case.Case) -> Iterator[Mapping[str, Any]]:
    for step in one.script:
        ((verb, value),) = step.items()
        if verb == "say":
            yield from value if isinstance(value, list) else [value]
        elif verb == "greet":
            yield {"welcome": value}


def test_there_are_enough_cases_with_names_of_their_own() -> None:
    assert len(CASES) >= 60
    assert all(re.fullmatch(r"[a-z0-9_]+", one.name) for one in CASES)


@pytest.mark.parametrize("one", CASES, ids=lambda one: one.name)
def test_all_that_the_server_says_is_of_the_protocol(one: case.Case) -> None:
    words = {"where": "localhost:1", "where2": "localhost:2", "folder": "/tmp", "certificates": "/tmp"}
    for table in said(one):
        bodies.from_table(filled(table, words))


@pytest.mark.parametrize("one", [one for one in CASES if one.lines], ids=lambda one: one.name)
def test_cases_for_lines_have_only_steps_that_make_sense_there(one: case.Case) -> None:
    assert {next(iter(step)) for step in one.script} <= OVER_LINES
    assert not one.args
    assert one.exit is None


def test_the_readme_tells_every_step_key_server_and_feature() -> None:
    for step in case.STEPS:
        assert f"`{step} = " in README, step
    for server in case.SERVERS:
        assert f"`{server}`" in README, server
    for feature in case.FEATURES:
        assert f"| `{feature}` |" in README, feature
    for key in case.Case.__dataclass_fields__:
        assert key == "theme" or f"`{key}`" in README, key


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[case]", "bad.toml: "),
        ("[[cases]]\nname = 'a'", "holds [[case]] tables and nothing else"),
        ("[[case]]\nshows = 'x'", "it needs a 'name'"),
        ("[[case]]\nname = 'a'", "case 'a': it needs a 'shows'"),
        ("[[case]]\nname = 'a'\nshows = 'x'\nscirpt = []", "there is no key 'scirpt'; did you mean 'script'?"),
        ("[[case]]\nname = 'a'\nshows = 'x'\nserver = 'web'", "there is no server 'web'; there are plain, tls"),
        ("[[case]]\nname = 'a'\nshows = 'x'\nfeature = 'magic'", "there is no feature 'magic'; there are untyped"),
        ("[[case]]\nname = 'a'\nshows = 'x'\nscript = [{shout = 1}]", "is no step; a step has one key of opens"),
        ("[[case]]\nname = 'a'\nshows = 'x'\n" * 2, "two cases are called 'a'"),
        ("", "there are no cases in"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(WrongUse, match=re.escape(sentence)):
        case.load(tmp_path)


def test_cases_are_chosen_by_name_theme_and_pattern() -> None:
    assert [one.name for one in case.choose(CASES, ["help"])] == ["help"]
    assert {one.theme for one in case.choose(CASES, ["views"])} == {"views"}
    assert len(case.choose(CASES, ["rejected_*", "help"])) == 4
    with pytest.raises(WrongUse, match=re.escape("no case is called 'helf'; did you mean 'help'?")):
        case.choose(CASES, ["helf"])


@pytest.mark.parametrize(
    ("expected", "seen", "fit"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": "*"}, {"a": ""}, False),
        ({"a": "*"}, {"a": "x"}, True),
        ({"a": "~^x+$"}, {"a": "xx"}, True),
        ({"a": "~^x+$"}, {"a": "xy"}, False),
        ([1, {"a": 1}], [1, {"a": 1, "b": 2}], True),
        ([1], [1, 2], False),
        ("x", 1, False),
    ],
)
def test_what_was_seen_is_compared_by_what_a_case_names(expected: Any, seen: Any, fit: bool) -> None:
    assert bodies.fits(expected, seen) is fit


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ({"shout": {}}, "'shout' is no body of the referee's"),
        ({"decide": {"moves": []}}, 'no field named "moves"'),
        ({"decide": {}, "drain": {}}, "a body is a table with one key"),
    ],
)
def test_a_wrong_body_is_told(table: dict[str, Any], sentence: str) -> None:
    with pytest.raises(bodies.NotABody, match=sentence):
        bodies.from_table(table)


def test_views_in_json_have_the_bytes_that_the_protocol_promises() -> None:
    table = {"decide": {"view_json": {"b": [1, {"ü": True}], "a": "x, y"}, "view_padding": 3}}
    assert bodies.from_table(table).decide.view.decode() == '{"":"xxx","a":"x, y","b":[1,{"ü":true}]}'
