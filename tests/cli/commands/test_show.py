"""`referee show` says in a few lines how each seat of a match ended, and why."""

from __future__ import annotations

from pathlib import Path

from ..conftest import Referee


def test_each_seat_is_told_with_why_and_its_last_words(referee: Referee, league: Path) -> None:
    out = referee("show", "league/1", "--db", league).out
    assert out.startswith("league/1: flip7, 3 players, round 2 table 1, ")
    assert "3. bob (seat 1)" in out
    assert "resigned at decision " in out
    assert "lost heart" in out
    assert "rejected: 'dance' at decision " in out
    assert "stderr |   no idea" in out
    assert "ms on average" in out
    assert f"'referee replay league/1 --db {league}'" in out
    assert len(out.splitlines()) <= 9


def test_the_same_as_a_value(referee: Referee, league: Path) -> None:
    value = referee("show", "1", "--db", league, "--json").json
    assert (value["match"], value["round"], value["state"]) == ("league/1", 2, "finished")
    bob = value["seats"][1]
    assert (bob["bot"], bob["rank"], bob["termination"]) == ("bob", 3, "resigned")
    assert [one["move"] for one in bob["rejected"]] == ["dance"]
    assert bob["last_words"] == ["what to do?", "  no idea"]


def test_a_match_without_a_result_says_why(referee: Referee, league: Path) -> None:
    assert "set aside as absent (cy was not there) (ada, bob, cy)" in referee("show", "league/2", "--db", league).out
    assert "it has not been played yet" in referee("show", "league/3", "--db", league).out


def test_one_of_a_kind_is_told_in_the_singular(referee: Referee, tmp_path: Path) -> None:
    db = tmp_path / "solo.db"
    words = ("--players", 1, "--rounds", 1, "--seed", "x", "--name", "solo", "--workers", 1)
    assert referee("run", "encore", "random", *words, "--db", db).code == 0
    assert "encore, 1 player, round 1" in referee("show", "solo/0", "--db", db).out
    assert "results of 1 match," in referee("verify", "solo", "--db", db).out
    assert "wrote 1 row to" in referee("export", "solo", "--csv", tmp_path / "rows.csv", "--db", db).out
