"""A match in which somebody dropped out is replayed with the referee's moves in that seat, and ranked as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending, Termination
from referee.rules import registry
from referee.tournament.audit.replay import DoesNotHold, replay


class Seated:
    """A player whose questions the test answers."""

    wants_legal = True

    def __init__(self, name: str, asked: list[Question]) -> None:
        self.name = name
        self._asked = asked

    def started(self, match: Match, seat: int) -> None: ...

    def ask(self, question: Question) -> None:
        self._asked.append(question)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


def played(game: str, players: int, seed: bytes, leaving: dict[int, int]) -> bytes:
    """The record of a match in which seats resign after so many answers of all."""
    asked: list[Question] = []
    found = registry.find(game)
    seats = [Seated(f"bot {seat}", asked) for seat in range(players)]
    match = Match("table/1", found, seats, found.resolve_options({}), seed)
    match.start()
    answers = 0
    while match.ending is None:
        for seat, after in leaving.items():
            if answers >= after:
                match.forfeit(seat, Termination.CRASH, "gone")
        if match.ending is None:
            question = asked.pop(0)
            match.sent(question.seat, question.number, 0.0)
            match.answer(question.seat, question.number, question.legal[seed[0] % len(question.legal)], 0.0)
            answers += 1
    return match.record()


@given(
    st.sampled_from([("flip7", 3), ("stop_me_go", 4), ("stop", 3)]),
    st.binary(min_size=32, max_size=32),
    st.dictionaries(st.integers(0, 2), st.integers(0, 60), max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_every_match_with_forfeits_replays_to_its_ranks(
    table: tuple[str, int], seed: bytes, leaving: dict[int, int]
) -> None:
    record = played(*table, seed, leaving)
    value = json.loads(record)
    found = replay(record)
    assert list(found.ending.ranks) == value["ranks"]
    assert [how.value for how in found.ending.terminations] == value["terminations"]
    for seat, how in enumerate(found.ending.terminations):
        if how is Termination.CRASH:
            assert all(
                found.ending.ranks[seat] > found.ending.ranks[other]
                for other, ended in enumerate(found.ending.terminations)
                if ended is Termination.FINISHED
            )


@pytest.mark.parametrize("change", ["later", "another", "never", "word", "text"])
def test_a_forfeit_cannot_be_moved_or_hushed_up(change: str) -> None:
    value: dict[str, Any] = json.loads(played("flip7", 3, bytes(32), {0: 20}))
    [event] = [event for event in value["events"] if event[0] == "forfeit"]
    if change == "later":  # as if it had played on for a while
        value["ranks"], value["events"][0][1] = [1, 2, 3], 10**6
    elif change == "another":
        event[2] = 1
    elif change == "never":
        value["events"] = []
    elif change == "word":
        event[3] = "timeout"
    else:
        event[4] = "was told to go"
    with pytest.raises(DoesNotHold):
        replay(json.dumps(value).encode())


def test_moves_made_for_a_seat_that_had_forfeited_must_be_the_referees() -> None:
    value: dict[str, Any] = json.loads(
        played("flip7", 3, bytes(32), {})
    )  # the first legal move is to hit, the referee's to stay
    value["events"] = [["forfeit", 0, 0, "crash", "gone"]]
    with pytest.raises(DoesNotHold, match="seat 0 had forfeited and was not played by the referee"):
        replay(json.dumps(value).encode())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", ["flip7"]),
        ("players", "3"),
        ("players", True),
        ("version", "1"),
        ("options", [["rules"]]),
        ("options", "rules"),
        ("seed", 7),
        ("moves", [["0: hit"]]),
        ("moves", "0: hit"),
        ("moves", ["9" * 5000 + ": hit"]),
        ("options", {"rules": "z" * 10**6}),
        ("seed", "xyz"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_record_with_anything_at_all_in_it_is_refused_in_a_sentence(field: str, value: Any) -> None:
    stored: dict[str, Any] = json.loads(played("flip7", 3, bytes(32), {}))
    stored["record"][field] = value
    with pytest.raises(DoesNotHold) as refused:
        replay(json.dumps(stored).encode())
    assert len(str(refused.value)) < 250


@pytest.mark.parametrize(
    "event",
    [
        ["forfeit", "0", 0, "crash", "gone"],
        ["forfeit", 0, "0", "crash", "gone"],
        ["forfeit", 0, [0], "crash", "gone"],
        ["forfeit", 0, 0, "crash", ["gone"]],
        ["forfeit", 0, 0, ["crash"], "gone"],
        ["forfeit"],
        [],
        7,
    ],
    ids=str,
)
def test_an_event_that_is_none_is_refused_in_a_sentence(event: Any) -> None:
    stored: dict[str, Any] = json.loads(played("flip7", 3, bytes(32), {}))
    stored["events"] = [event]
    with pytest.raises(DoesNotHold, match="not a record of a match"):
        replay(json.dumps(stored).encode())


@pytest.mark.parametrize("path", ["/dev/zero", "sheet.json"])
def test_a_record_that_names_a_file_is_refused_and_the_file_is_not_opened(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "sheet.json")  # whoever opens it never comes back
    monkeypatch.chdir(tmp_path)
    stored: dict[str, Any] = json.loads(played("encore", 1, bytes(32), {}))
    stored["record"]["options"] = {"sheet": path}
    with pytest.raises(DoesNotHold, match="it cannot be started: encore: option 'sheet': must be 'standard' or"):
        replay(json.dumps(stored).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b'{"record": ' * 100_000,
        b"",
        b"[]",
        b"{}",
        b'{"record": 5}',
        b"\xff",
        b'"x"',
        b'{"record": {}, "events": []}',
    ],
)
def test_something_else_is_no_record(data: bytes) -> None:
    with pytest.raises(DoesNotHold, match="not a record of a match"):
        replay(data)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", r"it is not JSON \(line 1, column 1\)"),
        (b"import arena\n", r"it is not JSON \(line 1, column 1\)"),
        (b"\xff\xfe\x00", "it is not text"),
        (b"[1,2]", "it is not a JSON object"),
        (b'{"a":1}', "'a' does not belong into it"),
        (b'{"record":{"game":"flip7"}}', "it has no 'moves'"),
        (b'{"record":7}', "it is not a JSON object"),
    ],
)
def test_what_is_no_record_is_told_in_plain_words(data: bytes, why: str) -> None:
    with pytest.raises(DoesNotHold, match=f"^this is not a record of a match: {why}$"):
        replay(data)
