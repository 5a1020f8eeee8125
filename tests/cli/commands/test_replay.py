"""`referee replay`: any stored or exported match, as text, page, picture and JSON, and what cannot be shown."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from referee.analysis.replay import Perspective, Replay, read_match

from ..conftest import Referee
from .conftest import BOTS, play


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "match.json"
    path.write_bytes(play("cup/7", "stop_me_go", list(BOTS)).record())
    return path


def test_a_stored_match_is_stepped_through_as_text(referee: Referee, league: Path) -> None:
    done = referee("replay", "league/1", "--db", league)
    assert done.code == 0, done.err
    assert "bob tried 'dance'" in done.out
    assert "bob forfeited (resigned): lost heart" in done.out
    assert "|   no idea" in done.out
    assert "hidden: pile" in done.out
    assert "the end, after" in done.out
    one = referee("replay", "league/1", "--db", league, "--at", 0).out
    assert one.count("── decision ") == 1


def test_practice_files_and_folders_are_found_alike(referee: Referee, league: Path, record: Path) -> None:
    [practice] = referee("matches", "practice", "--db", league, "--json").json["matches"]
    assert referee("replay", practice["match"], "--db", league, "--at", 3).code == 0
    assert "cup/7" in referee("replay", record, "--at", 3).out
    folder = record.parent / "cup"
    (folder / "records").mkdir(parents=True)
    (folder / "tournament.json").write_text("{}")
    record.rename(folder / "records" / "7.json")
    assert "cup/7" in referee("replay", folder / "7", "--at", 3).out
    assert referee("replay", folder / "8").err == (
        f"error: the exported tournament {folder} holds no record of match 8\n"
    )
    assert "name one of its matches" in referee("replay", folder).err


def test_a_seat_sees_its_own_and_nothing_more(referee: Referee, record: Path) -> None:
    value = referee("replay", record, "--seat", 2, "--json").json
    replay = Replay(read_match(record.read_bytes()))
    assert value == json.loads(json.dumps(replay.to_value(Perspective(2))))
    assert {one["seat"] for step in value["steps"] for one in step["asked"]} == {2}
    public = referee("replay", record, "--public", "--json").json
    assert not any(step["asked"] for step in public["steps"])


def test_pages_and_json_hold_no_logs_unless_asked(referee: Referee, league: Path, tmp_path: Path) -> None:
    def logs(*words: object) -> list[str]:
        value = referee("replay", "league/1", "--db", league, "--json", *words).json
        return [line["text"] for step in value["steps"] for line in step["log"]]

    assert logs() == []
    assert logs("--logs") == ["what to do?", "  no idea"]
    assert logs("--logs", "--seat", 0) == []
    page = tmp_path / "page.html"
    done = referee("replay", "league/1", "--db", league, "--html", page)
    assert (done.code, done.out) == (0, "")
    assert f"wrote {page}" in done.err
    assert page.read_text().startswith("<!doctype html>")


def test_costly_decisions_are_marked(referee: Referee, record: Path) -> None:
    why = record.parent / "why.json"
    costly = {"decision": 5, "sentence": "go cost half a rank"}
    why.write_text(json.dumps({"match": "cup/7", "costliest": [costly]}))
    value = referee("replay", record, "--mistakes", why, "--json").json
    assert [step["notes"] for step in value["steps"] if step["notes"]] == [["go cost half a rank"]]
    assert "! go cost half a rank" in referee("replay", record, "--mistakes", why, "--at", 5).out
    why.write_text(json.dumps({"match": "cup/8", "costliest": [costly]}))
    assert "is about cup/8, not about cup/7" in referee("replay", record, "--mistakes", why).err
    for text in ("", "[]", '{"costliest": 1}', '{"match": "cup/7", "costliest": [3]}'):
        why.write_text(text)
        done = referee("replay", record, "--mistakes", why)
        assert (done.code, "is not what 'referee why MATCH --seat N --json' writes" in done.err) == (2, True)
    assert referee("replay", record, "--mistakes", record.parent / "none").code == 3


def test_one_position_is_a_picture(referee: Referee, record: Path) -> None:
    done = referee("replay", record, "--svg", 4)
    assert done.code == 0
    assert done.out.startswith("<svg ")


@pytest.mark.parametrize(("words", "viewer"), [(["--seat", "2"], 2), (["--seat", "1"], 1), (["--public"], None)])
def test_a_picture_is_of_that_decision_as_that_seat_saw_it(
    referee: Referee, record: Path, words: list[str], viewer: int | None
) -> None:
    match = read_match(record.read_bytes())
    step = Replay(match)[4]
    assert (
        referee("replay", record, "--svg", 4, *words).out
        == f"{match.game.picture(step.view(viewer), names=match.names)}\n"
    )
    others = {match.game.picture(step.view(seat), names=match.names) for seat in (0, 1, 2, None) if seat != viewer}
    assert match.game.picture(step.view(viewer), names=match.names) not in others


def test_the_text_of_one_decision_is_of_that_decision(referee: Referee, record: Path) -> None:
    for number in (1, 5):
        out = referee("replay", record, "--at", number).out
        assert out.count("── decision ") == out.count(f"── decision {number} of ") == 1
        mine = referee("replay", record, "--at", number, "--seat", 1).out
        assert f"── decision {number} of " in mine
        assert "hidden" not in mine
        assert mine.count(" answered ") == 1


def test_a_flipped_byte_is_one_sentence_and_exit_code_1(referee: Referee, league: Path, record: Path) -> None:
    data = record.read_bytes()
    at = data.index(b'"moves":["0: go') + len(b'"moves":["0: ')
    record.write_bytes(data[:at] + b"h" + data[at + 1 :])
    done = referee("replay", record)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert f"{record} does not hold: decision 0 is not legal" in done.err
    with sqlite3.connect(league) as connection:
        connection.execute("UPDATE records SET body = zeroblob(40)")
    for command in ("replay", "show"):
        done = referee(command, "league/0", "--db", league)
        assert (done.code, done.err.count("\n")) == (1, 1)
        assert "does not hold: the record of match 1 is damaged" in done.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["league/99"], 2, "there is no match named 'league/99': 'referee matches' lists them"),
        (["cup/0"], 2, "there is no match named 'cup/0'"),
        (["league/2"], 2, "nothing to see of league/2: it was set aside as absent (cy was not there)"),
        (["league/3"], 2, "nothing to see of league/3: it has not been played yet"),
        (["league/0", "--seat", "3"], 2, "there is no seat 3: the match has the seats 0 to 2"),
        (["league/0", "--at", "9999"], 2, "--at 9999: the match has the decisions 0 to"),
        (["league/0", "--svg", "-1"], 2, "--svg -1: the match has the decisions"),
        (["league/0", "--seat", "0", "--public"], 2, "give one of --seat, --public and --revealed"),
        (["league/0", "--json", "--svg", "0"], 2, "give one of --html, --svg and --json"),
        (["league/0", "--html", "/nowhere/x.html"], 3, "cannot write /nowhere/x.html"),
        (["league/0", "--server", "127.0.0.1:1"], 2, "give --db or --server, not both"),
    ],
)
def test_what_cannot_be_shown_is_said(referee: Referee, league: Path, words: list[str], code: int, said: str) -> None:
    done = referee("replay", *words, "--db", league)
    assert (done.code, done.out, done.err.count("\n")) == (code, "", 1)
    assert said in done.err


def test_other_games_versions_and_files_are_said(
    referee: Referee, league: Path, record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(record.parent / ".")
    value = json.loads(record.read_bytes())
    value["record"]["version"] = 99
    record.write_text(json.dumps(value))
    assert "version 99, installed is version" in referee("replay", record).err
    value["record"]["game"] = "chess"
    record.write_text(json.dumps(value))
    done = referee("replay", record)
    assert (done.code, "unknown game 'chess'" in done.err) == (2, True)
    record.write_text("no json")
    assert (referee("replay", record).code, referee("replay", league).code) == (1, 2)
    assert f"{league} is a database: name a match of it, with --db {league}" in referee("replay", league).err
    assert "a match of a tournament needs --db FILE or --server" in referee("replay", "nothing").err


def test_what_a_hosted_bot_writes_is_kept_with_its_match(referee: Referee, tmp_path: Path) -> None:
    bot = tmp_path / "loud.py"
    bot.write_text(
        "import sys, arena\n"
        "def decide(decision):\n"
        "    print('I see', decision.legal, file=sys.stderr, flush=True)\n"
        "    return decision.legal[-1]\n"
        "arena.run(decide)\n"
    )
    db = tmp_path / "run.db"
    words = ("flip7", bot, "random", "random", "--rounds", 1, "--db", db, "--no-sandbox", "--name", "cup", "--json")
    done = referee("run", *words)
    assert done.code == 0, done.err
    value = referee("replay", "cup/0", "--db", db, "--json", "--logs").json
    [seat] = [seat for seat, name in enumerate(value["names"]) if name == "loud"]
    mine = [step for step in value["steps"] if any(asked["seat"] == seat for asked in step["asked"])]
    for step in mine:
        assert any(line["text"].startswith("I see [") and line["seat"] == seat for line in step["log"]), step["number"]
    assert "I see" not in json.dumps(referee("replay", "cup/0", "--db", db, "--json").json)
