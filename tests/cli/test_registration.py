"""`referee bot add-all`: a class of thirty is registered with one command, or none of it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from .conftest import Referee


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names_in(referee: Referee, db: Path) -> list[str]:
    done = referee("bot", "list", "--db", db, "--json")
    return sorted(row["name"] for row in done.json)


def test_all_names_of_a_csv_file_get_a_token_in_a_file_of_its_own(referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("seat,name\n1,ada\n2,Émile\n3,\n", encoding="utf-8-sig")
    done = referee("bot", "add-all", "class.csv", "--tokens", "tokens.csv", "--db", tmp_path / "league.db")
    assert done.code == 0, done.err
    assert "2 bots are registered" in done.err
    rows = list(csv.DictReader((tmp_path / "tokens.csv").open(encoding="utf-8")))
    assert [row["name"] for row in rows] == ["ada", "Émile"]
    assert all(len(row["token"]) == 64 for row in rows)
    assert (tmp_path / "tokens.csv").stat().st_mode & 0o077 == 0
    assert names_in(referee, tmp_path / "league.db") == ["ada", "Émile"]


def test_without_a_file_the_tokens_are_csv_on_stdout(referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name\nada\n")
    done = referee("bot", "add-all", "class.csv", "--db", tmp_path / "league.db")
    assert done.out.splitlines()[0] == "name,token"
    assert done.out.splitlines()[1].startswith("ada,")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bot\nada\n", "names no column 'name'"),
        ("name\n", "holds no names"),
        ("name\nada\nbob\nada\n", "more than once: ada"),
        ("name\nbob\nodds\n", "odds is the name of a house bot"),
        ("name\nbob\nknown\n", "registered already: known"),
        ("name\nbob\na\x07b\n", "printable characters"),
        ("name\nbob\nBob\n", "bob and Bob look alike: choose another name"),
        ("name\nbob\nKn0wn\n", "Kn0wn looks like known, which is the name of a bot already"),
        ('name\nbob\n"ann, and carl"\n', "has no comma"),
        ("name\nbob\nаda\n", "letters of one script"),
    ],
)
def test_one_name_that_cannot_be_registered_stops_all_of_them(
    referee: Referee, tmp_path: Path, text: str, said: str
) -> None:
    db = tmp_path / "league.db"
    assert referee("bot", "add", "known", "--db", db).code == 0
    (tmp_path / "class.csv").write_text(text)
    done = referee("bot", "add-all", "class.csv", "--db", db)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert names_in(referee, db) == ["known"]


def test_a_file_of_tokens_is_never_replaced(referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_text("name\nada\n")
    (tmp_path / "tokens.csv").write_text("precious")
    done = referee("bot", "add-all", "class.csv", "--tokens", "tokens.csv", "--db", tmp_path / "league.db")
    assert done.code == 2
    assert (tmp_path / "tokens.csv").read_text() == "precious"
    assert not (tmp_path / "league.db").exists()
