"""What `referee verify` holds true is true: change anything in a tournament, and it is found and named."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main
from referee.rules.game import WrongUse
from referee.store import Store
from referee.tournament.audit import folder, folder_before
from referee.tournament.audit.audited import AuditedTournament
from referee.tournament.audit.database import check_columns, check_installation, from_database, published
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import Verified, verify
from referee.tournament.standings import from_store

pytestmark = pytest.mark.xdist_group("verify")  # one worker: what its tests share takes long to make

ROUNDS = 6
BEFORE = Path(__file__).parent / "exported_before"
"""A folder that a program of before the journal wrote."""


def referee(*words: object) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of house bots, one of which joined later."""
    db = tmp_path_factory.mktemp("played") / "league.db"
    plan = ("--game", "flip7", "--players", 3, "--rounds", ROUNDS, "--seed", "x", "--allow-join")
    assert referee("tournament", "create", "league", *plan, "--bots", "random,cautious,random", "--db", db)[0] == 0
    assert referee("tournament", "join", "league", "odds", "--db", db)[0] == 0
    assert referee("tournament", "start", "league", "--db", db)[0] == 0
    return db


@pytest.fixture
def db(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path / "league.db"))


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    with Store.open(db) as opened:
        yield opened


def checked(store: Store) -> Verified:
    found = verify(from_database(store, "league"))
    check_columns(store, "league")
    check_installation(store)
    return found


def export(store: Store, name: str, to: Path) -> int:
    return len(folder.write(published(store, name), to).matches)


def from_folder(path: Path) -> AuditedTournament:
    return folder.read(path) if folder.is_folder(path) else folder_before.read(path)


def execute(store: Store, sql: str, *values: object) -> None:
    with store.writer._engine.begin() as connection:
        assert connection.exec_driver_sql(sql, values).rowcount == 1


def rewrite(store: Store, match: int, change: Callable[[dict[str, Any]], object]) -> None:
    """Change a record and everything that guards its bytes."""
    record = store.matches.record(match)
    assert record is not None
    value = json.loads(record)
    change(value)
    data = json.dumps(value).encode()
    body = zlib.compress(data)
    execute(
        store,
        "UPDATE records SET body = ?, sha256 = ?, size = ?, packed_crc = ? WHERE match_id = ?",
        body,
        hashlib.sha256(data).hexdigest(),
        len(data),
        zlib.crc32(body),
        match,
    )


def test_a_tournament_as_it_was_played_holds(store: Store) -> None:
    found = checked(store)
    assert found.replayed == len(list(store.matches.in_schedule_order(1))) > ROUNDS
    assert (found.set_aside, found.open, found.seeds) == (0, 0, True)
    assert found.digest == from_store(store, "league").digest


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE tournaments SET root = zeroblob(32)", "the commitment is not the SHA-256 of the root"),
        ("UPDATE tournaments SET commitment = 'x' || substr(commitment, 2)", "the commitment is not"),
        ("UPDATE tournaments SET seed_text = 'y'", "the root does not follow from the seed's text and salt"),
        ("UPDATE tournaments SET salt = zeroblob(32)", "the root does not follow from the seed's text and salt"),
        ("UPDATE tournaments SET salt = NULL", "the root does not follow from the seed's text and salt"),
        ("UPDATE seats SET score = score + 1 WHERE match_id = 3 AND seat = 1", r"match league/2: the scores should be"),
        ("UPDATE seats SET rank = rank + 1 WHERE match_id = 3 AND seat = 0", r"match league/2: the ranks should be"),
        ("UPDATE seats SET fault = 'crash' WHERE match_id = 2 AND seat = 2", r"match league/1: the faults should be"),
        ("UPDATE matches SET attempt = 2 WHERE id = 4", r"match league/3: its seed does not follow from the root"),
        ("UPDATE matches SET seed = '00' WHERE id = 4", r"match league/3: the seed should be 00"),
        ("UPDATE matches SET reason = 'luck' WHERE id = 5", r"match league/4: the reason should be"),
        ("UPDATE matches SET round = 9 WHERE id = 5", r"match league/4: it is not the 5\. match of the schedule"),
        ("UPDATE matches SET state = 'scheduled' WHERE id = 5", "is said to be finished, and 1 matches are open"),
        ("DELETE FROM records WHERE match_id = 5", r"match league/4: its record is missing"),
        ("UPDATE records SET body = zeroblob(9) WHERE match_id = 5", r"match league/4: the record .* is damaged"),
        ("UPDATE entrants SET name = 'ada' WHERE position = 1", r"match league/0: the players should be"),
        (
            "UPDATE matches SET state = 'absent' WHERE id = 3",
            r"match league/2: it was played, and is said to be absent",
        ),
        ("UPDATE matches SET state = 'void' WHERE id = 3", r"match league/2: it was played, and is said"),
    ],
)
def test_whatever_is_changed_beside_the_records_is_found(store: Store, sql: str, message: str) -> None:
    execute(store, sql)
    with pytest.raises(DoesNotHold, match=message):
        checked(store)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE tournaments SET settings = '{}'",
        "UPDATE tournaments SET settings = 'not JSON'",
        "UPDATE seats SET fault = 'no sense' WHERE match_id = 2 AND seat = 0",
        "UPDATE seats SET score = 'many' WHERE match_id = 2 AND seat = 0",
    ],
)
def test_what_can_no_longer_be_read_does_not_hold(played: Path, tmp_path: Path, sql: str) -> None:
    db = shutil.copy(played, tmp_path / "changed.db")
    with Store.open(db) as store:
        execute(store, sql)
    code, _, said = referee("verify", "--db", db)
    assert code == 1
    assert "does not hold: " in said


def test_two_matches_that_changed_places_are_found(store: Store) -> None:
    for sql in ("= 100 WHERE id = 2", "= 1 WHERE id = 3", "= 2 WHERE id = 2"):
        execute(store, f"UPDATE matches SET ordinal {sql}")
    with pytest.raises(DoesNotHold, match=r"match league/1: it is not the 2\. match of the schedule"):
        checked(store)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda value: value["record"].update(seed="00" * 32), "match league/2: "),
        (lambda value: value["record"]["moves"].pop(), "it is not over after its last move"),
        (lambda value: value["record"]["moves"].append("0: hit"), "is not legal"),
        (lambda value: value["record"]["moves"].__setitem__(0, "0: jump"), "decision 0 is not legal"),
        (lambda value: value["record"]["result"].update(scores=[9, 9, 9]), "its moves lead to"),
        (lambda value: value.update(ranks=[1, 1, 1]), "the ranks should be"),
        (lambda value: value.update(texts=["", "", "sorry"]), "the texts should be"),
        (lambda value: value.update(match="league/0"), "the match should be league/2, not league/0"),
        (lambda value: value["names"].reverse(), "the players should be"),
        (lambda value: value["events"].append(["forfeit", 0, 0, "crash", "gone"]), "match league/2: "),
        (lambda value: value.pop("events"), "this is not a record of a match"),
        (lambda value: value["record"]["options"].update(target_score=1), "match league/2: "),
    ],
)
def test_whatever_is_changed_in_a_record_is_found(store: Store, change: Any, message: str) -> None:
    rewrite(store, 3, change)
    with pytest.raises(DoesNotHold, match=message):
        checked(store)


def test_an_exported_tournament_can_be_checked_by_anybody(store: Store, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert export(store, "league", out) == checked(store).replayed
    assert verify(from_folder(out)) == checked(store)


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BEFORE, tmp_path / "before"))


def test_a_folder_from_before_the_journal_still_holds(before: Path) -> None:
    found = verify(from_folder(before))
    assert (found.replayed, found.seeds, found.entries) == (2, True, 0)
    lines = (before / "matches.jsonl").read_text().splitlines()
    (before / "matches.jsonl").write_text(lines[0] + "\n")
    with pytest.raises(DoesNotHold, match="the schedule has 2 matches, 1 are there"):
        verify(from_folder(before))


def test_an_export_that_spells_faults_in_capitals_still_holds(before: Path) -> None:
    schedule = before / "matches.jsonl"
    lines = [json.loads(line) for line in schedule.read_text().splitlines()]
    assert {word for line in lines for word in line["faults"]} >= {"finished"}
    shouted = [line | {"faults": [word.upper() for word in line["faults"]]} for line in lines]
    schedule.write_text("".join(json.dumps(line) + "\n" for line in shouted))
    assert verify(from_folder(before)).replayed == len(lines)


def test_a_folder_of_before_tells_what_the_root_follows_from_and_that_is_checked(before: Path) -> None:
    path = before / "tournament.json"
    value = json.loads(path.read_text())
    assert (value["seed_text"], value["repeatable"], len(bytes.fromhex(value["salt"]))) == ("x", False, 32)
    for change, message in (
        ({"seed_text": "y"}, "does not follow from the seed's text"),
        ({"salt": "00"}, "does not follow from the seed's text"),
        ({"salt": ""}, "does not follow from the seed's text"),
        ({"repeatable": True}, "being repeatable contradict"),
    ):
        path.write_text(json.dumps(value | change))
        with pytest.raises(DoesNotHold, match=message):
            verify(from_folder(before))
    for key, wrong in (("seed_text", 7), ("salt", "no hex"), ("salt", 7), ("joined_later", "one"), ("name", 7)):
        path.write_text(json.dumps(value | {key: wrong}))
        with pytest.raises(WrongUse, match="is not what 'referee tournament export' writes"):
            from_folder(before)


def test_an_export_from_before_the_salt_was_told_still_holds(before: Path) -> None:
    path = before / "tournament.json"
    value = json.loads(path.read_text())
    for key in ("seed_text", "salt", "repeatable"):
        del value[key]
    path.write_text(json.dumps(value))
    assert verify(from_folder(before)).replayed == 2


def test_a_repeatable_tournament_holds_and_is_called_that(tmp_path: Path) -> None:
    db = tmp_path / "again.db"
    plan = ("--game", "stop_me_go", "--rounds", 2, "--bots", "random,patient", "--seed", "x", "--repeatable")
    assert referee("tournament", "create", "again", *plan, "--db", db)[0] == 0
    assert referee("tournament", "start", "again", "--db", db)[0] == 0
    assert referee("tournament", "export", "again", "--to", tmp_path / "out", "--db", db)[0] == 0
    for words in (("again", "--db", db), (tmp_path / "out",)):
        code, out, _ = referee("verify", *words)
        assert (code, "dealt from a text that could be guessed (repeatable)" in out) == (0, True)


def test_the_root_of_a_running_tournament_is_not_exported_and_the_rest_is_checked(tmp_path: Path) -> None:
    db = tmp_path / "open.db"
    plan = ("--game", "stop_me_go", "--rounds", 2, "--bots", "random,patient", "--seed", "x")
    assert referee("tournament", "create", "open", *plan, "--db", db)[0] == 0
    assert referee("export", "open", tmp_path / "out", "--db", db)[0] == 0
    told = "".join(path.read_text() for path in (tmp_path / "out").iterdir() if path.is_file())
    with Store.open(db) as store:
        secret = store.tournaments.secret(1)
    assert secret.salt is not None
    assert secret.root.hex() not in told
    assert secret.salt.hex() not in told
    assert json.loads((tmp_path / "out" / "tournament.json").read_text())["seed_text"] is None
    found = verify(from_folder(tmp_path / "out"))
    assert (found.seeds, found.open) == (False, 2)
    code, _, err = referee("import", tmp_path / "out", "--db", tmp_path / "copy.db")
    assert (code, "its root is still secret" in err) == (2, True), err


def test_the_command_says_what_does_not_hold_and_exits_with_1(db: Path, tmp_path: Path) -> None:
    code, out, _ = referee("verify", "league", "--db", db)
    assert (code, out.startswith("league holds: commitment, seeds, moves and results of ")) == (0, True)
    assert referee("verify", "--db", db, "--digest", "00")[0] == 1
    assert referee("tournament", "export", "league", "--db", db, "--to", tmp_path / "out")[0] == 0
    code, _, err = referee("tournament", "export", "league", "--db", db, "--to", tmp_path / "out")
    assert (code, "name a new folder" in err) == (2, True)
    records = [tmp_path / "out" / "records" / f"{number}.json" for number in (0, 1)]
    assert referee("verify", *records)[0] == 0
    assert referee("verify", tmp_path / "out")[0] == 0
    records[1].write_bytes(records[1].read_bytes().replace(b'"reason":"', b'"reason":"un'))
    code, _, err = referee("verify", *records)
    assert code == 1
    assert str(records[1]) in err
    code, _, err = referee("verify", tmp_path / "out")
    assert (code, "match 1: records/1.json does not fit SHA256SUMS" in err) == (1, True), err


def test_options_in_the_settings_that_name_a_file_do_not_hold(before: Path) -> None:
    written = before / "tournament.json"
    value = json.loads(written.read_text())
    value |= {"game": "encore", "game_version": "1"}
    value["settings"] |= {"game": "encore", "options": {"sheet": "/dev/zero"}}
    written.write_text(json.dumps(value))
    code, _, err = referee("verify", before)
    assert (code, "option 'sheet': must be 'standard' or the sheet itself" in err) == (1, True), err


@pytest.mark.parametrize("name", ["tournament.json", "matches.jsonl", "records/0.json", "journal.txt", "SHA256SUMS"])
def test_a_folder_of_somebody_else_cannot_make_it_wait_or_read_without_end(
    name: str, store: Store, tmp_path: Path
) -> None:
    export(store, "league", tmp_path / "out")
    path = tmp_path / "out" / name
    path.unlink()
    os.mkfifo(path)
    code, _, err = referee("verify", tmp_path / "out")
    assert (code, "it is no regular file" in err) == (2, True), err
    path.unlink()
    path.symlink_to("/dev/zero")
    code, _, err = referee("verify", tmp_path / "out")
    assert (code, "it is no regular file" in err) == (2, True), err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("nothing.json",), 2, "there is no file nothing.json"),
        (("nobody", "--db", "DB"), 2, "there is no tournament named nobody"),
        (("a", "b", "--db", "DB"), 2, "name one tournament"),
        (("league", "--db", "other.db"), 3, "there is no database"),
        (("FOLDER",), 2, "holds no exported tournament"),
        (("DB",), 2, "is a database: 'referee verify --db"),
    ],
)
def test_what_cannot_be_verified_is_said(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    found, _, err = referee("verify", *({"DB": db, "FOLDER": "empty"}.get(word, word) for word in words))
    assert (found, message in err) == (code, True), err
