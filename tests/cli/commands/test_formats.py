"""Formats and rulings from the command line: created, forecast, refused, played, ruled on and verified, on a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ..conftest import Referee

GAME = ("--game", "stop_me_go")
SIX = ("--bots", "random,patient,random,random,random,random")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "swiss", "--rounds", "7"), r"14 matches, in 7 rounds, 7\.0 for each bot on average"),
        (("--format", "knockout"), r"\d+ to \d+ matches, in \d to \d rounds, up to \d+\.\d for each bot on average"),
        (("--format", "gauntlet", "--rounds", "3"), r"15 matches, in 3 rounds"),
        (("--format", "gauntlet"), r"5 matches, in 1 round, 1\.7 for each bot on average"),
        (("--format", "groups+finals", "--groups", "2"), r"matches, in"),
        (
            (
                "--format",
                "ladder",
            ),
            r"a ladder has no end of its own; with quick bots about [\d,]+ matches an hour",
        ),
    ],
)
def test_a_dry_run_of_every_format_says_how_long_it_lasts(referee: Referee, words: tuple[str, ...], says: str) -> None:
    players = ("--players", "3") if words[1] == "swiss" else ()
    done = referee("tournament", "create", "cup", *GAME, *SIX, *words, *players, "--dry-run")
    assert done.code == 0, done.err
    assert re.search(says, done.out), done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "swis"), "there is no format 'swis': round-robin, gauntlet, swiss"),
        (("--format", "knockout", "--rounds", "3"), "a knockout has no --rounds: its settings are advance"),
        (("--format", "swiss", "--with", "rouns=3"), "has no setting 'rouns'"),
        (("--until", "first known", "--rounds", "3"), "at most --budget of them: leave out --rounds"),
        (("--until", "first known", "--third-place"), "leave out --third-place"),
        (("--until", "first known", "--seeding", "random=3"), "leave out --seeding"),
        (("--until", "first known", "--with", "rounds=3"), "leave out --with"),
        (("--format", "swiss", "--with", "rounds=3", "--rounds", "4"), "rounds is given twice"),
        (("--format", "swiss", "--schedule", "full"), "--schedule belongs to a round-robin"),
        (("--third-place",), "--third-place belongs to another format than a round-robin"),
        (("--challengers", "patient"), "--challengers belongs to another format"),
        (("--format", "gauntlet", "--challengers", "eve"), "the challenger 'eve' is none of the bots"),
        (("--format", "knockout", "--seeding", "eve=3"), "--seeding names 'eve', which is none of the bots"),
        (("--format", "knockout", "--seeding", "patient=x"), "cannot read --seeding 'patient=x'"),
        (("--format", "knockout", "--players", "4", "--third-place"), "the final itself decides third place"),
    ],
)
def test_what_a_format_does_not_have_is_refused(referee: Referee, words: tuple[str, ...], says: str) -> None:
    done = referee("tournament", "create", "cup", *GAME, *SIX, *words, "--dry-run")
    assert done.code == 2
    assert says in done.err


def test_a_knockout_is_seeded_from_an_earlier_tournament_and_its_bracket_decides_the_places(
    referee: Referee, tmp_path: Path
) -> None:
    db = ("--db", tmp_path / "cup.db")
    assert referee("tournament", "create", "league", *GAME, *SIX, "--rounds", "2", *db).code == 0
    assert referee("tournament", "start", "league", *db).code == 0
    made = referee("tournament", "create", "cup", *GAME, *SIX, "--format", "knockout", "--seeding", "league", *db)
    assert made.code == 0, made.err
    assert "a knockout, drawn round by round" in made.out
    assert referee("tournament", "start", "cup", *db).code == 0
    shown = referee("leaderboard", "cup", "--once", "--json", *db).json
    places = {place["bot"]: place["place"] for place in shown["format"]["places"]}
    assert {row["bot"]: row["rank"] for row in shown["rows"]} == places
    assert shown["rows"][0]["bot"] == shown["format"]["bracket"][-1]["tables"][0]["advanced"][0]
    settings = referee("tournament", "show", "cup", "--json", *db).json["settings"]
    assert len(settings["format"]["seeding"]) == 6
    assert referee("verify", "cup", *db).code == 0


def test_rulings_are_made_told_and_verified(referee: Referee, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "cup.db")
    assert referee("tournament", "create", "cup", *GAME, *SIX, "--format", "swiss", "--rounds", "2", *db).code == 0
    assert referee("tournament", "start", "cup", *db).code == 0
    assert (
        "match 1 was annulled: a mistake"
        in referee("tournament", "annul", "cup", "cup/1", "--reason", "a mistake", *db).out
    )
    banned = referee("tournament", "disqualify", "cup", "random-3", "--reason", "two accounts", "--annul", *db)
    assert "random-3 was disqualified" in banned.out
    told = referee("tournament", "show", "cup", *db).out
    assert "match 1 was annulled: a mistake" in told
    late = referee("tournament", "replay-match", "cup", "1", "--reason", "again", *db)
    assert (late.code, "annul match cup/1 instead" in late.err) == (2, True)
    assert referee("tournament", "disqualify", "cup", "eve", "--reason", "who", *db).code == 2
    verified = referee("verify", "cup", *db, "--allow-set-aside")
    assert verified.code == 0
    assert "rulings: match 1 was annulled: a mistake; random-3 was disqualified" in verified.err + verified.out


def test_a_ruling_takes_a_match_by_the_name_that_all_commands_show(referee: Referee, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "cup.db")
    assert referee("tournament", "create", "cup", *GAME, *SIX, "--format", "swiss", "--rounds", "2", *db).code == 0
    assert referee("tournament", "start", "cup", *db).code == 0
    name = referee("matches", "cup", *db, "--json").json["matches"][-1]["match"]
    assert name == "cup/0"
    done = referee("tournament", "annul", name, "--reason", "a mistake", *db)
    assert (done.code, "match 0 was annulled: a mistake" in done.out) == (0, True)
    late = referee("tournament", "replay-match", "cup/1", "--reason", "again", *db)
    assert (late.code, "annul match cup/1 instead" in late.err) == (2, True)
    which = referee("tournament", "annul", "cup", "--reason", "which", *db)
    assert (which.code, "which match of cup?" in which.err) == (2, True)


def test_a_run_of_a_format_goes_on_where_it_stopped_and_names_itself_by_its_settings(
    referee: Referee, tmp_path: Path
) -> None:
    words = ("run", "stop_me_go", "random", "patient", "random", "--players", "2", "--seed", "s", "--json")
    plain = referee(*words, "--rounds", "2", "--db", tmp_path / "a.db").json
    swiss = referee(*words, "--rounds", "2", "--format", "swiss", "--db", tmp_path / "a.db")
    assert swiss.code == 0
    assert swiss.json["tournament"] != plain["tournament"]
    again = referee(*words, "--rounds", "2", "--format", "swiss", "--db", tmp_path / "a.db")
    assert again.json["digest"] == swiss.json["digest"]
    dry = referee(*words, "--rounds", "2", "--format", "swiss", "--dry-run")
    assert dry.json["matches"] == 2
