"""`referee tournament create`: what a dry run says, and what is refused before any server hears of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ..conftest import Referee

NOBODY = "127.0.0.1:1"
FLIP7 = ("tournament", "create", "league", "--game", "flip7")


def test_a_dry_run_says_how_many_matches_how_long_and_how_sure(referee: Referee) -> None:
    done = referee(*FLIP7, "--players", "4", "--rounds", "30", "--bots", "a,b,c,d,e,f,g,h", "--dry-run")
    assert done.code == 0
    assert re.fullmatch(
        r"60 matches, 30 for each bot; with quick bots about \d+ s on this machine; expect σ near 1\.\d\d in the end; "
        r"tells 55 % from 50 % with power 90 % after [\d,]+ matches \([\d,]+ meetings of every two bots\): "
        r"these tell \d\d % from 50 %\n",
        done.out,
    )


def test_a_dry_run_with_byes_says_both_numbers_of_matches(referee: Referee) -> None:
    done = referee(*FLIP7, "--players", "4", "--rounds", "20", "--bots", "a,b,c,d,e,f", "--dry-run")
    assert "20 matches, 13 or 14 for each bot" in done.out


def test_a_dry_run_of_a_solo_game_promises_no_sigma(referee: Referee) -> None:
    words = ("tournament", "create", "solo", "--game", "encore", "--players", "1", "--rounds", "3", "--bots", "a,b")
    done = referee(*words, "--dry-run")
    assert "6 matches, 3 for each bot" in done.out
    assert "ranked by points" in done.out
    assert "power" not in done.out


def test_a_dry_run_as_json_is_one_value(referee: Referee) -> None:
    value = json.loads(referee(*FLIP7, "--bots", "a,b,c", "--dry-run", "--json").out)
    assert set(value) == {"matches", "matches_per_bot", "decisions_per_match", "seconds", "sigma", "power"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--schedule", "full"), "23,030,280 matches, more than the 1,000,000 a schedule may have: choose balanced"),
        (("--rounds", "999999"), "5,999,994 matches, more than the 1,000,000 a schedule may have: ask for fewer"),
    ],
)
def test_a_dry_run_refuses_what_could_not_be_created(referee: Referee, words: tuple[str, ...], says: str) -> None:
    bots = ",".join(f"bot{number}" for number in range(40))
    game = ("tournament", "create", "league", "--game", "stop_me_go", "--players", "6")
    done = referee(*game, "--bots", bots, *words, "--dry-run")
    assert done.code == 2
    assert says in done.err


def test_the_help_says_what_a_seed_keeps_secret_and_what_not(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    told = referee("tournament", "create", "--help").out
    assert "secret random salt; both are revealed at the end" in told
    assert "Whoever guesses the text knows every deal; refused if a remote bot plays" in told
    assert "A bot that guesses it knows every deal" in referee("run", "--help").out


def test_repeatable_without_a_seed_is_refused_before_anything_is_asked(referee: Referee) -> None:
    done = referee(*FLIP7, "--bots", "a,b,c", "--repeatable", "--server", NOBODY)
    assert (done.code, "--repeatable needs --seed TEXT" in done.err) == (2, True)


def test_no_time_at_all_is_refused_and_not_taken_for_the_usual_one(referee: Referee) -> None:
    done = referee(*FLIP7, "--bots", "a,b,c", "--time", "0", "--server", NOBODY)
    assert done.code == 2
    assert "the time per decision must be above 0" in done.err


def test_a_tournament_may_end_when_a_question_is_answered(referee: Referee, tmp_path: Path) -> None:
    words = ("tournament", "create", "league", "--game", "stop_me_go", "--bots", "mixed,patient,random")
    question = ("--until", "patient > random", "--confidence", "90 %", "--budget", "60")
    db = ("--db", str(tmp_path / "until.db"))
    made = referee(*words, *question, *db)
    assert made.code == 0
    assert "at most 60 matches, until it is known (patient > random)" in made.out
    shown = json.loads(referee("tournament", "show", "league", *db, "--json").out)
    assert shown["settings"]["format"] == {
        "name": "until", "question": "pair", "top": 1, "pair": [1, 2], "confidence": 0.9, "budget": 60,
    }  # fmt: skip
    assert referee("tournament", "start", "league", *db).code == 0
    answer = r"patient is better than random with 90 % confidence, after \d+ of at most 60 matches"
    open_still = r"the budget is spent and the question is open, after 60 of at most 60 matches: 1 pair"
    ended = referee("leaderboard", "league", "--once", *db).out
    assert re.search(f"{answer}|{open_still}", ended)
    assert json.loads(referee("leaderboard", "league", "--json", *db).out)["format"]["stage"] in ended


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--until", "last known"), "is not a question: ask 'first known'"),
        (("--until", "a > z"), "the names of two bots"),
        (("--until", "first known", "--format", "swiss"), "leave out --format swiss"),
        (("--until", "first known", "--confidence", "sure"), "cannot read --confidence 'sure'"),
        (("--until", "first known", "--confidence", "95"), "a confidence of 95.0 cannot be had"),
        (("--until", "top 3 known"), "the top 3 of 3 bots cannot be told"),
        (("--confidence", "90%"), "--confidence belongs to --until"),
        (("--budget", "50"), "--budget belongs to --until"),
    ],
)
def test_what_cannot_be_asked_is_refused(referee: Referee, words: tuple[str, ...], says: str) -> None:
    done = referee("tournament", "create", "league", "--game", "stop_me_go", "--bots", "a,b,c", *words, "--dry-run")
    assert done.code == 2
    assert says in done.err
