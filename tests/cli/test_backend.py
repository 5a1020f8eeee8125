"""The same commands say the same on a database file and on a running server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.cli.backend.server import ServerBackend
from referee.cli.connection import PUBLIC

from ..e2e.tournament_hall import Hall

PLAN = ("--game", "stop_me_go", "--players", 2, "--rounds", 2)


@dataclass(frozen=True)
class Place:
    """Where commands are sent, and the words that send them there."""

    hall: Hall
    words: tuple[str, ...]

    def referee(self, *words: object, code: int = 0) -> str:
        return self.hall.referee(*words, *self.words, code=code)

    def value(self, *words: object) -> Any:
        return json.loads(self.referee(*words, "--json"))


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    hall = Hall(tmp_path)
    if request.param == "server":
        hall.start()
    yield Place(hall, ("--server", hall.address) if hall.server else ("--db", hall.db))
    hall.close()


def test_bots_come_get_new_tokens_and_are_shut_out(place: Place) -> None:
    assert "no bots yet; register one with: referee bot add NAME" in place.referee("bot", "list")
    said = place.referee("bot", "add", "ada")
    assert re.fullmatch(r"ada is registered. Its token, shown this once:\n  export REFEREE_TOKEN=\S+\n", said)
    given = place.value("bot", "add", "bob")
    renewed = place.value("bot", "rotate", "bob")
    assert given["name"] == renewed["name"] == "bob"
    assert given["token"] != renewed["token"]
    assert "bob has a new token." in place.referee("bot", "rotate", "bob")
    assert place.referee("bot", "revoke", "ada") == "ada is revoked\n"
    rows = {row["name"]: row for row in place.value("bot", "list")}
    assert {name: (row["kind"], row["revoked"]) for name, row in rows.items()} == {
        "ada": ("remote", True),
        "bob": ("remote", False),
    }
    assert re.search(r"ada +remote +revoked +\d{4}-", place.referee("bot", "list"))
    for action in ("rotate", "revoke"):
        assert "there is no bot named eve: 'referee bot list' shows all" in place.referee("bot", action, "eve", code=2)
    assert "ada" in place.referee("bot", "add", "ada", code=2)


def test_a_tournament_is_created_joined_shown_and_cancelled(place: Place) -> None:
    assert "no tournaments yet" in place.referee("tournament", "list")
    assert "there is no tournament" in place.referee("leaderboard", "--once", code=2)
    for bot in ("ada", "bob", "cy"):
        place.referee("bot", "add", bot)
    said = place.referee("tournament", "create", "league", *PLAN, "--bots", "ada,bob", "--allow-join")
    created, commitment, start = said.splitlines()
    assert created == "league is created: 2 matches of stop_me_go with 2 players each."
    assert re.fullmatch(r"Commitment to the deals: \S+", commitment)
    assert start == f"Start it: referee tournament start league {' '.join(place.words)}"
    second = place.value("tournament", "create", "cup", *PLAN, "--bots", "random,random")
    assert list(second) == ["name", "matches", "commitment", "repeatable"]
    assert (second["name"], second["matches"], second["repeatable"]) == ("cup", 2, False)
    assert re.fullmatch(r"cy joins league: \d more matches\n", place.referee("tournament", "join", "league", "cy"))
    rows = place.value("tournament", "list")
    assert [row["name"] for row in rows] == ["cup", "league"]
    assert " ".join(rows[0]) == (
        "name game players state matches_done matches_set_aside matches_dealt_anew matches_total bots commitment root "
        "repeatable seed_text salt nonces settings rulings stage head"
    )
    assert rows[0]["commitment"] == second["commitment"]
    assert (rows[1]["bots"], rows[1]["state"], rows[1]["root"]) == (["ada", "bob", "cy"], "created", "")
    assert rows[1] == place.value("tournament", "show", "league") == place.value("tournament", "status", "league")
    assert place.value("leaderboard", "league")["state"] == "created"
    never_started = "error: league has not been started, so it is not running: 'referee tournament start league'\n"
    assert place.referee("tournament", "pause", "league", code=2) == never_started
    assert place.referee("tournament", "cancel", "league") == "league is cancelled\n"
    assert place.referee("tournament", "pause", "league", code=2) == "error: league is cancelled, not running\n"
    assert place.referee("tournament", "status", "league").startswith("league is cancelled: ")
    shown = place.referee("tournament", "show", "league")
    assert "           state  cancelled\n" in shown
    assert "            bots  ada, bob, cy\n" in shown
    assert place.value("leaderboard")["tournament"] == "cup"
    for action in ("status", "show", "start", "pause", "cancel"):
        assert re.search(r"no tournament named '?nope\b", place.referee("tournament", action, "nope", code=2))


def test_a_command_to_type_next_trusts_what_this_one_trusted() -> None:
    words = {None: "", PUBLIC: " --tls", "own cert.pem": " --ca 'own cert.pem'"}
    for ca, trusted in words.items():
        assert ServerBackend("arena:7700", ca=ca).where == f" --server arena:7700{trusted}"


def test_pausing_again_changes_nothing(place: Place) -> None:
    for bot in ("ada", "bob"):
        place.referee("bot", "add", bot)
    place.referee("tournament", "create", "league", *PLAN, "--bots", "ada,bob")
    place.referee("tournament", "start", "league")  # the bots are not there, so it is running and not played
    for _ in range(2):
        assert place.referee("tournament", "pause", "league") == "league is paused\n"
    assert place.value("tournament", "status", "league")["state"] == "paused"


def test_what_belongs_to_the_other_place_is_refused(place: Place) -> None:
    create = ("tournament", "create", "cup", *PLAN, "--bots", "random,random")
    if place.hall.server is None:
        assert "--start needs --server" in place.referee(*create, "--start", code=2)
        assert place.value("tournament", "list") == []
        return
    place.referee(*create)
    for action in ("start", "resume"):
        said = place.referee("tournament", action, "cup", "--concurrency", 3, code=2)
        assert said == "error: --concurrency is the server's affair: 'referee serve --concurrency N'\n"
    assert place.referee("tournament", "start", "cup") == "cup is running\n"


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "list"),
        ("tournament", "status", "x"),
        ("tournament", "show", "x"),
        ("tournament", "start", "x"),
        ("tournament", "pause", "x"),
        ("tournament", "resume", "x"),
        ("tournament", "cancel", "x"),
        ("tournament", "join", "x", "ada"),
        ("tournament", "create", "x", *PLAN, "--bots", "random,random"),
        ("leaderboard",),
        ("leaderboard", "--once"),
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_both_places_at_once_are_refused(words: tuple[object, ...], tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    said = hall.referee(*words, "--db", hall.db, "--server", hall.address, code=2)
    assert said == "error: give --db or --server, not both\n"
