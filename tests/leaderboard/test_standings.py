"""The standings value: its arithmetic, its JSON, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from referee_leaderboard import (
    Connection,
    Crosstable,
    Outcome,
    Playing,
    Seats,
    Standing,
    Standings,
    StandingsError,
    State,
)


def test_standings_survive_the_way_through_json_unchanged(spring_cup: Standings, finished_cup: Standings) -> None:
    for standings in (spring_cup, finished_cup, Standings("Empty", "stop", 3)):
        text = json.dumps(standings.to_json_value(), allow_nan=False)
        assert Standings.from_json_value(json.loads(text)) == standings


def test_the_keys_of_json_come_in_a_stable_order(spring_cup: Standings) -> None:
    value = spring_cup.to_json_value()
    assert list(value)[:4] == ["tournament", "game", "players", "state"]
    assert list(value["rows"][0]) == [
        "rank", "bot", "mu", "sigma", "matches", "wins", "mean_rank", "faults", "mean_score", "previous_rank",
        "absent", "absent_seconds", "wins_split", "strength", "strength_error", "draws", "fault_kinds",
            "versions", "score",
    ]  # fmt: skip
    assert value["state"] == "running"
    assert type(value["state"]) is str


def test_the_score_is_three_sigma_below_mu_and_follows_from_them() -> None:
    row = Standing(1, "a", 25.0, 2.0)
    assert row.score == 19.0
    value = Standings("Cup", "g", 2, rows=(row,)).to_json_value()
    assert value["rows"][0]["score"] == 19.0
    value["rows"][0]["score"] = 99.0
    assert Standings.from_json_value(value).rows[0].score == 19.0


def test_places_gained_are_counted_from_the_previous_rank() -> None:
    assert Standing(2, "a", 25, 8, previous_rank=5).climbed == 3
    assert Standing(5, "a", 25, 8, previous_rank=2).climbed == -3
    assert Standing(5, "a", 25, 8).climbed == 0


def _with(path: list[str | int], entry: object) -> dict[str, Any]:
    value = Standings("Cup", "g", 2, rows=(Standing(1, "a", 25.0, 8.0),)).to_json_value()
    target: Any = value
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = entry
    return value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (_with(["rows", 0, "mu"], "high"), r'standings\.rows\[0\]\.mu: expected a number, got "high"'),
        (_with(["rows", 0, "wins"], 1.5), r"standings\.rows\[0\]\.wins: expected a whole number, got 1\.5"),
        (_with(["rows", 0, "wins"], True), r"expected a whole number, got true"),
        (_with(["rows", 0, "sigma"], math.inf), r"sigma: expected a number"),
        (_with(["rows", 0, "elo"], 1500), r"standings\.rows\[0\]: unknown key 'elo'"),
        (_with(["rows"], {}), r"standings\.rows: expected a list, got \{\}"),
        (_with(["state"], "resting"), r"expected one of created, running, paused, finished, cancelled"),
        (_with(["provisional"], 1), r"standings\.provisional: expected true or false, got 1"),
        (_with(["crosstable"], {"bots": ["a", "b"]}), r"standings\.crosstable: meetings must be a square of 2 by 2"),
        ({"tournament": "Cup", "game": "g"}, r"standings: the key 'players' is missing"),
        ([], r"standings: expected an object, got \[\]"),
    ],
)
def test_json_that_does_not_fit_is_refused_with_its_place(value: Any, message: str) -> None:
    with pytest.raises(StandingsError, match=message):
        Standings.from_json_value(value)


def test_a_rating_that_is_no_number_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="mu of Standing must be a finite number"):
        Standing(1, "a", math.nan, 8.0)


def test_every_seat_needs_its_rank_and_score() -> None:
    with pytest.raises(ValueError, match="2 bots but 1 ranks"):
        Outcome("1", 1, ("a", "b"), (1,))
    with pytest.raises(ValueError, match="2 bots but 3 scores"):
        Playing("1", 1, ("a", "b"), 0.0, (1, 2, 3))


def test_the_crosstable_counts_every_ordered_pair() -> None:
    table = Crosstable.tally(["a", "b", "c"], [(("a", "b", "c"), (1, 2, 2)), (("b", "a"), (1, 2))])
    assert table.meetings == ((0, 2, 1), (2, 0, 1), (1, 1, 0))
    assert table.better == ((0, 1, 1), (1, 0, 0), (0, 0, 0))
    assert table.equal == ((0, 0, 0), (0, 0, 1), (0, 1, 0))


def test_meetings_of_any_two_are_ahead_equal_or_behind(spring_cup: Standings) -> None:
    table = spring_cup.crosstable
    for i in range(len(table.bots)):
        for j in range(len(table.bots)):
            assert table.meetings[i][j] == table.better[i][j] + table.better[j][i] + table.equal[i][j]


def test_a_shared_first_place_is_split_among_the_seats_that_share_it() -> None:
    seats = Seats.tally(["a", "b"], [(("a", "b"), (1, 1)), (("b", "a"), (2, 1))])
    assert [(total.seat, total.matches, total.wins, total.won) for total in seats.overall] == [
        (0, 2, 1, 0.5),
        (1, 2, 2, 1.5),
    ]
    assert all(total.low < total.won / 2 < total.high for total in seats.overall if total.low and total.high)
    assert [(record.bot, record.seat, record.wins, record.mean_rank) for record in seats.records] == [
        ("a", 0, 1, 1.0), ("a", 1, 1, 1.0), ("b", 0, 0, 2.0), ("b", 1, 1, 1.0),
    ]  # fmt: skip


def test_all_wins_of_a_match_are_one_win_however_many_share_it() -> None:
    seats = Seats.tally("abc", [("abc", (1, 1, 1)), ("abc", (1, 1, 3)), ("abc", (2, 1, 2))])
    assert sum(total.won for total in seats.overall) == pytest.approx(3.0)
    assert sum(record.won for record in seats.records) == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("p_value", "said"),
    [
        (None, ""),
        (0.2, "no seat is seen to be better: p = 0.200 for all seats together"),
        (0.01, "the seats are not alike: p = 0.010 for all seats together"),
        (1e-9, "the seats are not alike: p < 0.001 for all seats together"),
    ],
)
def test_the_verdict_on_the_seats_is_one_sentence(p_value: float | None, said: str) -> None:
    assert Seats(p_value=p_value).verdict == said


def test_only_the_clocks_of_a_running_tournament_move_on(spring_cup: Standings) -> None:
    later = spring_cup.after(5)
    assert later.elapsed == pytest.approx((spring_cup.elapsed or 0) + 5)
    assert later.eta == pytest.approx((spring_cup.eta or 0) - 5)
    assert later.playing[0].elapsed == spring_cup.playing[0].elapsed + 5
    assert replace(later, elapsed=spring_cup.elapsed, eta=spring_cup.eta, playing=spring_cup.playing) == spring_cup
    assert spring_cup.after(10_000).eta == 0
    paused = replace(spring_cup, state=State.PAUSED)
    assert paused.after(5) == paused


def test_a_lost_connection_counts_down_to_the_next_try() -> None:
    lost = Connection.lost(3)
    assert lost.sentence == "server gone, retrying in 3 s; showing what was last known"
    assert lost.after(2).sentence == "server gone, retrying in 1 s; showing what was last known"
    assert lost.after(9).sentence == "server gone, retrying now; showing what was last known"
    assert Connection.lost(reason="refused").sentence == "server gone (refused); showing what was last known"
    assert Connection().sentence == ""
