"""JSON lines: what is written, what is read, and what no program's output can do to the reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.hosting.lines import codec
from referee.match.match import LONGEST_MOVE, MOST_LEGAL
from referee.match.player import RejectionKind
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.rules.game import Unreadable

texts = st.text(max_size=40)


@given(decision=st.integers(0, (1 << 53) - 1), move=texts, match=st.none() | texts)
@settings(max_examples=50)
def test_every_answer_can_be_written_and_read(decision: int, move: str, match: str | None) -> None:
    value: dict[str, Any] = {"decision": decision, "move": move}
    if match is not None:
        value["match"] = match
    assert codec.read_answer(json.dumps(value).encode()) == (decision, move, match)


@given(line=st.binary(max_size=200))
@settings(max_examples=100)
def test_whatever_the_line_it_is_an_answer_or_told_to_be_none(line: bytes) -> None:
    try:
        told = codec.read_answer(line).move
    except codec.NotAnAnswer as error:
        told = str(error)
    assert isinstance(told, str)
    assert len(told) < 500


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"hit", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 50_000, "not JSON"),
        (b'["hit"]', "not a JSON object"),
        (b'{"move":"hit"}', "no number under 'decision'"),
        (b'{"decision":true,"move":"hit"}', "no number under 'decision'"),
        (b'{"decision":-1,"move":"hit"}', "no number under 'decision'"),
        (b'{"decision":"7","move":"hit"}', "no number under 'decision'"),
        (b'{"decision":7}', "no text under 'move'"),
        (b'{"decision":7,"move":1}', "no text under 'move'"),
        (b'{"decision":7,"move":"hit","match":1}', "'match' is a text"),
    ],
)
def test_a_line_that_is_no_answer_is_explained(line: bytes, said: str) -> None:
    with pytest.raises(codec.NotAnAnswer, match=said):
        codec.read_answer(line)


@pytest.mark.parametrize("game", registry.names())
def test_a_question_carries_the_whole_view_on_one_line(game: str) -> None:
    chosen = registry.find(game)
    state = chosen.start(chosen.seats.least, seed=b"lines")
    [seat, *_] = state.pending()
    view = state.view(seat)
    assert isinstance(view, Message)
    value = codec.view_value(view.DESCRIPTOR.full_name, view.SerializeToString())
    line = codec.decide_line("m", 1, seat, ["a", "b"], True, value, 1.0, -0.1)
    assert line.count(b"\n") == 1
    read = json.loads(line)
    assert list(read) == ["type", "match", "decision", "seat", "legal", "complete", "view", "budget_ms", "bank_ms"]
    assert read["bank_ms"] == 0
    plain = [field.name for field in view.DESCRIPTOR.fields if not field.has_presence]
    assert set(plain) <= set(read["view"]), "zero and empty fields are written too"


def test_a_garbled_line_is_a_move_no_game_reads() -> None:
    for game in registry.names():
        chosen = registry.find(game)
        state = chosen.start(chosen.seats.least, seed=b"lines")
        for line in (b"hit", b"pass", b"go", b"stay", b"\xff", b""):
            with pytest.raises(Unreadable):
                state.parse(codec.garbled(line))


def page() -> str:
    return (Path(__file__).resolve().parents[3] / "proto" / "LINES.md").read_text(encoding="utf-8")


def examples() -> list[dict[str, Any]]:
    blocks = re.findall(r"```json\n(.*?)```", page(), re.DOTALL)
    return [json.loads(line) for block in blocks for line in block.splitlines()]


def test_the_manual_shows_every_line_with_all_its_keys_in_their_order() -> None:
    written = [
        codec.start_line("m", "g", 0, ["a"], {}, 1.0, 2.0),
        codec.decide_line("m", 1, 0, ["a"], True, {}, 1.0, 2.0),
        codec.rejected_line("m", 1, 0, "illegal", "c", "t", "a", 2, ["a"]),
        codec.end_line("m", 0, Ending((1,), (2,), (Termination.FINISHED,), ("",), "finished"), {}),
    ]
    shown = {example["type"]: list(example) for example in examples() if "type" in example}
    assert shown == {(read := json.loads(line))["type"]: list(read) for line in written}
    [answer] = [example for example in examples() if "type" not in example]
    assert codec.read_answer(json.dumps(answer).encode()) == (7, "hit", None)


def test_the_manual_names_every_rejection_and_every_way_to_end() -> None:
    for word in (*RejectionKind, *Termination):
        assert f"`{word.value}`" in page()
    assert f"{codec.LONGEST_LINE >> 10} KB" in page()
    [start] = [example for example in examples() if example.get("type") == "start"]
    assert (start["max_line_bytes"], start["max_legal"]) == (codec.LONGEST_LINE, MOST_LEGAL)
    assert f"at most {LONGEST_MOVE:,} characters" in page()


@pytest.mark.parametrize("game", ["encore", "flip7", "stop", "stop_me_go"])
def test_moves_of_the_games_need_no_escapes(game: str) -> None:
    chosen = registry.find(game)
    state = chosen.start(chosen.seats.least, seed=b"lines")
    for number in range(200):
        if state.result() is not None:
            break
        moves = {}
        for seat in state.pending():
            legal = state.legal(seat).moves
            assert len(legal) <= MOST_LEGAL
            assert all(re.fullmatch(r"[A-Za-z0-9 +,:?]+", state.format(move)) for move in legal)
            moves[seat] = legal[7 * number % len(legal)]
        state.play(moves)
