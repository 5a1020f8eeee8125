"""What a person may write as the database."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.store import BadAddress
from referee.store.address import parse_address


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
    assert str(address) == "postgresql+psycopg://ada:***@db.example/league"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must be a file"),
        (":memory:", "must be a file"),
        ("sqlite://", "must be a file"),
        ("a\0b", "must be a file"),
        ("mysql://host/db", "Unknown kind of database 'mysql'"),
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
