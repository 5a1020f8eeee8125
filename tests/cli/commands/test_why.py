"""`referee why`: a match of a database or a file, a bot over a tournament, and one sentence for every wrong use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser

QUICK = ("--rollouts", 4, "--workers", 1)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    game = registry.find("stop_me_go")
    choosers = [random_chooser(b"why", seat) for seat in range(2)]
    path = tmp_path / "record.json"
    path.write_bytes(playout(game, 2, game.resolve_options(), seed_bytes(3), choosers).record.to_bytes())
    return path


def test_a_record_file_is_explained_for_a_seat(referee: Any, record: Path) -> None:
    done = referee("why", record, "--seat", 1, *QUICK)
    assert (done.code, done.err) == (0, "")
    for word in ("STOP me GO", "result", "without luck", "luck", "yardstick     patient, 4 rollouts", "seed 0"):
        assert word in done.out


def test_json_is_one_value_and_the_same_seed_gives_the_same(referee: Any, record: Path) -> None:
    first, second = (referee("why", record, "--seat", 0, "--seed", 7, "--json", *QUICK) for _ in range(2))
    assert first.json == second.json
    assert (first.json["game"], first.json["seed"], first.json["rollouts"]) == ("stop_me_go", 7, 4)
    assert first.err == ""


def test_a_match_and_a_bot_of_a_tournament_are_explained(referee: Any, tmp_path: Path) -> None:
    db = tmp_path / "league.db"
    plan = ("--game", "stop_me_go", "--rounds", 2, "--bots", "random,patient", "--seed", "x", "--repeatable")
    assert referee("tournament", "create", "league", *plan, "--db", db).code == 0
    assert referee("tournament", "start", "league", "--db", db).code == 0
    done = referee("why", "league/0", "--bot", "random", "--db", db, "--json", *QUICK)
    assert (done.json["match"], done.json["name"]) == ("league/0", "random")
    done = referee("why", "league", "--bot", "random", "--matches", 2, "--db", db, "--json", *QUICK)
    assert done.json["matches"] == ["league/0", "league/1"]
    assert [kind["kind"] for kind in done.json["kinds"]] == ["go or stop"]
    shown = referee("why", "league", "--bot", "random", "--matches", 1, "--db", db, *QUICK)
    assert (shown.code, "go or stop" in shown.out, "luck in all" in shown.out) == (0, True, True)
    for words, said in (
        (("league", "--seat", 0), "league is a tournament: name the bot with --bot NAME"),
        (("league", "--bot", "nobody"), "there is no bot named nobody in league"),
        (("league/99", "--seat", 0), "there is no match named 'league/99'"),
        (("cup", "--bot", "random"), "there is no tournament named cup"),
        (("league/0", "--bot", "nobody"), "'nobody' did not play in this match; there are: "),
        (("league/0", "--seat", 9), "there is no seat 9: the match has the seats 0 to 1"),
        (("league/0", "--seat", 0, "--matches", 2), "--matches is for a tournament"),
    ):
        done = referee("why", *words, "--db", db, *QUICK)
        assert (done.code, done.out, said in done.err) == (2, "", True), done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name whose match it is: --seat N, or --bot NAME"),
        (("--seat", 0, "--bot", "x"), "name whose match it is: --seat N, or --bot NAME"),
        (("--seat", 5), "there is no seat 5"),
        (("--seat", 0, "--yardstick", "patiant"), "did you mean 'patient'?"),
        (("--seat", 0, "--yardstick", "tidy"), "the bot 'tidy' does not play stop_me_go"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(referee: Any, record: Path, words: tuple[object, ...], said: str) -> None:
    done = referee("why", record, *words, *QUICK)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_file_that_is_no_record_does_not_hold(referee: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text("{}")
    done = referee("why", path, "--seat", 0)
    assert (done.code, "does not hold" in done.err) == (1, True)
    done = referee("why", tmp_path / "nothing.json", "--seat", 0)
    assert (done.code, "there is no file" in done.err) == (2, True)


def test_an_exported_tournament_is_explained_as_a_stored_one(referee: Any, tmp_path: Path) -> None:
    db, folder = tmp_path / "league.db", tmp_path / "exported"
    bots = ("random", "patient", "--rounds", 2, "--seed", "x", "--name", "league", "--workers", 1)
    assert referee("run", "stop_me_go", *bots, "--db", db).code == 0
    assert referee("export", "league", folder, "--db", db).code == 0
    stored = referee("why", "league", "--bot", "random", "--db", db, "--json", *QUICK).json
    assert referee("why", folder, "--bot", "random", "--json", *QUICK).json == stored
    assert len(stored["matches"]) == 2
    latest = referee("why", folder, "--bot", "random", "--matches", 1, "--json", *QUICK).json
    assert latest["matches"] == ["league/1"]
    one = referee("why", folder / "1", "--seat", 0, "--json", *QUICK)
    assert (one.code, one.json["match"]) == (0, "league/1")
    for words, said in (
        ((folder, "--seat", 0), "is a tournament: name the bot with --bot NAME"),
        ((folder, "--bot", "nobody"), "nobody has finished no match"),
        ((folder / "9", "--seat", 0), "holds no record of match 9"),
        (("league.json", "--seat", 0, "--db", db), "there is no match named 'league.json'"),
    ):
        done = referee("why", *words, *QUICK)
        assert (done.code, done.out, said in done.err) == (2, "", True), done.err


def test_what_is_no_record_is_named_as_what_it_is(referee: Any, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "league.db").write_bytes(b"SQLite format 3\0")
    for name, code, said in (
        ("pipe", 3, "it is no regular file"),
        ("league.db", 2, "is a database: name a match of it, with --db"),
        (".", 2, "is a folder: name a record file"),
    ):
        done = referee("why", tmp_path / name, "--seat", 0)
        assert (done.code, done.out, said in done.err) == (code, "", True), done.err
