"""Reading a recorded match: what is written down is found again, and what is not true is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.analysis.replay import read_match
from referee.analysis.replay.recorded import Forfeited, RejectedAnswer
from referee.rules.game import WrongUse
from referee.tournament.audit.replay import DoesNotHold

from .conftest import Table


def test_names_times_rejected_answers_and_forfeits_are_read(troubled: tuple[bytes, Table]) -> None:
    match = read_match(troubled[0])
    assert (match.match, match.names) == ("league/3", ("ada", "bob", "cy"))
    assert [one for one in match.incidents if isinstance(one, RejectedAnswer)] == [
        RejectedAnswer(2, 2, "unreadable", "unreadable", "dance"),
        RejectedAnswer(2, 2, "illegal", match.at[2][1].code, "target 1"),  # type: ignore[union-attr]
    ]
    [gone] = [one for one in match.incidents if isinstance(one, Forfeited)]
    assert (gone.seat, gone.termination, gone.text) == (1, "resigned", "had enough")
    assert match.times_ms is not None
    assert [times[0] for times in match.times_ms] == [7, 11, 33]
    assert len(match.times_ms[1]) == 1


@pytest.mark.parametrize("position", range(40, 2000, 97))
def test_a_flipped_byte_is_found_or_leaves_the_match_as_it_is(troubled: tuple[bytes, Table], position: int) -> None:
    """Nothing is shown but a match that holds: the moves, the result and the forfeits cannot be changed unnoticed."""
    data = bytearray(troubled[0])
    data[position % len(data)] ^= 1
    before = read_match(troubled[0])
    try:
        after = read_match(bytes(data))
    except (DoesNotHold, WrongUse):
        return
    assert after.record.result == before.record.result
    assert after.ending.ranks == before.ending.ranks


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"times_ms": [[1], [2]]}, "times are not written by seat"),
        ({"times_ms": [[1], [2], [3]]}, "1 times are noted"),
        ({"times_ms": [[1], [2], [-3]]}, "times are none that a match can take"),
        ({"events": [["danced", 0, 0]]}, "unknown kind 'danced'"),
        ({"events": [["rejected", 9999, 0, "illegal", "x", "y"]]}, "a decision or of a seat that there is not"),
        ({"events": [["rejected", 0, 0, "illegal", "x", 3]]}, "not written as one"),
        ({"names": ["ada"]}, "1 names for 3 players"),
    ],
)
def test_what_is_no_record_is_said_in_a_sentence(played: Any, change: dict[str, Any], said: str) -> None:
    table = Table("flip7", ["ada", "bob", "cy"])
    value = json.loads(table.play_on()) | change
    with pytest.raises(DoesNotHold, match=said):
        read_match(json.dumps(value).encode())


def test_an_unknown_game_and_another_version_are_said(troubled: tuple[bytes, Table]) -> None:
    value = json.loads(troubled[0])
    value["record"]["game"] = "flip8"
    with pytest.raises(WrongUse, match="unknown game 'flip8'; did you mean 'flip7'"):
        read_match(json.dumps(value).encode())
    value["record"] |= {"game": "flip7", "version": 99}
    with pytest.raises(WrongUse, match="of flip7 version 99, installed is version"):
        read_match(json.dumps(value).encode())


def test_a_bare_record_has_neither_names_nor_times(played: Any) -> None:
    match = played("stop")
    assert (match.names, match.times_ms, match.incidents) == (("seat 0", "seat 1", "seat 2"), None, ())
