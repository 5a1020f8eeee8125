"""`referee simulate`: reproducible, summed up rightly, and clear about a bot that misbehaves."""

from __future__ import annotations

import csv
import hashlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cli.tally import histogram
from referee.hosting.bot import folders
from referee.hosting.simulation import SimulationTally, simulate
from referee.rules import registry
from referee.rules.game import Result, seed_bytes
from referee.rules.playout import Playout, match_seed, playout, random_chooser
from referee.rules.record import Record
from referee_leaderboard.seats import wilson

CONTRACT = {"game", "players", "matches", "decisions", "matches_per_second", "decisions_per_second", "digest"}
SPEEDS = {"seconds", "matches_per_second", "decisions_per_second"}


def without_speeds(value: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if key not in SPEEDS}


def test_json_keeps_its_contract(referee: Any) -> None:
    done = referee("simulate", "flip7", "--players", "4", "--matches", "5", "--seed", "7", "--json")
    assert done.json.keys() >= CONTRACT
    assert (done.json["game"], done.json["players"], done.json["matches"]) == ("flip7", 4, 5)
    assert done.err == ""


def test_the_digest_is_that_of_all_records_in_order(referee: Any) -> None:
    done = referee("simulate", "stop_me_go", "--players", "3", "--matches", "4", "--seed", "7", "--json")
    game = registry.find("stop_me_go")
    digest, decisions = hashlib.sha256(), 0
    for number in range(4):
        seed = match_seed(seed_bytes(7), number)
        match = playout(game, 3, game.resolve_options(), seed, [random_chooser(seed, seat) for seat in range(3)])
        digest.update(match.record.to_bytes())
        decisions += match.decisions
    assert (done.json["digest"], done.json["decisions"]) == (digest.hexdigest(), decisions)


def test_the_same_seed_gives_the_same_output_apart_from_the_speeds(referee: Any) -> None:
    words = ("simulate", "stop", "--matches", "20", "--json")
    assert without_speeds(referee(*words).json) == without_speeds(referee(*words).json)
    assert referee(*words, "--seed", "1").json["digest"] != referee(*words).json["digest"]


def test_for_people(referee: Any) -> None:
    done = referee("simulate", "stop_me_go", "-m", "10")
    assert done.code == 0
    for word in ("matches/s", "decisions/s", "length", "scores", "three_tokens", "95 % interval"):
        assert word in done.out


def test_options_reach_the_game(referee: Any) -> None:
    done = referee("simulate", "flip7", "-m", "2", "-o", "rules=faq", "-o", "target_score=50", "--json")
    assert done.json["options"] == {"rules": "faq", "target_score": 50}


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty house, to put bots in."""
    monkeypatch.setattr(folders, "house", lambda: tmp_path)
    return tmp_path


def add_bot(bots: Path, name: str, code: str, games: str = '["flip7"]') -> None:
    (bots / name).mkdir()
    (bots / name / "bot.toml").write_text(f'name = "{name}"\ngames = {games}\nmain = "bot.py"\nabout = "for a test"\n')
    (bots / name / "bot.py").write_text(code)


def test_a_bot_from_a_folder_plays_and_sees_its_view(referee: Any, bots: Path) -> None:
    code = "def decide(decision):\n    assert decision.view.ByteSize() > 0\n    return decision.legal[-1]\n"
    add_bot(bots, "last", code)
    done = referee("simulate", "flip7", "-m", "3", "--bots", "last,random", "--json")
    assert done.code == 0, done.err
    assert done.json["bots"] == ["last", "random", "last"]


def test_a_bot_may_be_a_class_with_a_fresh_object_per_match(referee: Any, bots: Path) -> None:
    code = (
        "class Bot:\n"
        "    def __init__(self):\n        self.matches = set()\n"
        "    def decide(self, decision):\n"
        "        self.matches.add((decision.match, decision.seat))\n"
        "        assert len(self.matches) == 1\n"
        "        return decision.legal[0]\n"
    )
    add_bot(bots, "fresh", code, '["*"]')
    assert referee("simulate", "stop_me_go", "-m", "3", "--bots", "fresh").code == 0


def test_an_asynchronous_bot_plays_too(referee: Any, bots: Path) -> None:
    add_bot(bots, "waiting", "async def decide(decision):\n    return 'stay'\n")
    done = referee("simulate", "flip7", "-m", "1", "-o", "target_score=1", "--bots", "waiting,random", "--json")
    assert done.code in (0, 1)
    assert "coroutine" not in done.err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("'target 0'", "'target 0', which is illegal"),
        ("'fold'", "'fold', which cannot be read"),
        ("7", "7, which is no text"),
        ("1 / 0", "raised ZeroDivisionError"),
    ],
)
def test_a_bot_that_misbehaves_is_named_with_match_seat_and_move(
    referee: Any, bots: Path, answer: str, words: str
) -> None:
    add_bot(bots, "rogue", f"def decide(decision):\n    return {answer}\n")
    done = referee("simulate", "flip7", "-m", "3", "--bots", "random,rogue")
    assert done.code == 1
    assert done.err.startswith("error: bot 'rogue' in match 0, seat 1: ")
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_an_unknown_bot_is_refused_with_the_nearest_name(referee: Any, bots: Path) -> None:
    add_bot(bots, "cautious", "decide = len\n")
    assert "did you mean 'cautious'?" in referee("simulate", "flip7", "--bots", "cautios").err
    assert "did you mean 'random'?" in referee("simulate", "flip7", "--bots", "randm").err


def test_a_bot_of_another_game_is_refused(referee: Any, bots: Path) -> None:
    add_bot(bots, "cautious", "decide = len\n")
    done = referee("simulate", "stop", "--bots", "cautious")
    assert (done.code, done.err) == (2, "error: the bot 'cautious' does not play stop; it plays flip7\n")


def test_a_shared_first_place_counts_as_its_share() -> None:
    tally = SimulationTally(3)
    record = Record("g", 1, 3, {}, "", (), Result((1, 1, 3), (5, 5, 2)))
    tally.add(Playout(record, 10))
    tally.add(Playout(record, 30))
    assert tally.wins == [1.0, 1.0, 0.0]
    assert tally.scores == Counter({5: 4, 2: 2})
    assert (tally.matches, tally.decisions) == (2, 40)


def test_wilson_intervals() -> None:
    low, high = wilson(10, 100)
    assert (round(low, 4), round(high, 4)) == (0.0552, 0.1744)
    assert wilson(0, 10)[0] == pytest.approx(0)
    assert wilson(10, 10)[1] == pytest.approx(1)


@given(st.lists(st.integers(-1000, 1000), min_size=1))
def test_a_histogram_holds_every_value_in_its_bin(values: list[int]) -> None:
    bins = histogram(Counter(values))
    assert len(bins) <= 12
    for low, high, count in bins:
        assert count == sum(low <= value <= high for value in values)
    assert sum(count for _, _, count in bins) == len(values)


def test_a_series_yields_after_every_match() -> None:
    game = registry.find("stop_me_go")
    assert [tally.matches for tally in simulate(game, 2, game.resolve_options(), 3, b"")] == [1, 2, 3]


# Several seats of one bot, Python functions, programs, rows.


def test_a_bot_in_several_seats_gets_a_pooled_line(referee: Any) -> None:
    words = ("simulate", "stop_me_go", "-p", "4", "-m", "30", "--bots", "patient,random,random,random")
    done = referee(*words, "--json")
    (pooled,) = done.json["pooled"]
    seats = done.json["seats"]
    assert (pooled["bot"], pooled["seats"]) == ("random", [1, 2, 3])
    assert pooled["wins"] == pytest.approx(sum(seats[seat]["wins"] for seat in (1, 2, 3)), abs=0.01)
    for name in ("mean_rank", "mean_score"):
        assert pooled[name] == pytest.approx(sum(seats[seat][name] for seat in (1, 2, 3)) / 3, abs=0.01)
    assert "1+2+3  random" in referee(*words).out


def test_python_functions_play() -> None:
    def timid(decision: Any) -> str:
        return str(decision.legal[-1])

    game = registry.find("stop_me_go")
    *_, tally = simulate(game, 2, game.resolve_options(), 3, b"", [timid, "random"])
    *_, other = simulate(game, 2, game.resolve_options(), 3, b"", ["random", timid])
    assert tally.matches == 3
    assert tally.digest != other.digest


@pytest.fixture
def function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "mine.py"
    file.write_text("def decide(decision):\n    return decision.legal[-1]\n\nx = 1\n")
    monkeypatch.chdir(tmp_path)
    return file


def test_a_function_of_a_file_plays_in_this_process(referee: Any, function: Path) -> None:
    done = referee("simulate", "stop_me_go", "-m", "3", "--bots", "mine.py:decide,me=mine.py:decide", "--json")
    assert done.code == 0, done.err
    assert done.json["bots"] == ["mine", "me"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("mine.py:nothing", "there is no function or class nothing"),
        ("mine.py:x", "there is no function or class x"),
        ("other.py:decide", "there is no file other.py"),
        ("nowhere.py", "nowhere.py"),
    ],
)
def test_a_function_that_is_not_there_is_told(referee: Any, function: Path, text: str, told: str) -> None:
    done = referee("simulate", "stop_me_go", "--bots", text)
    assert done.code == 2
    assert told in done.err


def test_programs_play_the_same_matches_as_bots_in_this_process(referee: Any, function: Path) -> None:
    words = ("simulate", "stop_me_go", "-m", "6", "--seed", "3", "--no-sandbox", "--json")
    inside = referee(*words, "--bots", "mine.py:decide", "--bots", "patient").json
    function.with_name("program.py").write_text(function.read_text() + "\nimport arena\narena.run(decide)\n")
    outside = referee(*words, "--bots", "mine=program.py", "--bots", "patient")
    assert outside.code == 0, outside.err
    assert without_speeds(outside.json) == without_speeds(inside)
    mixed = referee(*words, "--bots", "mine.py:decide", "--bots", "calm=program.py")
    assert (mixed.code, mixed.json["bots"]) == (0, ["mine", "calm"]), mixed.err


def test_a_program_that_misbehaves_is_named_with_match_and_seat(referee: Any, function: Path) -> None:
    function.with_name("rogue.py").write_text("import arena\narena.run(lambda decision: 'fold')\n")
    done = referee("simulate", "stop_me_go", "-m", "3", "--bots", "random,rogue.py", "--no-sandbox")
    assert done.code == 1
    assert "error: bot 'rogue' in match 0, seat 1: illegal: 3 rejected moves" in done.err


def test_csv_has_one_row_per_seat_and_match(referee: Any, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    words = ("simulate", "stop_me_go", "-p", "3", "-m", "20", "--bots", "patient,random", "--csv", file, "--json")
    value = referee(*words).json
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["match"], row["seat"]) for row in rows] == [(str(m), str(s)) for m in range(20) for s in range(3)]
    assert [row["bot"] for row in rows[:3]] == ["patient", "random", "patient"]
    for seat in value["seats"]:
        own = [row for row in rows if row["seat"] == str(seat["seat"])]
        assert sum(float(row["win_share"]) for row in own) == pytest.approx(seat["wins"], abs=0.01)
        assert sum(int(row["rank"]) for row in own) / 20 == pytest.approx(seat["mean_rank"], abs=0.001)
        assert sum(int(row["score"]) for row in own) / 20 == pytest.approx(seat["mean_score"], abs=0.001)
    assert rows[0]["seed"] == match_seed(seed_bytes(0), 0).hex()
    done = referee(*words[:-2], tmp_path / "no" / "where.csv")
    assert done.code == 3
    assert "cannot write" in done.err
