"""In a game without chance bots without dice repeat their matches: openings help, and so do the dice of a house bot."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

import arena
from arena.decision import Match
from referee.cli.main import main
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.record import Record
from referee.store import Store

sys.path.insert(0, str(Path(__file__).parent))
from offline_install import install

RANDOM = Path(__file__).parents[2] / "bots" / "random" / "bot.py"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    site = install(tmp_path / "site")
    monkeypatch.syspath_prepend(str(site))
    return site


def test_a_round_robin_plays_each_opening_from_all_seats(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = ["--db", str(site / "openings.db")]
    league = ["league", "--game", "four_in_a_row", "--bots", "random,random", "--rounds", "3", "--openings", "5"]
    assert main(["tournament", "create", *league, *db]) == 0
    assert main(["tournament", "start", "league", *db]) == 0
    with Store.open(site / "openings.db") as store:
        found = store.tournaments.get("league")
        assert found.settings["rotate"] is True
        matches = list(store.matches.results_in_schedule_order(found.id))
        records = [Record.from_value(json.loads(store.matches.record(match.id) or b"")["record"]) for match in matches]
    assert len(matches) == 6
    openings = [_begun(record) for record in records]
    for number in (0, 2, 4):
        one, other = (tuple(seat.name for seat in match.seats) for match in matches[number : number + 2])
        assert one == other[::-1]
        assert openings[number] == openings[number + 1]
        assert sum(map(len, openings[number])) == 5
    assert len({str(opening) for opening in openings}) == 3
    capsys.readouterr()
    assert main(["verify", "league", *db]) == 0
    assert main(["tournament", "join", "league", "random", *db]) == 2
    assert "nobody can join it" in capsys.readouterr().err


FORMATS = {
    "swiss": ["--rounds", "2"],
    "groups+finals": ["--groups", "2", "--with", "qualify=1"],
}


@pytest.mark.parametrize("format", FORMATS)
def test_a_drawn_format_plays_each_opening_from_all_seats(
    format: str, site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(site / "openings.db")]
    bots = ["--bots", "random,random,random,random"]
    create = ["cup", "--game", "four_in_a_row", "--format", format, *FORMATS[format], "--openings", "5"]
    assert main(["tournament", "create", *create, *bots, *db]) == 0
    assert main(["tournament", "start", "cup", *db]) == 0
    with Store.open(site / "openings.db") as store:
        found = store.tournaments.get("cup")
        matches = list(store.matches.results_in_schedule_order(found.id))
        records = [Record.from_value(json.loads(store.matches.record(match.id) or b"")["record"]) for match in matches]
    assert len(matches) >= 6
    openings = [str(_begun(record)) for record in records]
    for number in range(0, len(matches), 2):
        one, other = (tuple(seat.name for seat in match.seats) for match in matches[number : number + 2])
        assert one == other[::-1]
        assert openings[number] == openings[number + 1]
    assert len(set(openings)) == len(matches) // 2
    capsys.readouterr()
    assert main(["verify", "cup", *db]) == 0
    assert "drawn again" in capsys.readouterr().out


def _begun(record: Record) -> list[list[int]]:
    """The columns of the board when the bots take over."""
    game = registry.find(record.game)
    state = game.begin(record.players, record.options, Seeded(bytes.fromhex(record.seed)))
    view = state.view(None)
    assert isinstance(view, dict)
    columns: list[list[int]] = view["columns"]
    return columns


@pytest.mark.parametrize(("game", "differ"), [("four_in_a_row", True), ("flip7", False)])
def test_the_dice_of_a_house_bot_take_the_match_in_where_nothing_is_dealt(game: str, differ: bool) -> None:
    draw = runpy.run_path(str(RANDOM))["draw"]
    asked = [
        arena.Decision(Match(name, game, 0, ("a", "b"), {}, 1.0), 0, ["drop 1", "drop 2"], b"a view")
        for name in ("league/0", "league/1")
    ]
    assert (draw(asked[0]) != draw(asked[1])) is differ
