"""`referee tournament create`: what a dry run says, and what is refused before any server hears of it."""

from __future__ import annotations

import json
import re

import pytest

from .conftest import Referee

NOBODY = "127.0.0.1:1"
FLIP7 = ("tournament", "create", "league", "--game", "flip7")


def test_a_dry_run_says_how_many_matches_how_long_and_how_sure(referee: Referee) -> None:
    done = referee(*FLIP7, "--players", "4", "--rounds", "30", "--bots", "a,b,c,d,e,f,g,h", "--dry-run")
    assert done.code == 0
    assert re.fullmatch(
        r"60 matches, 30 for each bot; with quick bots about \d+ s on this machine; expect σ near 1\.\d\d in the end\n",
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


def test_a_dry_run_as_json_is_one_value(referee: Referee) -> None:
    value = json.loads(referee(*FLIP7, "--bots", "a,b,c", "--dry-run", "--json").out)
    assert set(value) == {"matches", "matches_per_bot", "decisions_per_match", "seconds", "sigma"}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--schedule", "full"), "23,030,280 matches, more than the 1,000,000 a schedule may have; choose balanced"),
        (("--rounds", "999999"), "5,999,994 matches, more than the 1,000,000 a schedule may have; ask for fewer"),
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
