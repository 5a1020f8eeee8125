"""`arena.testing`: made-up decisions, and those of a record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import arena
from arena import testing
from arena.errors import Refused
from arena.games.flip7.v1 import flip7_pb2 as flip7
from arena.recording import Recording


def test_fields_become_the_typed_view() -> None:
    made = testing.decision("flip7", {"round": 3, "players": [{"points": 5}, {}]}, ["hit", "stay"], seat=1)
    assert isinstance(made.view, flip7.View)
    assert (made.view.round, made.view.seat, made.view.players[0].points) == (3, 1, 5)
    assert (made.seat, made.legal, made.game, made.complete) == (1, ["hit", "stay"], "flip7", True)
    assert flip7.View.FromString(made.view_bytes) == made.view


def test_a_message_stays_what_it_is() -> None:
    view = flip7.View(round=2)
    assert testing.decision("flip7", view).view is view


def test_the_view_of_another_game_stays_a_dict() -> None:
    made = testing.decision("nim", {"left": 5}, ["1", "2"])
    assert made.view == {"left": 5}
    assert made.info.view_type == "json"


def test_everything_else_can_be_said_too() -> None:
    made = testing.decision(
        "flip7", names=["a", "b", "c"], options={"target_score": 50}, complete=False, number=9, budget=0.5, bank=3,
        rejected="no", again=True,
    )  # fmt: skip
    assert (made.info.names, made.info.options, made.number) == (("a", "b", "c"), {"target_score": 50}, 9)
    assert (made.complete, made.budget, made.bank, made.rejected, made.again) == (False, 0.5, 3, "no", True)


@pytest.mark.parametrize("fields", [{"rund": 3}, {"round": "three"}, {"players": 7}, {"round": [1]}])
def test_fields_that_the_view_does_not_have_are_told(fields: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="the view of flip7 cannot be made of these fields: "):
        testing.decision("flip7", fields)


START = {
    "type": "start", "match_id": "m/1", "game": "flip7", "seat": 1, "names": ["a", "b"],
    "options_json": '{"target_score":50}', "time_control": {"limit_ms": 2000, "bank_ms": 5000},
    "view_type": "arena.games.flip7.v1.View", "field_of_tomorrow": 1,
}  # fmt: skip
DECIDE = {
    "type": "decide", "match": "m/1", "game": "flip7", "decision": 4, "seat": 1, "legal": ["hit", "stay"],
    "view": {"round": 2, "seat": 1}, "move": "stay", "ms": 250,
}  # fmt: skip
REJECTED = {"type": "rejected", "match_id": "m/1", "decision": 4, "message": "not now"}


def written(folder: Path, *lines: Any) -> Path:
    file = folder / "game.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return file


def test_a_record_is_asked_again(tmp_path: Path) -> None:
    first, second = testing.recorded(written(tmp_path, START, DECIDE, REJECTED, DECIDE | {"move": "hit"}))
    assert (first.move, first.seconds, first.decision.rejected) == ("stay", 0.25, "")
    assert (second.move, second.decision.rejected) == ("hit", "not now")
    decision = first.decision
    assert isinstance(decision.view, flip7.View)
    assert (decision.number, decision.seat, decision.legal, decision.view.round) == (4, 1, ["hit", "stay"], 2)
    assert (decision.info.names, decision.info.options) == (("a", "b"), {"target_score": 50})
    assert (decision.budget, decision.bank, decision.complete) == (2.0, 5.0, False)


def test_what_the_sdk_records_comes_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    recording = Recording(file)
    asked = [
        testing.decision("flip7", {"round": 0, "players": [{"cards": [0, 7]}, {}]}, ["hit"]),
        testing.decision("nim", {"left": 0, "né": None}, ["1"]),
        arena.Decision(arena.Match("m/2", "other", 0, (), view_type="no.such.View"), 1, [], b"\x08\x01"),
    ]
    for decision in asked:
        recording.decided(decision, "hit", 0.1)
    recording.close()
    typed, plain, unread = [entry.decision for entry in testing.recorded(file)]
    assert typed.view == asked[0].view
    assert plain.view == {"left": 0, "né": None}
    assert unread.view_bytes == b"\x08\x01"


def test_half_a_line_of_a_killed_program_is_left_out(tmp_path: Path) -> None:
    file = written(tmp_path, START, DECIDE)
    file.write_text(file.read_text("utf-8") + '{"type": "dec', "utf-8")
    assert len(testing.recorded(file)) == 1


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", "7", "{}", {"type": "decide"}, DECIDE | {"view": {"rund": 1}}, DECIDE | {"view": "xx"}]
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: Any) -> None:
    with pytest.raises(Refused, match=r"game\.jsonl, line 2: "):
        testing.recorded(written(tmp_path, START, line))


def test_a_record_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"cannot read the record .*: No such file"):
        testing.recorded(tmp_path / "none.jsonl")
