"""Records: a match on paper replays to the same bytes, and what is no match is refused at the right decision."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser
from referee.rules.record import Record, ReplayError, replay, replayed
from tall_tales import GAME


def recorded(seed: int = 0, players: int = 3, rounds: int = 3) -> Record:
    options = GAME.resolve_options({"rounds": rounds})
    choosers = [random_chooser(seed_bytes(seed), seat) for seat in range(players)]
    return playout(GAME, players, options, seed_bytes(seed), choosers).record


@given(st.integers(), st.integers(2, 5), st.integers(1, 3))
@settings(max_examples=40)
def test_a_record_read_back_and_replayed_has_the_same_bytes(seed: int, players: int, rounds: int) -> None:
    record = recorded(seed, players, rounds)
    assert Record.from_bytes(record.to_bytes()) == record
    assert replayed(GAME, record).to_bytes() == record.to_bytes()


def test_a_record_is_one_line_of_json() -> None:
    data = recorded().to_bytes()
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    value = json.loads(data)
    assert set(value) == {"game", "version", "players", "options", "seed", "moves", "result"}
    assert value["moves"][0].startswith("0: ")
    assert " | 1: " in value["moves"][0]


def test_an_unfinished_match_has_no_result() -> None:
    record = replace(recorded(), moves=recorded().moves[:1], result=None)
    assert replayed(GAME, Record.from_bytes(record.to_bytes())).result is None


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        (("0: claim 1 | 1: claim 1",), r"decision 0: .*seats \[0, 1\], asked are \[0, 1, 2\]"),
        (("0: claim 9 | 1: doubt | 2: doubt",), "decision 0: .*claim.*1 to 6"),
        (("hello",), "decision 0: cannot read 'hello'"),
        (("x: doubt | 1: doubt | 2: doubt",), "decision 0: cannot read 'x: doubt'"),
        (("0: doubt | 1: doubt | 2: doubt",) * 4, "decision 3: .*asked are \\[\\]"),
    ],
)
def test_what_is_no_match_is_refused_at_its_decision(moves: tuple[str, ...], words: str) -> None:
    with pytest.raises(ReplayError, match=words):
        replay(GAME, replace(recorded(), moves=moves))


@pytest.mark.parametrize("change", [{"game": "flip7"}, {"version": 2}])
def test_a_record_of_another_game_or_version_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ReplayError, match="this is tall_tales version 1"):
        replay(GAME, replace(recorded(), **change))


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"1", b'{"result": null}', b"\xff", b'{"moves": 3, "result": 1}'])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(ReplayError, match="not a match record"):
        Record.from_bytes(data)
