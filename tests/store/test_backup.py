"""A copy of the database: whole, made beside a running server, never in place of another file."""

from __future__ import annotations

import resource
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.store import DiskFull, ForeignDatabase, MatchResult, NoDatabase, NotADatabase, Refused, Store, Tournament
from referee.store.address import parse_address
from referee.store.backup import back_up


def test_a_copy_made_while_results_are_stored_is_whole_as_of_one_moment(
    tmp_path: Path, new_league: Callable[..., Tournament], result_of: Callable[..., MatchResult]
) -> None:
    source, target = tmp_path / "league.db", tmp_path / "copy.db"
    with Store.open(source, owner="server") as store:
        league = new_league(store, matches=300)
        made = threading.Event()

        def report() -> None:
            for match in [one.id for one in store.matches.page(league.id, 0, 300)]:
                store.matches.claim(match)
                store.matches.report(result_of(match))
                made.set()

        reporting = threading.Thread(target=report)
        reporting.start()
        made.wait(60)
        assert back_up(parse_address(source), target) == target.stat().st_size
        reporting.join()
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["copy.db", "league.db"]
    assert target.stat().st_mode & 0o077 == 0
    with Store.open(target, owner="server") as copy:
        finished = list(copy.matches.results_in_schedule_order(league.id))
        results = [entry for entry in copy.journal.read(league.id) if '"kind":"result"' in entry.entry]
        assert len(finished) == len(results) >= 1, "what is stored and what the journal tells is of one moment"


@contextmanager
def room_for_a_file(size: int) -> Iterator[None]:
    """No file becomes larger: what the system says then is what it says of a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_where_the_copy_has_no_room_the_copy_is_named_and_nothing_of_it_is_left(
    tmp_path: Path, new_league: Callable[..., Tournament]
) -> None:
    """It named the database, and left two files of the copy behind, on a full disk."""
    source, target = tmp_path / "league.db", tmp_path / "copies" / "copy.db"
    target.parent.mkdir()
    with Store.open(source) as store:
        new_league(store, matches=300)
        with room_for_a_file(60_000), pytest.raises(DiskFull, match=r"no room left to write .*copies/copy\.db: "):
            back_up(parse_address(source), target)
    assert not list(target.parent.iterdir())


def test_no_file_is_ever_replaced(tmp_path: Path) -> None:
    source, target = tmp_path / "league.db", tmp_path / "notes.txt"
    Store.open(source).close()
    target.write_text("precious")
    with pytest.raises(Refused, match="exists already: name a new file"):
        back_up(parse_address(source), target)
    assert target.read_text() == "precious"


def test_what_is_no_database_of_ours_is_not_copied(tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    with pytest.raises(NoDatabase):
        back_up(parse_address(tmp_path / "missing.db"), target)
    (tmp_path / "text.db").write_text("no database" * 100)
    with pytest.raises(NotADatabase):
        back_up(parse_address(tmp_path / "text.db"), target)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE songs (name TEXT)").connection.close()
    with pytest.raises(ForeignDatabase, match="not a database of Referee's"):
        back_up(parse_address(tmp_path / "other.db"), target)
    assert not target.exists()
    assert not list(tmp_path.glob("*.unfinished"))


def test_postgresql_is_told_its_own_command(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="pg_dump"):
        back_up(parse_address("postgresql://referee@localhost/league"), tmp_path / "copy.db")
