"""What has to hold when a season is over: everything verifies, by the command itself, with the right exit codes."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.main import main
from referee.store import Store

from .checks import Broken, Memory, check_day

if TYPE_CHECKING:
    from .season import Season

ALLOWED = ("--allow-new-deals", "--allow-set-aside")


def referee(*words: object, code: int = 0) -> str:
    """A command in this process, which must end with the code that is expected; returns what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        found = main([str(word) for word in words])
    if found != code:
        raise Broken(f"'referee {' '.join(map(str, words))}' ended with {found}, not {code}: {err.getvalue()}")
    return out.getvalue()


def check_whole(season: Season) -> None:
    """The database, its exports, what is imported from them; and that damage is found in each."""
    found = json.loads(referee("verify", "--db", season.path, *ALLOWED, "--json"))
    verified = {one["tournament"]: one for one in found}
    for name, one in verified.items():
        strict = 1 if one["dealt_anew"] or one["matches_set_aside"] else 0
        referee("verify", name, "--db", season.path, code=strict)
        folder = season.folder / f"exported-{name}"
        referee("export", name, folder, "--db", season.path)
        _same(name, one, json.loads(referee("verify", folder, *ALLOWED, "--json"))[0])
        again = season.folder / f"imported-{name}.db"
        if one["pruned"]:  # only a whole tournament can be imported, and it says so
            referee("import", folder, "--db", again, code=2)
            continue
        referee("import", folder, "--db", again)
        _same(name, one, json.loads(referee("verify", "--db", again, *ALLOWED, "--json"))[0])
        with Store.open(again) as store:
            check_day(store, Memory())
        _damage_folder(folder)
        referee("verify", folder, *ALLOWED, code=1)
    damaged = season.folder / "damaged.db"
    referee("backup", damaged, "--db", season.path)
    with closing(sqlite3.connect(damaged)) as connection, connection:
        connection.execute(
            "UPDATE seats SET score = score + 1 WHERE seat = 0 AND match_id = (SELECT max(match_id) FROM records)"
        )
    referee("verify", "--db", damaged, *ALLOWED, code=1)
    events = json.loads(referee("events", "--db", season.path, "--json"))
    if not events:
        raise Broken("no events are told")
    messages = json.loads(referee("webhook", "log", "room", "--db", season.path, "--json"))
    if "tournament.finished" not in {message["kind"] for message in messages}:
        raise Broken("the chat room is not told that the league is over")


def _same(name: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    for what in ("digest", "head", "replayed", "set_aside", "pruned", "rulings", "reopened"):
        if one[what] != other[what]:
            raise Broken(f"{name}: {what} is {one[what]!r} in the database and {other[what]!r} elsewhere")


def _damage_folder(folder: Path) -> None:
    """One digit of the last entry that has one."""
    journal = max(folder.glob("journal*"), key=lambda path: path.stat().st_size)
    copy = folder.with_name(f"{folder.name}-whole")
    shutil.copytree(folder, copy)
    text = journal.read_text()
    place = text.rfind('"at":') + 5
    journal.write_text(f"{text[:place]}{'1' if text[place] != '1' else '2'}{text[place + 1 :]}")
