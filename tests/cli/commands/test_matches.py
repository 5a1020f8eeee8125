"""`referee matches` finds matches by what happened in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee


def test_matches_are_found_by_what_happened_in_them(referee: Referee, league: Path) -> None:
    def found(*words: str) -> list[str]:
        done = referee("matches", *words, "--db", league, "--json")
        assert done.code == 0, done.err
        assert done.json["total"] == len(done.json["matches"])
        return [row["match"] for row in done.json["matches"]]

    practice = found("practice")[0]
    assert found() == [practice, "league/2", "league/1", "league/0"]
    assert found("league", "--faulted") == ["league/1"]
    assert found("--bot", "bob", "--faulted") == ["league/1"]
    assert found("--bot", "ada", "--faulted") == []
    assert found("--reason", "resigned") == ["league/1"]
    assert found("--reason", "absent") == ["league/2"]
    assert found("--game", "stop") == [practice]
    assert found("league", "--state", "scheduled") == ["league/3"]
    assert sorted(found("league", "--bot", "bob", "--won") + found("league", "--bot", "bob", "--lost")) == [
        "league/0",
        "league/1",
    ]


def test_a_row_tells_how_every_seat_ended(referee: Referee, league: Path) -> None:
    [row] = referee("matches", "league", "--faulted", "--db", league, "--json").json["matches"]
    assert (row["bots"], row["terminations"]) == (["ada", "bob", "cy"], ["finished", "resigned", "finished"])
    assert row["ranks"][1] == 3
    out = referee("matches", "league", "--db", league).out
    assert "3. bob (" in out
    assert ", resigned)" in out
    assert "absent: cy was not there (ada, bob, cy)" in out


def test_more_than_the_limit_is_said(referee: Referee, league: Path) -> None:
    done = referee("matches", "league", "--limit", 1, "--db", league)
    assert done.out.count("league/") == 1
    assert "2 more: --limit 3 shows all" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--won"], "who has won or lost: give --bot NAME"),
        (["--bot", "ada", "--won", "--lost"], "give --won or --lost, not both"),
        (["--state", "lost"], "there is no state 'lost': scheduled, playing"),
        (["--game", "flip8"], "unknown game 'flip8'"),
        (["--bot", "eve"], "no bot named eve in any match"),
        (["cup"], "no tournament named cup: 'referee tournament list' shows all"),
        (["--reason", "void", "--state", "finished"], "exclude each other"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(referee: Referee, league: Path, words: list[str], said: str) -> None:
    done = referee("matches", *words, "--db", league)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_reason_that_is_misspelt_is_named(referee: Referee, league: Path) -> None:
    done = referee("matches", "--reason", "timout", "--db", league)
    assert (done.code, done.out, done.err) == (0, "", "no match fits: did you mean --reason timeout?\n")


def test_no_match_is_no_failure(referee: Referee, league: Path) -> None:
    done = referee("matches", "--reason", "nothing_like_it", "--db", league)
    assert (done.code, done.out, done.err) == (0, "", "no match fits: leave out an option to see more\n")
    assert referee("matches", "--reason", "nothing_like_it", "--db", league, "--json").json == {
        "total": 0,
        "matches": [],
    }
