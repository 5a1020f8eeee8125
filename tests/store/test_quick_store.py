"""Standings of a tournament that is not over, read without SQLAlchemy: byte for byte those that the store gives."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from referee.cli.at_once import answered
from referee.cli.main import main
from referee.store import SnapshotKind, Store
from referee.store.quick_store import open_to_look
from referee.tournament.plan import Plan
from referee.tournament.standings import snapshots
from referee.tournament.standings.snapshots import settings_digest


def to_play(which: str) -> list[str]:
    """Statements by which matches are still to be played."""
    chosen = f"match_id IN (SELECT id FROM matches WHERE {which})"
    return [
        f"UPDATE seats SET rank = NULL, score = NULL, fault = NULL WHERE {chosen}",
        f"DELETE FROM records WHERE {chosen}",
        f"UPDATE matches SET state = 'scheduled', finished = NULL, seed = NULL WHERE {which}",
    ]


STATES: dict[str, list[str]] = {
    "running, with some results": [],
    "not started": ["UPDATE tournaments SET state = 'created', started = NULL"],
    "paused": ["UPDATE tournaments SET state = 'paused'"],
    "without any result": to_play("1"),
    "matches that are being played": ["UPDATE matches SET state = 'playing' WHERE ordinal > 30 AND ordinal < 34"],
    "faults": [
        "UPDATE seats SET fault = 'timeout', strikes = 1 WHERE match_id % 5 = 0 AND seat = 0 AND rank IS NOT NULL",
        "UPDATE seats SET fault = 'CRASH' WHERE match_id % 7 = 0 AND seat = 1 AND rank IS NOT NULL",
    ],
    "matches that were set aside": [
        "UPDATE matches SET state = 'absent', reason = 'patient was not there' WHERE ordinal IN (33, 36)",
        "UPDATE matches SET state = 'void', reason = 'the server was late' WHERE ordinal = 35",
    ],
    "a bot that never came": [
        "UPDATE matches SET state = 'absent', reason = 'random-2 was not there' WHERE state = 'scheduled'",
    ],
    "matches that were dealt anew": ["UPDATE matches SET attempt = 2 WHERE ordinal IN (1, 2, 39)"],
    "bots with versions": ["UPDATE seats SET version = 1 + match_id % 3 WHERE seat = 0"],
    "all played, and not over": ["DELETE FROM matches WHERE state = 'scheduled'"],
}


def change(db: str, *statements: str) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def made(folder: Path, game: str, *words: str) -> str:
    """A tournament of which the matches from 30 on are still to be played."""
    path = str(folder / f"{game}.db")
    assert main(["run", game, *words, "--rounds", "40", "--seed", "x", "--name", "league", "--db", path, "--json"]) == 0
    change(
        path,
        "DELETE FROM snapshots",
        "UPDATE tournaments SET state = 'running', finished = NULL, revealed = 0",
        *to_play("ordinal >= 30"),
    )
    return path


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return Path(made(tmp_path_factory.mktemp("quick"), "stop_me_go", "random", "patient", "random")).read_bytes()


@pytest.fixture
def db(league: bytes, tmp_path: Path) -> str:
    path = tmp_path / "league.db"
    path.write_bytes(league)
    return str(path)


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long a tournament has lasted is part of its standings."""
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)


def look(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str, at_once: bool = True
) -> None:
    """Both ways print the same, or only the store prints it."""
    for line in (["--once", *words], ["--json", *words]):
        capsys.readouterr()
        assert answered(["leaderboard", *line, "--db", db]) is at_once
        quick = capsys.readouterr()
        with monkeypatch.context() as patch:
            patch.setattr("referee.cli.main.answered", lambda words: False)
            assert main(["leaderboard", *line, "--db", db]) == 0
        if at_once:
            assert capsys.readouterr() == quick
            assert quick.out


@pytest.mark.parametrize("state", STATES)
def test_standings_are_those_that_the_store_gives(
    state: str, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(db, *STATES[state])
    for words in ([], ["league"]):
        look(db, capsys, monkeypatch, *words)


@pytest.mark.parametrize(
    "words",
    [
        ("encore", "tidy", "random", "tidy", "--players", "1"),
        ("flip7", "cautious", "random", "odds", "random", "--players", "3", "--mirror"),
        ("stop_me_go", "random", "patient", "random", "--openings", "2"),
    ],
    ids=["one player per match", "mirrored deals", "random openings"],
)
def test_so_are_those_of_other_tournaments(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    look(made(tmp_path, *words), capsys, monkeypatch, "league")


def test_the_tournament_that_is_meant_is_the_same(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bots = ["--game", "stop_me_go", "--rounds", "2", "--bots", "random,patient,random"]
    assert main(["tournament", "create", "later", *bots, "--db", db]) == 0
    look(db, capsys, monkeypatch)  # the one that runs
    change(db, "UPDATE tournaments SET state = 'paused' WHERE name = 'league'")
    look(db, capsys, monkeypatch)  # the newest


def keep_one(db: str) -> None:
    """What is worth being kept is left to the store, once."""
    change(db, "UPDATE tournaments SET state = 'paused'")
    assert not answered(["leaderboard", "--once", "--db", db])
    assert main(["leaderboard", "--once", "--db", db]) == 0
    assert answered(["leaderboard", "--once", "--db", db])


def test_it_begins_with_the_last_snapshot_that_fits(
    db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "EVERY", 10)
    keep_one(db)
    change(db, "UPDATE tournaments SET state = 'running'")
    with Store.open(db) as store, open_to_look(db) as quick:
        tournament = store.tournaments.get("league")
        wanted = (tournament.id, SnapshotKind.BOARD, settings_digest(Plan.of(tournament)))
        found = store.snapshots.fitting(*wanted)
        assert found is not None
        assert quick.snapshots.fitting(*wanted) == found
        assert quick.snapshots.fitting(*wanted, through=found.through) == found
        assert quick.snapshots.fitting(*wanted, through=1) is None
        assert quick.matches.ranks_before(tournament.id, 20) == store.matches.ranks_before(tournament.id, 20)
    look(db, capsys, monkeypatch)
    change(db, "UPDATE seats SET rank = 1, score = 5 WHERE match_id = 3 AND seat < 2", "DELETE FROM snapshots")
    look(db, capsys, monkeypatch)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET sha256 = 'x'",
        "UPDATE snapshots SET journal_hash = 'x'",
        "UPDATE snapshots SET finished = finished - 1",
    ],
)
def test_a_snapshot_that_does_not_fit_is_not_used(
    statement: str, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "EVERY", 10)
    keep_one(db)
    change(db, "UPDATE tournaments SET state = 'running'", statement)
    look(db, capsys, monkeypatch)


def rule(verb: str, *words: str, db: str) -> None:
    assert main(["tournament", verb, "league", *words, "--reason", "a test", "--db", db]) == 0


@pytest.mark.parametrize("later", [3, 35])
def test_so_are_those_after_rulings(
    later: int, db: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "EVERY", 10)
    keep_one(db)
    change(db, "UPDATE tournaments SET state = 'running'", "UPDATE matches SET attempt = 1")
    if later < 30:
        rule("annul", f"league/{later}", db=db)
        rule("replay-match", "league/5", db=db)
    rule("withdraw", "random-2", db=db)
    look(db, capsys, monkeypatch)
    with Store.open(db) as store, open_to_look(db) as quick:
        number = store.tournaments.get("league").id
        assert quick.rulings.all(number) == store.rulings.all(number)
        assert quick.rulings.out(number) == store.rulings.out(number) != {}
        assert quick.rulings.rounds_before(number) == store.rulings.rounds_before(number)


FORMATS = {
    "ladder": ("random", "patient", "random", "mixed", "--format", "ladder", "--rounds", "12"),
    "swiss": ("random", "patient", "random", "mixed", "patient", "--format", "swiss", "--rounds", "3"),
    "knockout": ("random", "patient", "random", "mixed", "patient", "--format", "knockout"),
    "groups and finals": ("random", "patient", "random", "mixed", "patient", "patient", "--format", "groups+finals"),
    "until it is known": ("random", "patient", "random", "--until", "first known", "--budget", "40"),
}


@pytest.mark.parametrize("words", FORMATS.values(), ids=FORMATS)
def test_so_are_those_of_formats_that_draw_rounds(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    db = str(tmp_path / "league.db")
    seats = [] if "until" in " ".join(words) else ["--players", "2"]
    assert main(["run", "stop_me_go", *words, *seats, "--seed", "x", "--name", "league", "--db", db, "--json"]) == 0
    change(db, "DELETE FROM snapshots", "UPDATE tournaments SET state = 'running', finished = NULL, revealed = 0")
    with Store.open(db) as store, open_to_look(db) as quick:
        number = store.tournaments.get("league").id
        drawn = store.rounds.all(number)
        assert quick.rounds.all(number) == drawn != []
        assert quick.rounds.all(number, after=1) == drawn[1:]
    look(db, capsys, monkeypatch)
    if "--format" in words and "ladder" not in words:
        rule("annul", "league/0", db=db)  # the rounds after it were drawn from its result
        look(db, capsys, monkeypatch)
    change(db, *to_play(f"ordinal >= {drawn[-1].first}"))
    look(db, capsys, monkeypatch)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE seats SET rank = 'x' WHERE match_id = 2 AND seat = 0",
        "UPDATE matches SET created = 'x' WHERE ordinal = 1",
        "DELETE FROM seats WHERE match_id = 2 AND seat = 0",
    ],
)
def test_a_damaged_row_is_left_to_the_store_which_names_it(
    statement: str, db: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement)
    capsys.readouterr()
    assert not answered(["leaderboard", "--once", "--db", db])
    assert capsys.readouterr() == ("", "")
    assert main(["leaderboard", "--once", "--db", db]) == 3
    assert "the database is damaged" in capsys.readouterr().err
