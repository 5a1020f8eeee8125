"""What a person may write as the database."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from referee.masking import masked, shown
from referee.store import BadAddress
from referee.store.address import EXAMPLE, parse_address


@pytest.mark.parametrize("text", ["league.db", "sqlite:///league.db", "./league.db"])
def test_a_relative_path_is_a_file_here(text: str) -> None:
    assert parse_address(text).path == Path(os.getcwd()) / "league.db"


@pytest.mark.parametrize("text", ["/srv/league.db", "sqlite:////srv/league.db", Path("/srv/league.db")])
def test_an_absolute_path_is_that_file(text: str | Path) -> None:
    assert parse_address(text).path == Path("/srv/league.db")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_postgres_url_is_shown_without_its_password(scheme: str) -> None:
    address = parse_address(f"{scheme}://ada:s3cret@db.example/league")
    assert address.path is None
    assert str(address) == "postgresql://ada:***@db.example/league"


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ada:s3cret@db.example/league",
        "postgresql://ada:s3cr%2Fet@db.example/league",
        "postgresql://ada:s3c ret@db.example/league",
        "postgresql://ada:s3/c?r:et@db.example/league",
        "postgresql://ada%40corp:s3cret@db.example/league",
        "postgresql://a?d#a:s3cret@db.example/league",
        "postgresql://ada@db.example/league?password=s3cret",
        "postgresql://db.example/league?user=ada&password=s3cret",
        "postgresql://db.example/league?user=ada&p%61ssword=s3cr%65t",
        "postgresql://db.example/league?sslpassword=s3cret&sslmode=require",
        "postgresql://db.example/league?pasword=s3cret",
        "postgresql://ada:s3cret@db.example/league?password=s3cret&password=s3cret",
    ],
)
def test_no_part_of_a_password_is_shown_wherever_it_stands(text: str) -> None:
    for said in (str(parse_address(text)), f"{parse_address(text)}", shown(text)):
        assert not re.search("s3|cret|%65t|%2Fet", said)
        assert "***" in said
        assert "db.example/league" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/srv/a:b@c/league.db", "/srv/a:b@c/league.db"),
        ("sqlite:////srv/my league.db", "sqlite:////srv/my league.db"),
        (
            "postgresql://db:5432/league?sslmode=require&options=-csearch_path%3Da",
            "postgresql://db:5432/league?sslmode=require&options=-csearch_path%3Da",
        ),
        ("postgresql://ada@db/league", "postgresql://ada@db/league"),
    ],
)
def test_what_holds_no_password_is_shown_as_it_is(text: str, said: str) -> None:
    assert shown(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("got postgresql://ada:pw@h/db and stopped", "got postgresql://ada:***@h/db and stopped"),
        ("got (postgresql://h/db?password=pw&sslmode=x)", "got (postgresql://h/db?password=***&sslmode=x)"),
        ("got postgresql://ada@corp:pw@h/db", "got postgresql://ada@corp:***@h/db"),
        (EXAMPLE, EXAMPLE),
        ("a bot named a:b@c is unknown", "a bot named a:b@c is unknown"),
        ("no server answers at dns:///h:7700", "no server answers at dns:///h:7700"),
    ],
)
def test_a_sentence_keeps_everything_but_passwords(text: str, said: str) -> None:
    assert masked(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "postgresql:/ada:s3cret@h/db",
        "postgresql//ada:s3cret@h/db",
        "ada:s3cret@h/db",
        "postgresql://ada:s3c@ret@h/db",
        "postgresql://ada:s3cret@h:port/db",
        "postgresql://ada:s3cret",
        "POSTGRESQL://ada:s3cret@h/db",
        "mysql://ada:s3cret@h/db",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_without_repeating_its_password(text: str) -> None:
    with pytest.raises(BadAddress) as refused:
        parse_address(text)
    assert "s3c" not in str(refused.value)
    assert "ret" not in str(refused.value)


def test_a_file_that_is_there_may_be_called_anything(tmp_path: Path) -> None:
    (tmp_path / "ada:b@c.db").touch()
    assert parse_address(str(tmp_path / "ada:b@c.db")).path == tmp_path / "ada:b@c.db"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be a file"),
        (":memory:", "must be a file"),
        ("sqlite://", "must be a file"),
        ("a\0b", "must be a file"),
        ("mysql://host/db", "unknown kind of database 'mysql'"),
        ("postgresql://host:port/db", "cannot be read"),
    ],
)
def test_anything_else_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadAddress, match=reason):
        parse_address(text)


def test_a_file_name_with_odd_characters_is_that_file(tmp_path: Path) -> None:
    from referee.store import Store

    for name in ("100% ?a=b#c.db", "späce 機.db"):
        with Store.open(tmp_path / name) as store:
            store.bots.add("greedy")
        assert (tmp_path / name).stat().st_size > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["100% ?a=b#c.db", "späce 機.db"]
