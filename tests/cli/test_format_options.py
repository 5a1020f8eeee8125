"""Options that a tournament is created with: which rating orders its table, and random openings."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from .conftest import Referee

RUN = (
    "run",
    "stop_me_go",
    "patient",
    "random",
    "random",
    "--players",
    "2",
    "--rounds",
    "8",
    "--seed",
    "s",
    "--no-sandbox",
)


def test_the_order_is_stored_shown_exported_and_verified(referee: Referee, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "order.db")
    done = referee(*RUN, "--name", "league", "--order", "strength", *db)
    assert done.code == 0, done.err
    assert "Strength" in done.out
    assert referee("tournament", "show", "league", "--json", *db).json["settings"]["order"] == "strength"
    shown = referee("leaderboard", "league", "--once", "--json", *db).json
    assert shown["order"] == "strength"
    folder = tmp_path / "export"
    assert referee("export", "league", folder, *db).code == 0
    told = json.loads((folder / "standings.json").read_text())
    assert told["order"] == "strength"
    assert [bot for bots in told["ordered"] for bot in bots] == [row["bot"] for row in shown["rows"]]
    assert referee("verify", folder).code == 0
    told["ordered"] = [["random"], ["patient"], ["random-2"]]
    _rewrite(folder, told)
    lied = referee("verify", folder)
    assert lied.code == 1
    assert "the standings are not those that follow from the results" in lied.err


def _rewrite(folder: Path, told: object) -> None:
    """Other standings, with a checksum that fits."""
    path = folder / "standings.json"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text(json.dumps(told, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(before, hashlib.sha256(path.read_bytes()).hexdigest()))


def test_openings_are_played_recorded_and_verified(referee: Referee, tmp_path: Path) -> None:
    db = ("--db", tmp_path / "openings.db")
    assert referee(*RUN, "--name", "league", "--openings", "4", *db).code == 0
    assert referee("tournament", "show", "league", "--json", *db).json["settings"]["options"]["openings"] == 4
    shown = referee("replay", "league/0", "--json", *db)
    assert shown.code == 0, shown.err
    assert referee("verify", "league", *db).code == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--order", "elo"), "there is no order 'elo': the table is ordered by trueskill or strength"),
        (("--order", "strength", "--format", "swiss"), "a swiss orders the table by its own places: leave out --order"),
        (("--seeding", "random=nan", "--format", "swiss"), "the seeding of random must be a number, not nan"),
        (("--seeding", "random=1,random=2", "--format", "swiss"), "--seeding names 'random' twice"),
        (("--seeding", "random=1", "--format", "ladder"), "a ladder seats no bot by its strength: leave out --seeding"),
        (("--challengers", ",", "--format", "gauntlet"), "cannot read --challengers ','"),
        (("--openings", "101"), "--openings is at most 100"),
        (("--openings", "2", "--option", "openings=3"), "the openings are given twice: once with --option"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(referee: Referee, words: tuple[str, ...], says: str) -> None:
    words = tuple(word for word in (*RUN, *words) if not ("--format" in words and word in ("--rounds", "8")))
    done = referee(*words, "--dry-run")
    assert done.code == 2
    assert says in done.err
