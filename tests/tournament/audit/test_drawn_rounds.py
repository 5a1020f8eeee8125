"""Rounds of a format are verified: each is drawn again from results and root, and what does not follow is named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.chain_head import BEGINNING
from referee.cli.main import main
from referee.store import Store
from referee.store.journal_entry import canonical, link
from referee.tournament.audit import folder
from referee.tournament.audit.database import check_columns, from_database, published
from referee.tournament.audit.importing import import_folder
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import Verified, verify

pytestmark = pytest.mark.xdist_group("drawn rounds")  # one worker: what its tests share takes long to make

SWISS = ("--format", "swiss", "--rounds", "3", "--bots", "random,patient,random,random,random")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Swiss tournament of five, played, with a result annulled between rounds' end and now."""
    path = tmp_path_factory.mktemp("swiss") / "cup.db"
    assert main(["tournament", "create", "cup", "--game", "stop_me_go", *SWISS, "--db", str(path)]) == 0
    assert main(["tournament", "start", "cup", "--db", str(path)]) == 0
    assert main(["tournament", "annul", "cup", "0", "--reason", "found out later", "--db", str(path)]) == 0
    return path


def found(path: Path) -> Verified:
    with Store.open(path) as store:
        check_columns(store, "cup")
        return verify(from_database(store, "cup"), workers=0)


def changed(path: Path, to: Path, change: Callable[[dict[str, object]], None]) -> Path:
    """A copy in which an entry of the journal is another, with the chain of hashes written anew behind it."""
    to.write_bytes(path.read_bytes())
    with sqlite3.connect(to) as database:
        rows = database.execute("SELECT number, entry FROM journal WHERE chain = 1 ORDER BY number").fetchall()
        before = BEGINNING
        for number, text in rows:
            entry = json.loads(text)
            change(entry)
            text = canonical(entry)
            before = link(before, text)
            database.execute(
                "UPDATE journal SET entry = ?, hash = ? WHERE chain = 1 AND number = ?", (text, before, number)
            )
    return to


def test_rounds_follow_from_results_and_root_even_if_a_result_was_annulled_later(played: Path) -> None:
    verified = found(played)
    assert (verified.replayed, verified.set_aside, verified.state) == (5, 1, "finished")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("stage", "round 1 of 4", "round 1: the stage should be"),
        ("byes", [], "round 1: the byes should be"),
        ("tables", [{"why": "friends", "deal": 0}] * 2, "round 1: the reasons should be"),
    ],
)
def test_a_round_that_was_drawn_otherwise_is_found_though_the_journal_was_written_anew(
    played: Path, tmp_path: Path, key: str, value: object, says: str
) -> None:
    def change(entry: dict[str, object]) -> None:
        if entry["kind"] == "round" and entry["round"] == 1:
            entry[key] = value

    copy = changed(played, tmp_path / "copy.db", change)
    with Store.open(copy) as store, pytest.raises(DoesNotHold, match=says):
        verify(from_database(store, "cup"), workers=0)


def test_seats_that_were_exchanged_are_found(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_bytes(played.read_bytes())
    with sqlite3.connect(copy) as database:
        database.execute("UPDATE seats SET seat = seat + 10 WHERE match_id = 2")
        database.execute("UPDATE seats SET seat = 11 - seat WHERE match_id = 2")
    with Store.open(copy) as store, pytest.raises(DoesNotHold, match=r"not the 2\. match of the schedule"):
        verify(from_database(store, "cup"), workers=0)


def test_a_tournament_that_was_ended_early_is_found(played: Path, tmp_path: Path) -> None:
    def change(entry: dict[str, object]) -> None:
        if entry["kind"] == "created":
            settings = entry["settings"]
            assert isinstance(settings, dict)
            settings["format"]["rounds"] = 4

    copy = changed(played, tmp_path / "copy.db", change)
    with sqlite3.connect(copy) as database:
        (settings,) = database.execute("SELECT settings FROM tournaments").fetchone()
        later = json.loads(settings)
        later["format"]["rounds"] = 4
        database.execute("UPDATE tournaments SET settings = ?", (json.dumps(later),))
    with Store.open(copy) as store, pytest.raises(DoesNotHold):
        verify(from_database(store, "cup"), workers=0)


def test_an_export_carries_rounds_and_rulings_and_can_be_imported(played: Path, tmp_path: Path) -> None:
    with Store.open(played) as store:
        folder.write(published(store, "cup"), tmp_path / "out")
        digest, rounds, rulings = verify(from_database(store, "cup"), workers=0).digest, *_told(store)
    exported = folder.read(tmp_path / "out")
    assert verify(exported, workers=0).digest == digest
    places = json.loads((tmp_path / "out" / "standings.json").read_text())["places"]
    assert sorted(bot for group in places for bot in group) == sorted(exported.entrants)
    with Store.open(tmp_path / "imported.db") as store:
        assert import_folder(store, tmp_path / "out").digest == digest
        assert _told(store) == (rounds, rulings)
        check_columns(store, "cup")
        assert verify(from_database(store, "cup"), workers=0).digest == digest


def _told(store: Store) -> tuple[list[object], list[object]]:
    number = store.tournaments.get("cup").id
    return list(store.rounds.all(number)), list(store.rulings.all(number))
