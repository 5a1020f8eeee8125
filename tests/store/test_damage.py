"""A damaged row is told in one sentence with its table and its key, whatever stands in it; with --json as JSON."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from referee.cli.main import main
from referee.store import Store, StoreError

pytestmark = pytest.mark.xdist_group("damage")  # one worker: what its tests share takes long to make

WRONG = ["NULL", "'zz'", "x'80ff'"]
TABLES = ("bots", "tournaments", "entrants", "matches", "seats", "records")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("damage") / "played.db"
    words = ["run", "stop_me_go", "patient", "random", "-p", "2", "--rounds", "1", "--seed", "x", "--db", str(path)]
    assert main([*words, "--json"]) == 0
    return path


def changed(played: Path, copy: Path, table: str, column: str, value: str) -> bool:
    """A copy of the database with one value changed in the first row; False if the database does not let it be."""
    shutil.copy(played, copy)
    with sqlite3.connect(copy) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        try:
            connection.execute(
                f'UPDATE {table} SET "{column}" = {value} WHERE rowid = (SELECT min(rowid) FROM {table})'
            )
        except sqlite3.Error:
            return False
    connection.close()
    return True


def what_is_told(path: Path) -> str:
    """The sentence that comes out when everything is read; empty if nothing is wrong."""
    try:
        with Store.open(str(path), create=False) as store:
            store.bots.all()
            for tournament in store.tournaments.all():
                store.tournaments.entrants(tournament.id)
                matches = store.matches.page(tournament.id, 0, 100)
                store.matches.records([match.id for match in matches])
    except StoreError as error:
        return str(error)
    return ""


def test_whatever_stands_in_a_row_nothing_but_a_sentence_comes_out(played: Path, tmp_path: Path) -> None:
    """Every column of every table that is read, with every kind of wrong value."""
    copy, told = tmp_path / "copy.db", 0
    with sqlite3.connect(played) as connection:
        columns = [(table, row[1]) for table in TABLES for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    for table, column in columns:
        for value in WRONG:
            if not changed(played, copy, table, column, value):
                continue
            sentence = what_is_told(copy)
            if sentence.startswith("the database is damaged: in the table"):
                told += 1
                assert f"in the table {table}, the row with " in sentence
            else:
                assert not sentence or "damaged" in sentence, (table, column, value, sentence)
    assert told > 60


def without_kept_table(path: Path) -> None:
    """Take away the table that `run` has kept at its end, so that `leaderboard` reads every match."""
    with sqlite3.connect(path) as connection:
        assert connection.execute("DELETE FROM snapshots WHERE kind = 'table'").rowcount == 1
    connection.close()


@pytest.mark.parametrize("words", [["leaderboard", "--once"], ["matches"], ["verify"]])
def test_commands_tell_the_row_and_with_json_as_json(
    words: list[str], played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.db"
    assert changed(played, copy, "matches", "round", "'zz'")
    without_kept_table(copy)
    asked = [word for word in words if word != "--once"]
    code = main([*asked, "--db", str(copy), "--json"])
    out, err = capsys.readouterr()
    assert code == (1 if words == ["verify"] else 3), err
    assert "in the table matches, the row with id 1 has round 'zz'" in err
    assert "unexpected" not in err
    assert err.count("\n") == 1
    assert json.loads(out)["exit_code"] == code


def test_a_kept_table_is_shown_beside_a_damaged_match_and_verify_tells_the_row(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy.db"
    assert main(["leaderboard", "--db", str(played), "--json"]) == 0
    before = capsys.readouterr().out
    assert changed(played, copy, "matches", "round", "'zz'")
    assert main(["leaderboard", "--db", str(copy), "--json"]) == 0
    assert capsys.readouterr().out == before
    assert main(["verify", "--db", str(copy), "--json"]) == 1
    assert "in the table matches, the row with id 1 has round 'zz'" in capsys.readouterr().err
