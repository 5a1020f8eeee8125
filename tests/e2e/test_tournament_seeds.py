"""What nobody may know before the end: the deals of a competition cannot be guessed from what is public."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from referee.store import Store, TournamentState, owner
from referee.store.address import parse_address
from referee.store.engines import writer_engine
from referee.store.migrate import upgrade
from referee.tournament.seeds import commitment, root_of

from ..waiting import eventually
from .tournament_hall import Hall

pytestmark = pytest.mark.xdist_group("seeds")  # one worker: what its tests share takes long to make

TEXT = "xyzzy plugh"
LONG = ("--game", "stop_me_go", "--players", 2, "--rounds", 2000)
SHORT = ("--game", "stop_me_go", "--players", 2, "--rounds", 30)


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    opened = Hall(tmp_path_factory.mktemp("hall"))
    opened.start()
    opened.crowd("ada=slow", "bob=random")
    yield opened
    opened.close()


def show(hall: Hall, name: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(hall.steer("show", name, "--json"))
    return value


def likely() -> Iterable[str]:
    """Texts that people type."""
    letters = ("".join(word) for length in (1, 2, 3) for word in product(ascii_lowercase, repeat=length))
    return chain(map(str, range(20_000)), letters)


def guess(public: str) -> str | None:
    """The attack: a likely text whose root, by the text alone, has this commitment."""
    for text in likely():
        if hashlib.sha256(hashlib.sha256(f"referee root {text}".encode()).digest()).hexdigest() == public:
            return text
    return None


def test_a_short_seed_is_not_found_from_the_commitment(hall: Hall) -> None:
    hall.steer("create", "guessed", *SHORT, "--seed", "1", "--bots", "ada,bob")
    assert guess(show(hall, "guessed")["commitment"]) is None
    hall.steer("create", "test", *SHORT, "--seed", "1", "--repeatable", "--bots", "random,patient")
    assert guess(show(hall, "test")["commitment"]) == "1", "the attack itself works where it is allowed to"


def test_the_same_seed_is_another_root_in_every_tournament(hall: Hall) -> None:
    for name in ("one", "two"):
        hall.steer("create", name, *SHORT, "--seed", "same", "--bots", "ada,bob")
    assert show(hall, "one")["commitment"] != show(hall, "two")["commitment"]


def test_root_text_and_salt_are_nowhere_while_it_runs_and_everywhere_afterwards(hall: Hall, tmp_path: Path) -> None:
    hall.steer("create", "sealed", *LONG, "--seed", TEXT, "--bots", "ada,bob", "--start")
    eventually(lambda: hall.count() > 10)
    with Store.open(hall.db) as store:
        secret = store.tournaments.secret(store.tournaments.get("sealed").id)
    assert secret.salt is not None
    secrets = (TEXT, secret.root.hex(), secret.salt.hex())
    at_file = ("--db", hall.db)
    hall.referee("tournament", "export", "sealed", "--to", tmp_path / "early", *at_file)
    assert hall.server is not None
    process = Path(f"/proc/{hall.server.pid}")
    public = [
        *(hall.steer(verb, "sealed", "--json") for verb in ("show", "status")),
        *(hall.referee("tournament", verb, "sealed", "--json", *at_file) for verb in ("show", "status", "rerate")),
        hall.steer("list", "--json"),
        hall.steer("show", "sealed"),
        json.dumps(hall.standings("sealed")),
        hall.referee("leaderboard", "sealed", "--json", *at_file),
        hall.referee("verify", "sealed", "--json", "--allow-set-aside", *at_file),
        *(path.read_text() for path in (tmp_path / "early").rglob("*.json*")),
        (hall.folder / "server.log").read_text(),
        (process / "cmdline").read_text(),
        (process / "environ").read_text(),
    ]
    for text in public:
        assert not any(each in text for each in secrets)
    assert (show(hall, "sealed")["state"], show(hall, "sealed")["repeatable"]) == ("running", False)

    hall.steer("cancel", "sealed")
    hall.referee("tournament", "export", "sealed", "--to", tmp_path / "late", *at_file)
    for text in (
        hall.steer("show", "sealed"),
        hall.steer("status", "sealed", "--json"),
        hall.referee("tournament", "show", "sealed", "--json", *at_file),
        (tmp_path / "late" / "tournament.json").read_text(),
    ):
        assert all(each in text for each in secrets)
    told = show(hall, "sealed")
    assert told["root"] == root_of(told["seed_text"], bytes.fromhex(told["salt"])).hex()
    assert told["commitment"] == commitment(bytes.fromhex(told["root"]))
    assert "sealed holds: commitment, seeds" in hall.referee("verify", tmp_path / "late", "--allow-set-aside")


def test_a_repeatable_tournament_is_refused_to_remote_bots_here_and_on_the_server(hall: Hall) -> None:
    words = ("create", "again", *SHORT, "--repeatable", "--seed", "x", "--bots", "random,ada")
    for said in (hall.steer(*words, code=2), hall.referee("tournament", *words, "--db", hall.db, code=2)):
        assert "ada is a remote bot and cannot play in again, whose deals are repeatable" in said
        assert "Create the tournament without --repeatable" in said
        assert len(said.splitlines()) == 1
    assert '"again"' not in hall.steer("list", "--json")


def test_a_remote_bot_cannot_join_a_repeatable_tournament_and_a_house_bot_can(hall: Hall) -> None:
    words = ("create", "open", *SHORT, "--repeatable", "--seed", "x", "--allow-join", "--bots", "random,patient")
    assert "Its deals are repeatable: whoever guesses the seed knows them all." in hall.steer(*words)
    for said in (
        hall.steer("join", "open", "ada", code=2),
        hall.referee("tournament", "join", "open", "ada", "--db", str(_copy(hall)), code=2),
    ):
        assert "ada is a remote bot and cannot play in open" in said
    assert show(hall, "open")["bots"] == ["random", "patient"]
    hall.steer("join", "open", "mixed")
    assert show(hall, "open")["bots"] == ["random", "patient", "mixed"]
    assert show(hall, "open")["repeatable"] is True
    assert "repeatable  yes: whoever guesses" in hall.steer("show", "open")


def test_a_remote_bot_joins_a_tournament_with_a_seed_as_ever(hall: Hall) -> None:
    hall.steer("create", "joined", *SHORT, "--seed", "x", "--allow-join", "--bots", "random,patient")
    assert "ada joins joined" in hall.steer("join", "joined", "ada")


@pytest.mark.parametrize("where", ["server", "file"])
def test_repeatable_without_a_seed_is_wrong_use(hall: Hall, where: str) -> None:
    words = ("create", "nothing", *SHORT, "--repeatable", "--bots", "random,patient")
    place = ("--server", hall.address) if where == "server" else ("--db", hall.db)
    assert "--repeatable needs --seed TEXT" in hall.referee("tournament", *words, *place, code=2)


def test_a_running_tournament_from_before_salts_keeps_its_root_and_goes_on(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    try:
        for bot in ("ada", "bob"):
            hall.referee("bot", "add", bot, "--db", hall.db)
        hall.referee("tournament", "create", "league", *SHORT, "--bots", "ada,bob,random", "--db", hall.db)
        root = root_of("summer", None)
        _age(hall, root, "summer")
        hall.start()
        hall.crowd("ada=random", "bob=random")
        hall.wait_for("league")
        told = show(hall, "league")
        assert (told["root"], told["commitment"]) == (root.hex(), commitment(root))
        assert (told["repeatable"], told["seed_text"], told["salt"]) == (True, "summer", "")
        assert "the deals follow from a seed that could be guessed" in (tmp_path / "server.log").read_text()
        assert "league holds: commitment, seeds" in hall.referee("verify", "league", "--db", hall.db)
    finally:
        hall.close()


def test_the_password_of_a_postgresql_address_is_in_no_word_of_a_command_that_works(
    hall: Hall, postgres_address: str
) -> None:
    address = make_url(postgres_address).set(password="s3cret").render_as_string(hide_password=False)
    created = hall.referee("tournament", "create", "cup", *SHORT, "--bots", "random,ada", "--db", address, code=2)
    hall.referee("bot", "add", "ada", "--db", address)
    created += hall.referee("tournament", "create", "cup", *SHORT, "--bots", "random,ada", "--db", address)
    assert "Start it: referee tournament start cup --db 'postgresql://referee:***@" in created
    assert "s3cret" not in created
    with Store.open(address, owner="server"), pytest.MonkeyPatch.context() as at_once:
        at_once.setattr(owner, "RELEASE_SECONDS", 0.0)
        taken = hall.referee("tournament", "start", "cup", "--db", address, code=3)
    assert "a server is already running on postgresql://referee:***@" in taken
    assert "s3cret" not in taken
    (hall.folder / "elsewhere").mkdir()
    elsewhere = Hall(hall.folder / "elsewhere")
    elsewhere.db = address
    try:
        elsewhere.start()
        eventually(lambda: "Ctrl-C stops it." in (elsewhere.folder / "server.log").read_text())
        log = (elsewhere.folder / "server.log").read_text()
    finally:
        elsewhere.close()
    assert "referee:***@" in log
    assert "s3cret" not in log


def _copy(hall: Hall) -> Path:
    """The database as it is now, beside the one that the server owns."""
    path = hall.folder / "copy.db"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(hall.db)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return path


def _age(hall: Hall, root: bytes, text: str) -> None:
    """Put all that is in the database into one of the first schema, with a league that runs on a root without salt."""
    old = hall.folder / "old.db"
    engine = writer_engine(parse_address(old), 10)
    with engine.begin() as connection:
        upgrade(connection, "0001")
    engine.dispose()
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("ATTACH ? AS new", (hall.db,))
        tables = [row[0] for row in connection.execute("SELECT name FROM main.sqlite_schema WHERE type = 'table'")]
        for table in set(tables) - {"referee_schema"}:
            columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        connection.execute(
            "UPDATE main.tournaments SET root = ?, commitment = ?, seed_text = ?, state = ?",
            (root, commitment(root), text, TournamentState.RUNNING.value),
        )
        connection.commit()
        assert "salt" not in [row[1] for row in connection.execute("PRAGMA main.table_info(tournaments)")]
    hall.db = str(old)
