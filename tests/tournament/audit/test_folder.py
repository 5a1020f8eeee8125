"""An exported folder: readable, the same every time, and as good as the database it came from."""

from __future__ import annotations

import csv
import errno
import hashlib
import json
import os
import shutil
import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from referee.chain_head import BEGINNING
from referee.cli.main import main
from referee.store import MatchState, Store, TournamentState
from referee.store.journal_entry import JournalEntry, link
from referee.tournament.audit import folder
from referee.tournament.audit.replay import DoesNotHold, replay
from referee.tournament.audit.verify import verify
from referee.tournament.standings import from_store

pytestmark = pytest.mark.xdist_group("folder")  # one worker: what its tests share takes long to make


def referee(*words: object) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(word) for word in words])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament in which one match was dealt anew and one set aside."""
    path = tmp_path_factory.mktemp("folder") / "league.db"
    plan = ("--game", "stop_me_go", "--rounds", 4, "--bots", "random,patient,random", "--allow-join", "--db", path)
    assert referee("tournament", "create", "league", *plan)[0] == 0
    with Store.open(path) as store:
        store.bots.ensure_house("patient-2")
        store.tournaments.set_state(1, TournamentState.RUNNING)
        assert store.matches.claim(1) == 1
        store.matches.put_back({1: True})
        assert store.matches.set_aside(2, MatchState.VOID, "the game failed")
    assert referee("tournament", "start", "league", "--db", path)[0] == 0
    return path


@pytest.fixture(scope="module")
def exported(db: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("exported") / "out"
    assert referee("export", "league", out, "--db", db)[0] == 0
    return out


@pytest.fixture
def out(exported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(exported, tmp_path / "out"))


def test_an_import_into_an_empty_database_gives_the_same_digest_and_the_same_folder(
    db: Path, out: Path, tmp_path: Path
) -> None:
    code, said, err = referee("import", out, "--db", tmp_path / "copy.db", "--json")
    assert code == 0, err
    with Store.open(db) as store:
        assert json.loads(said)["digest"] == from_store(store, "league").digest
    with Store.open(tmp_path / "copy.db") as copy:
        assert from_store(copy, "league").digest == json.loads(said)["digest"]
    allowed = ("--allow-new-deals", "--allow-set-aside")
    assert referee("verify", "league", "--db", tmp_path / "copy.db", *allowed)[0] == 0
    assert referee("export", "league", tmp_path / "again", "--db", tmp_path / "copy.db")[0] == 0
    for path in sorted(out.rglob("*")):
        if path.is_file():
            assert (tmp_path / "again" / path.relative_to(out)).read_bytes() == path.read_bytes()


def test_an_export_that_found_no_room_leaves_nothing_and_may_be_made_again(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it had written stayed, and the same command was then refused for it."""
    new, there = tmp_path / "new", tmp_path / "there"
    there.mkdir()

    def write(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for out in (new, there):
        with monkeypatch.context() as full:
            full.setattr(Path, "write_bytes", write)
            code, _, said = referee("export", "league", out, "--db", db)
        assert (code, said) == (
            3, f"error: cannot write {out}: No space left on device; free some disk space and export again\n"
        )  # fmt: skip
    assert not new.exists()
    assert there.exists()
    assert not list(there.iterdir())
    assert referee("export", "league", new, "--db", db)[0] == 0


def test_nothing_is_imported_from_a_folder_that_does_not_hold_or_into_a_database_with_something(
    db: Path, out: Path, tmp_path: Path
) -> None:
    code, _, err = referee("import", out, "--db", db)
    assert (code, "import into a new file" in err) == (2, True), err
    (out / "schedule.jsonl").write_text("")
    code, _, err = referee("import", out, "--db", tmp_path / "copy.db")
    assert (code, "nothing was imported" in err) == (1, True), err
    with Store.open(tmp_path / "copy.db") as store:
        assert store.tournaments.all() == []
    code, _, err = referee("import", tmp_path, "--db", tmp_path / "copy.db")
    assert (code, "has no journal.txt" in err) == (2, True), err
    code, _, err = referee("import", tmp_path / "nothing", "--db", tmp_path / "copy.db")
    assert (code, "there is no folder" in err) == (2, True), err


def test_matches_dealt_anew_and_set_aside_are_named_and_fail_unless_allowed(db: Path, out: Path) -> None:
    for words in (("league", "--db", db), (out,)):
        code, said, err = referee("verify", *words)
        assert code == 1
        assert said.startswith("league holds")
        assert "1 match was dealt anew: league/0 (attempt 2)" in err
        assert "league/1 (void: the game failed)" in err
        assert referee("verify", *words, "--allow-set-aside")[0] == 1
        assert referee("verify", *words, "--allow-new-deals")[0] == 1
        code, said, err = referee("verify", *words, "--allow-new-deals", "--allow-set-aside", "--json")
        assert code == 0
        [value] = json.loads(said)
        assert value["dealt_anew"] == [{"match": "league/0", "attempt": 2}]
        assert value["matches_set_aside"] == [{"match": "league/1", "state": "void", "reason": "the game failed"}]
        assert err.count("warning: ") == 2


def test_the_hashes_can_be_checked_with_common_tools(out: Path) -> None:
    assert subprocess.run(["sha256sum", "--quiet", "-c", "SHA256SUMS"], cwd=out, check=False).returncode == 0
    head = BEGINNING
    for line in (out / "journal.txt").read_text().splitlines():
        told, _, entry = line.partition(" ")
        head = link(head, entry)
        assert head == told
    assert json.loads((out / "tournament.json").read_text())["head"] == head


def test_a_head_that_was_noted_earlier_must_be_in_the_chain(db: Path, out: Path) -> None:
    noted = (out / "journal.txt").read_text().splitlines()[3][:64]
    allowed = ("--allow-new-deals", "--allow-set-aside")
    for words in ((out,), ("league", "--db", db)):
        assert referee("verify", *words, "--head", noted.upper(), *allowed)[0] == 0
        code, _, err = referee("verify", *words, "--head", "00" * 32, *allowed)
        assert (code, "its journal was written anew" in err) == (1, True), err


def test_a_tournament_forged_as_a_whole_is_found_by_a_head_of_before(out: Path, db: Path, tmp_path: Path) -> None:
    """The entries are written anew with a match less, and all that follows from them: only a noted head tells."""
    lines = (out / "journal.txt").read_text().splitlines()
    aside = next(number for number, line in enumerate(lines) if '"kind":"aside"' in line)
    noted, before, forged = lines[-1][:64], BEGINNING, []
    for number, line in enumerate(lines):
        value = json.loads(line[65:])
        if number == aside:
            value["reason"] = "nobody came"
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = link(before, text)
        forged.append(JournalEntry(number, text, before))
    records = {int(path.stem): path.read_bytes() for path in (out / "records").iterdir()}
    schedule = (out / "schedule.jsonl").read_text().splitlines(keepends=True)
    made = folder.Published(forged, schedule, lambda numbers: ((number, records[number]) for number in numbers))
    folder.write(made, tmp_path / "forged")
    allowed = ("--allow-new-deals", "--allow-set-aside")
    assert referee("verify", tmp_path / "forged", *allowed)[0] == 0
    assert referee("verify", tmp_path / "forged", *allowed, "--head", noted)[0] == 1


def test_the_tables_have_a_row_for_every_seat_and_match(db: Path, tmp_path: Path) -> None:
    table, lines = tmp_path / "rows.csv", tmp_path / "rows.jsonl"
    assert referee("export", "league", "--csv", table, "--jsonl", lines, "--db", db)[0] == 0
    rows = list(csv.DictReader(table.open(encoding="utf-8")))
    values = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(rows) == len(values) == 4 * 2
    assert {row["bot"] for row in rows} == {"random", "patient", "random-2"}
    void = [row for row in rows if row["state"] == "void"]
    assert [(row["match"], row["rank"], row["score"]) for row in void] == [("1", "", "")] * 2
    played = [value for value in values if value["state"] == "finished"]
    assert all(value["rank"] in (1, 2) and value["termination"] == "finished" for value in played)
    for row, value in zip(rows, values, strict=True):
        assert {key: "" if it is None else str(it) for key, it in value.items()} == row
    code, said, err = referee("export", "league", "--csv", "-", "--db", db)
    assert (code, said) == (0, table.read_text(encoding="utf-8")), err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "say what to write"),
        (("--csv", "-", "--jsonl", "-"), 2, "stdout can hold one of"),
        (("--csv", "-", "--json"), 2, "stdout can hold one of"),
        (("--csv", "nowhere/x.csv"), 3, "cannot write nowhere/x.csv"),
        (("full",), 2, "name a new folder"),
        (("file/out",), 3, "cannot write"),
    ],
)
def test_what_cannot_be_exported_is_said(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    (tmp_path / "file").write_text("x")
    found, _, err = referee("export", "league", *words, "--db", db)
    assert (found, message in err) == (code, True), err
    assert referee("export", "nobody", "out", "--db", db)[0] == 2


# Folders and records of strangers.


def resummed(out: Path) -> None:
    """Write the sums anew, as somebody would who means harm."""
    names = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.is_file()]
    lines = [
        f"{hashlib.sha256((out / name).read_bytes()).hexdigest()}  {name}\n" for name in names if name != "SHA256SUMS"
    ]
    (out / "SHA256SUMS").write_text("".join(lines))


@pytest.mark.parametrize(
    "name", ["tournament.json", "schedule.jsonl", "matches.jsonl", "standings.json", "journal.txt"]
)
@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"7\n", b"null\n", b"[]\n", b"{}\n", b"\xff\xfe\n", b"[" * 100_000, b'{"a":' * 50_000, b"9" * 5000],
    ids=["nothing", "line", "seven", "null", "list", "object", "bytes", "brackets", "braces", "digits"],
)
def test_a_folder_with_anything_in_a_file_does_not_hold_and_ends_with_a_sentence(
    out: Path, name: str, content: bytes
) -> None:
    (out / name).write_bytes(content)
    resummed(out)
    with pytest.raises(DoesNotHold):
        verify(folder.read(out), workers=0)


def change(value: Any, *path: Any, to: Any) -> Any:
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to
    return value


@pytest.mark.parametrize(
    ("kind", "path", "to"),
    [
        ("created", ("settings", "rounds"), 10**9),
        ("created", ("settings", "rounds"), "many"),
        ("created", ("settings", "schedule"), []),
        ("created", ("settings", "players"), -1),
        ("created", ("settings", "draw_probability"), "often"),
        ("created", ("settings", "draw_probability"), 7),
        ("created", ("settings", "options"), None),
        ("created", ("settings", "options"), {"a": {"b": []}}),
        ("created", ("settings",), {}),
        ("created", ("players",), 10**9),
        ("created", ("name",), "other"),
        ("created", ("commitment",), "00"),
        ("entered", ("entrants",), []),
        ("scheduled", ("matches",), 10**15),
        ("scheduled", ("first",), 7),
        ("result", ("ranks",), []),
        ("result", ("scores",), [1] * 99),
        ("result", ("terminations",), ["x", "y"]),
        ("result", ("match",), 10**15),
        ("result", ("decisions",), []),
        ("result", ("strikes",), [5, 5]),
        ("result", ("time_ms",), [10**9, 0]),
        ("result", ("seed",), None),
        ("result", ("size",), 1),
        ("again", ("attempt",), 9),
    ],
)
def test_a_journal_that_was_written_anew_with_something_wrong_is_found(
    out: Path, tmp_path: Path, kind: str, path: tuple[Any, ...], to: Any
) -> None:
    """Hashes, sums and everything that follows are right; what is said is not."""
    before, lines, done = BEGINNING, [], False
    for line in (out / "journal.txt").read_text().splitlines():
        value = json.loads(line[65:])
        if value["kind"] == kind and not done:
            value, done = change(value, *path, to=to), True
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = link(before, text)
        lines.append(f"{before} {text}\n")
    assert done
    (out / "journal.txt").write_text("".join(lines))
    resummed(out)
    with pytest.raises(DoesNotHold):
        verify(folder.read(out), workers=0)


ANYTHING: list[Any] = [None, 7, [[]], {}]
OTHERS: list[Any] = [7, [7], {"a": 1}]
EVENTS: list[Any] = [[7], [[]], [["forfeit"]], [["forfeit", "x", 0, "crash", "gone"]], [[[], 1]]]
SEATS: list[Any] = [-1, 99, "0", None, True]
KINDS: list[Any] = [7, None, []]
MOVES: list[Any] = [["0"], ["0: "], ["²: go"], ["0: go | 0: go"], ["9" * 9 + ": go"], [" | "]]
RECORD_CHANGES: list[tuple[tuple[Any, ...], Any]] = [
    *[((key,), to) for key in ("match", "names", "events", "times_ms", "texts", "ranks") for to in ANYTHING],
    *[(("record", key), to) for key in ("moves", "options", "seed", "players", "result") for to in OTHERS],
    *[(("record", "players"), to) for to in (-1, 0, 10**9, True, 2.0)],
    *[(("events",), to) for to in EVENTS],
    *[(("events",), [["forfeit", 0, seat, "crash", "gone"]]) for seat in SEATS],
    *[(("events",), [["rejected", 0, 0, to, "x", "x"]]) for to in KINDS],
    *[(("record", "moves"), to) for to in MOVES],
    (("terminations",), ["lost", "lost"]),
    (("record", "seed"), "xyz"),
    (("record", "options"), {"tokens": "many"}),
    (("record", "game"), ["flip7"]),
    (("record", "version"), "1"),
    (("reason",), 7),
]


@pytest.mark.parametrize(("path", "to"), RECORD_CHANGES, ids=str)
def test_a_record_with_wrong_types_does_not_hold_and_is_no_error(
    exported: Path, path: tuple[Any, ...], to: Any
) -> None:
    value = json.loads((exported / "records" / "0.json").read_text())
    with pytest.raises(DoesNotHold):
        replay(json.dumps(change(value, *path, to=to)).encode())


def test_a_record_that_does_not_hold_ends_with_exit_1_and_a_sentence(out: Path) -> None:
    record = out / "records" / "0.json"
    record.write_text(json.dumps(change(json.loads(record.read_text()), "names", to={})))
    code, _, err = referee("verify", record)
    assert (code, "does not hold" in err, err.count("\n")) == (1, True, 1), err


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"record":' * 50_000, b"\xff", b"", b"[]", b"7", b'"x"', b"{}"])
def test_a_file_that_is_no_record_ends_with_exit_1_and_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.json").write_bytes(content)
    code, _, err = referee("verify", tmp_path / "x.json")
    assert (code, "not a record of a match" in err, err.count("\n")) == (1, True, 1), err


def test_a_pipe_or_a_device_is_no_record_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        code, _, err = referee("verify", tmp_path / name)
        assert (code, "is not a file" in err) == (1, True), err


def test_a_file_larger_than_any_record_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as huge:
        huge.truncate(1 << 40)
    code, _, err = referee("verify", tmp_path / "huge.json")
    assert (code, "larger than" in err) == (1, True), err


def test_a_verification_in_other_processes_finds_the_same(out: Path) -> None:
    alone = verify(folder.read(out), workers=0)
    assert verify(folder.read(out), workers=1) == alone
    record = out / "records" / "0.json"
    record.write_text(record.read_text().replace('"reason":"', '"reason":"un'))
    resummed(out)
    with pytest.raises(DoesNotHold, match="is not the record of which the journal tells"):
        verify(folder.read(out), workers=1)
