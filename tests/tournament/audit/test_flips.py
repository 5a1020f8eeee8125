"""One flipped byte anywhere is found: in every file of an export, and in every column of every table of a database.

Hundreds of changes, with `make soak` thousands, each made alone, verified in this process, and taken back.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table

from referee.cli.commands.verify import verify_store
from referee.cli.errors import Failure
from referee.cli.main import main
from referee.rules.game import WrongUse
from referee.store import (
    BotKind,
    Deed,
    DrawnNonce,
    MatchResult,
    MatchState,
    NewEntrant,
    NonceDraw,
    Role,
    SeatResult,
    Store,
    StoredLog,
    TournamentState,
)
from referee.store.tables import metadata
from referee.tournament.audit import folder
from referee.tournament.audit.database import published
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import verify
from referee.tournament.nonces import commitment
from referee.tournament.plan import Plan
from referee.tournament.standings import fill
from referee.tournament.standings.snapshots import Snapshots

from ...store.facts import set_fact

pytestmark = pytest.mark.xdist_group("flips")  # one worker: what its tests share takes long to make


def form(short: int, long: int) -> list[Any]:
    """How much is tried: in short, and with `make soak`."""
    return [pytest.param(short, id="short"), pytest.param(long, id="long", marks=pytest.mark.soak)]


NOT_COVERED = {"outbox"}
"""The table that `server/EXPORT.md` lists as not covered, with the reason."""
COVERED = [table for table in metadata.sorted_tables if table.name not in NOT_COVERED]


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database that has a row in every table that has rows: a finished tournament with a match that was dealt anew
    and one that was set aside, one that was not started, practice, facts, and bots in every state."""
    path = tmp_path_factory.mktemp("flips") / "league.db"
    plan = ["--game", "stop_me_go", "--rounds", "4", "--bots", "random,patient,random", "--db", str(path)]
    assert main(["tournament", "create", "league", *plan, "--seed", "x", "--allow-join"]) == 0
    assert main(["tournament", "join", "league", "patient", "--db", str(path)]) != 0  # it plays already
    assert main(["tournament", "create", "later", *plan]) == 0
    with Store.open(path) as store:
        give_nonces(store)
        store.tournaments.set_state(1, TournamentState.RUNNING)
        assert store.matches.claim(1) == 1
        store.matches.put_back({1: True})
        assert store.matches.set_aside(2, MatchState.ABSENT, "patient not there")  # it is there: it is put back
        assert store.matches.set_aside(3, MatchState.VOID, "the game failed")
        ada = store.bots.add("ada", note="a note").bot
        store.bots.rotate("ada")
        store.bots.add("bob")
        store.bots.revoke("bob")
        store.versions.add(ada.id, "a" * 64, 2, 100)
        store.versions.activate(ada.id, 1, "built")
        store.versions.add(ada.id, "b" * 64, 2, 100)
        store.versions.refuse(ada.id, 2, "it crashed", "a log")
        set_fact(store, "admin", "secret")
        for hook in ("chat", "log", "gone"):
            store.webhooks.add(hook, f"https://{hook}.example/a/b", "whsec_x", "slack", ["started", "finished"])
        store.webhooks.put("log", "https://log.example/", "other", "standard", ["finished"])
        store.webhooks.remove("gone")
        for admin in ("eve", "mo"):
            store.admins.add(admin, Role.HELPER)
        store.admins.rotate("mo")
        store.admins.remove("eve")
        store.admins.note(Deed("mo", "helper", "paused the tournament", "league"))
        invited = store.invitations.create(3, "host", 3600, ["for cleo"])
        store.invitations.redeem(invited[0].code, "cleo")
        store.invitations.revoke([2])
        house = store.bots.ensure_house("random")
        assert house.kind is BotKind.HOUSE
        seats = [NewEntrant(ada.id, "ada"), NewEntrant(house.id, "random")]
        match = store.matches.add_practice("stop_me_go", "1", seats, {"limit": 1.0})
        ended = (SeatResult(0, 1, 5, version=1), SeatResult(1, 2, 3, "timeout", 1, 2, 3))
        logs = (StoredLog(0, b"thinking"), StoredLog(1, b"\xff\x00" * 99))
        record = b'{"practice":true}\n'
        assert store.matches.report(MatchResult(match.id, 1, ended, "00" * 32, record, "finished", logs=logs))
        open_ = store.matches.add_practice("stop_me_go", "1", seats, {})
        store.matches.set_aside(open_.id, MatchState.VOID, "broken off")
        store.matches.add_practice("stop_me_go", "1", seats, {})
    assert main(["tournament", "start", "league", "--db", str(path)]) == 0
    cup = [
        "tournament",
        "create",
        "cup",
        "--game",
        "stop_me_go",
        "--format",
        "swiss",
        "--rounds",
        "2",
        "--db",
        str(path),
    ]
    assert main([*cup, "--bots", "random,patient,random,random"]) == 0
    assert main(["tournament", "start", "cup", "--db", str(path)]) == 0
    assert main(["tournament", "annul", "cup", "1", "--reason", "a mistake", "--db", str(path)]) == 0
    banned = ["tournament", "disqualify", "cup", "random-2", "--reason", "two of them", "--annul", "--db", str(path)]
    assert main(banned) == 0
    keep_snapshots(path)
    return path


def keep_snapshots(path: Path) -> None:
    """As if the tournaments had been long."""
    with pytest.MonkeyPatch.context() as patch, Store.open(path) as store:
        patch.setattr("referee.tournament.standings.snapshots.EVERY", 2)
        for name in ("league", "cup"):
            tournament = store.tournaments.get(name)
            shared = {
                match: first for each in store.rounds.all(tournament.id) for match, first in each.shared_deals().items()
            }
            snapshots = Snapshots(store, tournament.id, Plan.of(tournament), shared)
            board = snapshots.begin()
            fill(board, store, tournament)
            snapshots.keep(board)
            assert store.snapshots.all(tournament.id)


def give_nonces(store: Store) -> None:
    given = {"random": "01" * 32, "patient": "02" * 32}
    promised = [DrawnNonce(name, commitment("league", 0, bytes.fromhex(nonce))) for name, nonce in given.items()]
    missing = DrawnNonce("random-2", commitment("league", 0, bytes(32)))
    store.nonces.commit(1, NonceDraw(0, 0, (*promised, missing)))
    store.nonces.tell(1, 0, given)


@pytest.fixture(scope="module")
def exported(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "out"
    with Store.open(db) as store:
        folder.write(published(store, "league"), out)
    return out


@pytest.fixture
def out(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "out"))


def holds(path: Path) -> bool:
    try:
        verify(folder.read(path), workers=0)
    except (DoesNotHold, WrongUse):
        return False
    return True


def flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    changed[rng.randrange(len(changed))] ^= rng.randrange(1, 256)
    return bytes(changed)


def files(path: Path) -> list[Path]:
    return sorted(each for each in path.rglob("*") if each.is_file())


@pytest.mark.parametrize("flips", form(500, 5000))
def test_a_flipped_byte_in_any_file_of_an_export_is_found(out: Path, flips: int) -> None:
    assert holds(out)
    rng = random.Random("flips")
    there = files(out)
    for number in range(flips):
        path = there[number % len(there)]
        whole = path.read_bytes()
        path.write_bytes(flipped(whole, rng))
        assert not holds(out), path.name
        path.write_bytes(whole)
    assert holds(out)


@pytest.mark.parametrize("flips", form(200, 2000))
def test_a_flipped_byte_is_found_also_by_who_does_not_trust_the_sums(out: Path, flips: int) -> None:
    """The forger writes the sums anew: hash chain, replay and derivation find it."""
    rng = random.Random("cunning")
    sums = out / folder.SUMS
    true_sums = sums.read_text()
    there = [path for path in files(out) if path != sums]
    for number in range(flips):
        path = there[number % len(there)]
        whole = path.read_bytes()
        changed = flipped(whole, rng)
        path.write_bytes(changed)
        old, new = (hashlib.sha256(data).hexdigest() for data in (whole, changed))
        sums.write_text(true_sums.replace(old, new))
        assert not holds(out), path.name
        path.write_bytes(whole)
    sums.write_text(true_sums)
    assert holds(out)


@pytest.mark.parametrize("change", ["remove", "add", "cut", "lengthen"])
def test_a_file_that_is_missing_added_cut_or_longer_is_found(out: Path, change: str) -> None:
    for path in files(out):
        whole = path.read_bytes()
        if change == "remove":
            path.unlink()
        elif change == "add":
            path.with_name("further.txt").write_text("x")
        else:
            path.write_bytes(whole[:-1] if change == "cut" else whole + b"\n")
        assert not holds(out), path.name
        path.with_name("further.txt").unlink(missing_ok=True)
        path.write_bytes(whole)
    assert holds(out)


def test_a_record_of_another_match_in_its_place_is_found(out: Path) -> None:
    one, other = sorted((out / folder.RECORDS).iterdir())[:2]
    one_bytes, other_bytes = one.read_bytes(), other.read_bytes()
    one.write_bytes(other_bytes)
    other.write_bytes(one_bytes)
    sums = (out / folder.SUMS).read_text()
    a, b = hashlib.sha256(one_bytes).hexdigest(), hashlib.sha256(other_bytes).hexdigest()
    (out / folder.SUMS).write_text(sums.replace(a, "-").replace(b, a).replace("-", b, 1))
    assert not holds(out)


# The database.


def stored_holds(store: Store) -> bool:
    try:
        verify_store(store)
    except (Failure, WrongUse) as error:
        return getattr(error, "code", 2) not in (1, 2)
    return True


def changes(value: Any, kind: str, rng: random.Random) -> Iterator[Any]:
    """Other values for a column: a flipped bit or letter, a neighbour, nothing, something."""
    if value is None:
        yield from ([b"x"] if kind == "BLOB" else ["x"] if "CHAR" in kind or kind == "JSON" else [1])
    elif isinstance(value, bytes):
        yield flipped(value, rng) if value else b"x"
        yield value + b"\0"
    elif isinstance(value, str):
        place = rng.randrange(len(value)) if value else 0
        yield value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :] if value else "x"
        yield value + " "
    else:
        yield value ^ (1 << rng.randrange(6)) if isinstance(value, int) else value + 1
        yield value + 100_000


@pytest.mark.parametrize("most", form(2, 20))
@pytest.mark.parametrize("table", COVERED, ids=str)
def test_a_change_of_any_column_of_any_table_is_found(db: Path, tmp_path: Path, table: Table, most: int) -> None:
    """Each column is changed in so many rows at most."""
    path = Path(shutil.copy(db, tmp_path / "changed.db"))
    rng = random.Random(f"columns of {table.name}")
    raw = sqlite3.connect(path, isolation_level=None)
    # A forger does not ask the database for leave.
    raw.execute("PRAGMA foreign_keys = OFF")
    raw.execute("PRAGMA ignore_check_constraints = ON")
    keys = [column.name for column in table.primary_key]
    names = [column.name for column in table.columns]
    rows = raw.execute(f"SELECT {', '.join(names)} FROM {table.name}").fetchall()
    tried = set()
    with Store.open(path) as store:
        assert stored_holds(store)
        for row in rng.sample(rows, min(len(rows), most)):
            old = dict(zip(names, row, strict=True))
            for column in table.columns:
                for new in changes(old[column.name], str(column.type), rng):
                    if excused(table.name, column.name, old):
                        continue
                    if not set_column(raw, table.name, column.name, old, keys, new):
                        continue
                    assert not stored_holds(store), (table.name, column.name, old, new)
                    back = old | {column.name: new}
                    assert set_column(raw, table.name, column.name, back, keys, old[column.name])
                    tried.add(column.name)
        assert stored_holds(store)
    raw.close()
    assert tried == set(names) - ({"id"} if table.name == "nonces" else set())


def excused(table: str, column: str, row: dict[str, Any]) -> bool:
    """What `server/EXPORT.md` lists as not covered: numbers of rows, and when a match being played was started."""
    return (table, column) == ("nonces", "id") or (
        (table, column) == ("matches", "started") and row["state"] == "playing" and row["ordinal"] is not None
    )


def set_column(
    raw: sqlite3.Connection, table: str, column: str, row: dict[str, Any], keys: list[str], new: Any
) -> bool:
    """Whether the database took it: some columns must be unique or not empty."""
    where = " AND ".join(f"{key} = ?" for key in keys)
    try:
        done = raw.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (new, *(row[key] for key in keys)))
    except sqlite3.IntegrityError:
        return False
    assert done.rowcount == 1, (table, column, row)
    return True


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO bot_versions (bot_id, label, digest, created) VALUES (1, 'x', 'x', 1)",
        "INSERT INTO seats (match_id, seat, bot_id, strikes, decisions, time_ms) VALUES (1, 9, 1, 0, 0, 0)",
        "INSERT INTO seats (match_id, seat, bot_id, strikes, decisions, time_ms) VALUES (99, 0, 1, 0, 0, 0)",
        "INSERT INTO records (match_id, body, sha256, size) VALUES (99, x'00', 'x', 1)",
        "INSERT INTO records (match_id, body, sha256, size) SELECT id, x'00', 'x', 1 FROM matches "
        "WHERE state = 'void' AND seed IS NULL",
        "DELETE FROM records WHERE match_id IN (SELECT id FROM matches WHERE state = 'void' AND seed IS NOT NULL)",
        "INSERT INTO bot_logs (match_id, seat, body, sha256, size) VALUES (99, 0, x'00', 'x', 1)",
        "INSERT INTO webhooks (name, url, secret, form, kinds, created) VALUES ('x', 'x', 'x', 'slack', '[]', 1)",
        "DELETE FROM webhooks WHERE name = 'log'",
        "DELETE FROM rounds WHERE number = 2",
        "DELETE FROM rulings WHERE number = 2",
        "INSERT INTO meta (key, value) VALUES ('x', 'y')",
        "INSERT INTO bots (name, kind, note, created) VALUES ('cy', 'house', '', 1)",
        "INSERT INTO journal (chain, number, entry, hash) VALUES (99, 0, '{}', 'x')",
        "INSERT INTO matches (game, game_version, players, state, attempt, reason, created) "
        "VALUES ('flip7', '1', 2, 'playing', 1, '', 1)",
        "DELETE FROM meta",
        "DELETE FROM nonces WHERE nonce = ''",
        "INSERT INTO nonces (tournament_id, draw, first_ordinal, entrant_id, commitment, nonce) "
        "VALUES (2, 0, 0, 4, 'x', '')",
        "DELETE FROM bots WHERE name = 'bob'",
        "DELETE FROM journal WHERE chain = 1 AND number = (SELECT max(number) FROM journal WHERE chain = 1)",
        "DELETE FROM journal WHERE chain = 0",
        "DELETE FROM journal WHERE chain = 1",
        "DELETE FROM tournaments WHERE name = 'later'",
        "DELETE FROM seats WHERE match_id = 4 AND seat = 1",
        "DELETE FROM records WHERE match_id = 4",
        "DELETE FROM matches WHERE ordinal IS NULL",
        "DELETE FROM matches WHERE tournament_id = 2 AND ordinal = 2",
        "DELETE FROM entrants WHERE tournament_id = 2 AND position = 2",
    ],
)
def test_a_row_that_was_added_or_taken_away_is_found(db: Path, tmp_path: Path, sql: str) -> None:
    path = Path(shutil.copy(db, tmp_path / "changed.db"))
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        assert raw.execute(sql).rowcount >= 1
    raw.close()
    with Store.open(path) as store:
        assert not stored_holds(store)
