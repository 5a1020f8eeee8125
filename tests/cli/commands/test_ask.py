"""`referee ask`: real bots are asked about a stored match, planted differences are found, mistakes are told."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main

from ...analysis.recording import played, seated

pytestmark = pytest.mark.xdist_group("ask")  # one worker: what its tests share takes long to make

BOT = """
import arena

def decide(decision):
    {}
    return decision.legal[0]

arena.run(decide)
"""
PLANTED = "if decision.view.round == 2 and len(decision.legal) > 1: return decision.legal[1]"
BY_CHANCE = "return DICE.choice(decision.legal)"
NEW_DICE = """
import pathlib, random
starts = pathlib.Path(__file__).with_name("starts")
with starts.open("a") as file:
    file.write("x")
DICE = random.Random(starts.stat().st_size)
"""
"""Other dice at every start, and the same ones whenever the test is run."""
LINES = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        print(json.dumps({"decision": message["decision"], "move": message["legal"][0]}), flush=True)
"""


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database: `mine/0`, in which the first bot always took the first legal move."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "first.py").write_text(BOT.format("pass"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        words = ["run", "stop_me_go", "first.py", "random", "--players", "2", "--rounds", "2", "--seed", "s"]
        assert main([*words, "--name", "mine", "--workers", "1", "--db", "mine.db", "--no-sandbox", "--json"]) == 0
    return folder


@pytest.fixture
def here(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for file in stored.iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / "planted.py").write_text(BOT.format(PLANTED))
    (tmp_path / "chance.py").write_text(NEW_DICE + BOT.format(BY_CHANCE))
    (tmp_path / "dies.py").write_text(BOT.format("import os; os._exit(3)"))
    (tmp_path / "lines.py").write_text(LINES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(referee: Any, *words: object) -> Any:
    seat = referee("show", "mine/0", "--db", "mine.db", "--json").json["seats"]
    own = next(one["seat"] for one in seat if one["bot"] == "first")
    return referee("ask", "mine/0", "--db", "mine.db", "--seat", own, "--no-sandbox", *words)


def test_the_bot_that_played_is_recognised(referee: Any, here: Path) -> None:
    done = ask(referee, "--json", "--", "first.py")
    value = done.json
    assert done.code == 0, done.err
    assert (value["same_bot"], value["otherwise"], value["trouble"]) == (True, 0, "")
    assert value["asked"] == value["questions"] == len(value["answers"]) > 5
    assert all(one["same"] and one["answer"] == one["played"] in one["legal"] for one in value["answers"])


def test_a_planted_difference_is_shown_and_the_bot_is_told_apart(referee: Any, here: Path) -> None:
    done = ask(referee, "--", sys.executable, "planted.py")
    assert done.code == 0, done.err
    lines = [line for line in done.out.splitlines() if line.startswith("decision ")]
    value = ask(referee, "--json", "--", "planted.py").json
    differing = [one for one in value["answers"] if not one["same"]]
    assert 0 < len(differing) < value["asked"]
    assert len(lines) == len(differing) == value["otherwise"]
    assert all(one["again"] == one["answer"] != one["played"] for one in differing)
    for line, one in zip(lines, differing, strict=True):
        assert line == f"decision {one['decision']}: played {one['played']}; planted answers {one['answer']}"
    assert (value["deterministic"], value["same_bot"]) == (True, False)
    assert done.out.splitlines()[-1].endswith("and alike when asked again: it is not the bot that played")


def test_a_bot_that_plays_by_chance_cannot_be_told(referee: Any, here: Path) -> None:
    value = ask(referee, "--json", "--", "chance.py").json
    assert (value["deterministic"], value["same_bot"]) == (False, None)
    assert value["sentence"].endswith("whether it is the bot that played cannot be told")


def test_one_question_alone_with_its_board(referee: Any, here: Path) -> None:
    value = ask(referee, "--json", "--", "first.py").json
    at = value["answers"][3]["decision"]
    for bot in ("first.py", f"stdio:{shlex.quote(sys.executable)} lines.py"):
        done = ask(referee, "--at", at, "--", bot)
        assert done.code == 0, done.err
        assert f"decision {at}: {value['answers'][3]['played']}, as it was played" in done.out
        assert f"legal: {', '.join(value['answers'][3]['legal'])}" in done.out
    one = ask(referee, "--at", at, "--json", "--", "planted.py").json
    assert [answer["decision"] for answer in one["answers"]] == [at]
    assert one["same_bot"] is None


def test_a_bot_that_dies_gives_exit_code_1(referee: Any, here: Path) -> None:
    done = ask(referee, "--json", "--", "dies.py")
    assert done.code == 1
    assert "crash: the bot exited with code 3" in done.json["trouble"]
    assert done.json["asked"] == 0


def test_a_record_file_can_be_asked_about_too(referee: Any, tmp_path: Path) -> None:
    match, _ = played("flip7", seated(3))
    file = tmp_path / "match.json"
    file.write_bytes(match.record())
    done = referee("ask", file, "--seat", "1", "--boards", "--", "random")
    assert done.code == 0, done.err
    assert "questions of seat 1 (bot-1), put to random" in done.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("mine/0", "--seat", "2", "--", "random"), "there is no seat 2: the match has the seats 0 to 1"),
        (("mine/77", "--seat", "0", "--", "random"), "there is no match named 'mine/77'"),
        (("mine/0", "--seat", "0", "--at", "999", "--", "random"), "seat 0 was not asked at decision 999"),
        (("mine/0", "--seat", "0", "--", "randm"), "did you mean 'random'?"),
        (("mine/0", "--seat", "0", "--", "cautious"), "cautious does not play stop_me_go, only flip7"),
        (("mine/0", "--", "random"), "--seat"),
        (("mine/0", "--seat", "0"), "BOT"),
        (("mine/0", "--seat", "0", "--time", "soon", "--", "random"), "'soon' is not a duration"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(referee: Any, here: Path, words: tuple[str, ...], told: str) -> None:
    match, *rest = words
    done = referee("ask", match, "--db", "mine.db", *rest)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.splitlines()) == 1
