"""Fuzzing: whatever text or bytes come from outside, nothing but the documented errors comes out.

A few hundred examples of each kind in `make test`; `make soak` tries until its time is up (`REFEREE_FUZZ_SECONDS`, an
hour for each kind unless told otherwise). Examples are made from real ones: a byte changed, a piece left out or
repeated, a value put in another's place.
"""

from __future__ import annotations

import json
import os
import shutil
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arena.v1 import match_pb2 as pb
from referee.cli.errors import Failure
from referee.cli.serve_settings import read_config
from referee.games.encore.sheet_file import check_sheet, standard_sheet
from referee.hall.options_json import read_options
from referee.hosting.bot import folders
from referee.hosting.lines.codec import NotAnAnswer, read_answer
from referee.rules import registry, scenario
from referee.rules.chance import Seeded
from referee.rules.game import Unreadable, WrongUse
from referee.rules.scenario import ScenarioFailed
from referee.rules.scenario.file import ScenarioUnreadable
from referee.tournament.audit import folder as audit_folder
from referee.tournament.audit.replay import DoesNotHold, replay
from referee.tournament.audit.verify import verify

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "tests" / "tournament" / "audit" / "exported_before" / "records"
HEALTH = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
QUICK = settings(
    max_examples=40,
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=HEALTH,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A text that was well formed, with a few changes."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(data) - 1)))
        size = draw(st.integers(0, 12))
        data[at : at + size] = draw(
            st.binary(max_size=8) | st.sampled_from([b"", b'"', b"{", b"[[", b"null", b"-1", b"1e999", b"\xff", b"\0"])
        )
    return bytes(data)


@st.composite
def replaced(draw: st.DrawFn, value: Any) -> Any:
    """A value with one part of it put in place by another."""
    if draw(st.integers(0, 3)) == 0:
        return draw(JSON)
    if isinstance(value, dict) and value:
        key = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 9)) == 0:
            return {name: one for name, one in value.items() if name != key}
        return value | {key: draw(replaced(value[key]))}
    if isinstance(value, list) and value:
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(replaced(value[at])), *value[at + 1 :]]
    return draw(JSON)


# What comes in, and what may come out of it.


def move(name: str, text: str) -> None:
    game = registry.find(name)
    state = game.new(max(2, game.seats.least), game.resolve_options({}), Seeded(bytes(32)))
    try:
        read = state.parse(text)
    except Unreadable:
        return
    state.check(state.pending()[0], read)


def record(data: bytes) -> None:
    with suppress(DoesNotHold):
        replay(data)


def sheet(value: Any) -> None:
    with suppress(ValueError):  # documented; WrongUse is one too
        check_sheet(value if isinstance(value, dict) else {"sheet": value})


def options(text: str) -> None:
    with suppress(WrongUse):
        registry.find("encore").resolve_options(read_options(text))


def line(data: bytes) -> None:
    with suppress(NotAnAnswer):
        read_answer(data)


def message(data: bytes) -> None:
    try:
        frame = pb.PlayRequest.FromString(data)
    except DecodeError:
        return
    for body in frame.bodies:
        body.WhichOneof("body")


def in_file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def bot_toml(folder: Path, data: bytes) -> None:
    in_file(folder, "bot.toml", data)
    with suppress(WrongUse):
        folders.read(folder, anywhere=True)


def config(folder: Path, data: bytes) -> None:
    with suppress(Failure):
        read_config(in_file(folder, "config.toml", data))


def script(folder: Path, data: bytes) -> None:
    with suppress(ScenarioUnreadable, ScenarioFailed, WrongUse):
        scenario.run_file(in_file(folder, "scenario.toml", data))


def export(folder: Path, name: str, data: bytes) -> None:
    in_file(folder, name, data)
    with suppress(DoesNotHold):
        verify(audit_folder.read(folder))


SCENARIO = b"""game = "stop_me_go"
players = 2
seed = "00"
[[step]]
seat = 0
move = "go"
"""
BOT = b"""name = "mybot"
about = "A bot."
games = ["flip7"]
command = "true"
kind = "stdio"
memory = 5
build = "true"
"""
CONFIG = b'listen = "127.0.0.1:7700"\nmax_bots = 5\ntime = "1s"\ninsecure = true\naddresses = ["a:1"]\n'
ANSWER = b'{"match": "league/1", "decision": 3, "move": "hit"}'
FRAME = pb.PlayRequest(
    bodies=[
        pb.BotBody(hello=pb.Hello(protocol_version=1, games=["flip7"])),
        pb.BotBody(act=pb.Act(match_id="league/1", decision=3, move_text="hit")),
    ]
).SerializeToString()
RECORD = (RECORDS / "0.json").read_bytes()
MOVES = ["hit", "stay", "stop 1", "go", "play 1 2", "A1 B2", "bid 3 4 to 1", "0: go"]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from referee.cli.main import main

    folder = tmp_path_factory.mktemp("fuzz")
    words = ["run", "stop_me_go", "patient", "random", "-p", "2", "--rounds", "1", "--seed", "x"]
    assert main([*words, "--db", str(folder / "a.db"), "--json", "--name", "league"]) == 0
    assert main(["export", "league", str(folder / "out"), "--db", str(folder / "a.db")]) == 0
    return folder / "out"


Fuzzed = tuple[st.SearchStrategy[Any], Callable[..., None]]
ALONE: dict[str, Fuzzed] = {
    "moves": (
        st.tuples(st.sampled_from(sorted(registry.names())), st.text(max_size=40) | st.sampled_from(MOVES)),
        lambda drawn: move(*drawn),
    ),
    "records": (damaged(RECORD), record),
    "records with other values": (replaced(json.loads(RECORD)).map(lambda value: json.dumps(value).encode()), record),
    "sheets": (replaced(standard_sheet()), sheet),
    "options": (st.text(max_size=60) | JSON.map(json.dumps), options),
    "lines": (damaged(ANSWER) | st.binary(max_size=80), line),
    "protobuf": (damaged(FRAME) | st.binary(max_size=80), message),
}
IN_FILES: dict[str, tuple[bytes, Callable[[Path, bytes], None]]] = {
    "bot.toml": (BOT, bot_toml),
    "config": (CONFIG, config),
    "scenarios": (SCENARIO, script),
}


def tried(how: settings, strategy: st.SearchStrategy[Any], take: Callable[[Any], None]) -> None:
    """Whether nothing else comes out of it, for as many examples as that."""

    @how
    @given(strategy)
    def one(value: Any) -> None:
        take(value)

    one()


@pytest.mark.parametrize("kind", ALONE)
def test_nothing_but_documented_errors(kind: str) -> None:
    strategy, take = ALONE[kind]
    tried(QUICK, strategy, take)


@pytest.mark.parametrize("kind", IN_FILES)
def test_nothing_but_documented_errors_from_files(kind: str, tmp_path: Path) -> None:
    whole, take = IN_FILES[kind]
    tomllib.loads(whole.decode())
    tried(QUICK, damaged(whole) | st.binary(max_size=60), partial(take, tmp_path))


def test_nothing_but_documented_errors_from_exports(exported: Path, tmp_path: Path) -> None:
    tried(settings(QUICK, max_examples=10), *fuzzed_export(exported, tmp_path))


def fuzzed_export(exported: Path, folder: Path) -> Fuzzed:
    """One damaged file of an export, in a copy of its folder."""
    files = [path.relative_to(exported).as_posix() for path in sorted(exported.rglob("*")) if path.is_file()]
    copy = folder / "copy"

    def try_one(drawn: tuple[str, bytes]) -> None:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(exported, copy)
        export(copy, *drawn)

    def of(name: str) -> st.SearchStrategy[tuple[str, bytes]]:
        return damaged((exported / name).read_bytes()).map(lambda data: (name, data))

    return st.sampled_from(files).flatmap(of), try_one


@pytest.mark.soak
@pytest.mark.timeout(24 * 3600)
@pytest.mark.parametrize("kind", [*ALONE, *IN_FILES, "exports"])
def test_nothing_but_documented_errors_for_hours(kind: str, exported: Path, tmp_path: Path) -> None:
    until = time.monotonic() + float(os.environ.get("REFEREE_FUZZ_SECONDS", "3600"))
    many = settings(QUICK, max_examples=2000, derandomize=False, print_blob=True)
    while time.monotonic() < until:
        if kind in ALONE:
            strategy, take = ALONE[kind]
            tried(many, strategy, take)
        elif kind == "exports":
            tried(settings(many, max_examples=50), *fuzzed_export(exported, tmp_path))
        else:
            whole, take_file = IN_FILES[kind]
            tried(many, damaged(whole) | st.binary(max_size=60), partial(take_file, tmp_path))
