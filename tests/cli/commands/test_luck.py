"""`referee luck`: ratings without luck beside the plain ones, the same every time; what cannot be is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee

LUCK = ("--rollouts", "1", "--workers", "1", "--learn", "10")


@pytest.fixture
def db(referee: Referee, tmp_path: Path) -> tuple[str, Path]:
    db = ("--db", tmp_path / "luck.db")
    league = ("league", "--game", "stop_me_go", "--bots", "patient,random", "--rounds", "24")
    assert referee("tournament", "create", *league, *db).code == 0
    assert referee("tournament", "start", "league", *db).code == 0
    return db


def test_ratings_without_luck_stand_beside_the_plain_ones(referee: Referee, db: tuple[str, Path]) -> None:
    found = referee("luck", "league", "--json", *LUCK, *db)
    assert found.code == 0, found.err
    value = found.json
    assert (value["game"], value["matches"], value["yardstick"]) == ("stop_me_go", 24, "patient")
    assert 0 < value["variance"] < 2
    assert {row["bot"] for row in value["ratings"]} == {"patient", "random"}
    for name in ("plain", "adjusted"):
        assert sum(row[name] for row in value["ratings"]) == pytest.approx(0, abs=1e-5)
    assert referee("luck", "league", "--json", *LUCK, *db).json == value
    shown = referee("luck", "league", *LUCK, *db)
    assert "without luck ± 95 %" in shown.out
    assert "The standings stay those of the plain results" in shown.out.replace("\n", " ")


def test_what_takes_long_tells_how_far_it_is(
    referee: Referee, db: tuple[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.cli.commands.luck.LESSONS_EVERY", 5)
    found = referee("luck", "league", *LUCK, *db)
    assert [line for line in found.err.splitlines() if "learn" in line] == [
        "learning from 10 matches of a house bot against itself what positions are worth",
        "learnt from 5 of 10 matches",
        "learnt from 10 of 10 matches",
    ]
    assert "the luck of 20 of 24 matches" in found.err
    assert "learnt" not in referee("luck", "league", "--json", *LUCK, *db).err


def test_what_cannot_be_is_refused_in_a_sentence(referee: Referee, db: tuple[str, Path]) -> None:
    few = referee("luck", "league", "--matches", "5", *LUCK, *db)
    assert (few.code, "at least 20 matches are needed to price luck; there are 5" in few.err) == (2, True)
    strange = referee("luck", "leage", *LUCK, *db)
    assert strange.code == 2
    nobody = referee("luck", "league", "--yardstick", "nobody", *LUCK, *db)
    assert nobody.code == 2
