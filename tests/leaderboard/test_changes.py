"""What has changed is enough to know the new standings, and is much shorter than they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee_leaderboard.changes import applied, by_name, by_rank, changes
from referee_leaderboard.json_value import StandingsError
from referee_leaderboard.standings import Standings

from .demo import Tournament

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, VALUES)
def test_the_earlier_value_and_the_changes_give_the_later_one(before: Any, after: Any) -> None:
    sent = json.loads(json.dumps(changes(before, after)))
    assert applied(json.loads(json.dumps(before)), sent) == after


def test_standings_by_name_are_the_same_standings() -> None:
    tournament = Tournament()
    for _ in range(4):
        value = tournament.standings().to_json_value()
        assert json.dumps(by_rank(by_name(value))) == json.dumps(value)
        tournament.play(17)
    empty = Standings("league", "flip7", 3).to_json_value()
    assert by_rank(by_name(empty)) == empty


def test_one_match_of_many_bots_is_told_in_a_fraction_of_the_standings() -> None:
    tournament = Tournament(bots=[f"bot{number}" for number in range(120)], total=6000)
    tournament.play(1000)
    before = tournament.standings().to_json_value()
    value = by_name(json.loads(json.dumps(before)))
    for _ in range(3):
        tournament.play()
        after = tournament.standings().to_json_value()
        sent = json.dumps(changes(by_name(before), by_name(after)))
        assert len(sent) < len(json.dumps(after)) / 4
        value = applied(value, json.loads(sent))
        assert by_rank(value) == after
        before = after


@pytest.mark.parametrize(
    "changed",
    [
        None,
        {},
        [["a"]],
        [[["x", "y"], 1]],
        [[["rows", 7], 1]],
        [[["rows", -1], 1]],
        [[["name", 0], 1]],
        [[[], 1, 2]],
        [[]],
    ],
)
def test_changes_of_other_standings_are_refused(changed: Any) -> None:
    with pytest.raises(StandingsError):
        applied({"rows": [1], "name": "league"}, changed)


def test_standings_by_name_with_a_hole_are_refused() -> None:
    value = by_name(Tournament().standings().to_json_value())
    del value["rows"]["entries"]["random"]
    with pytest.raises(StandingsError):
        by_rank(value)
