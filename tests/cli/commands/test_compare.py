"""`referee compare`: exit codes for scripts, one plain sentence, real bots as processes, and broken ones."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli.commands.compare import _design
from referee.hosting.bot.spec import parse

from ...waiting import PATIENCE

MEASURES = ("rank", "win_share", "score")
BOT = "import arena\n\ndef decide(decision):\n    {}\n    return decision.legal[-1]\n\narena.run(decide)\n"


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot that always takes the last legal move, which at STOP me GO is better than any."""
    (tmp_path / "steady.py").write_text(BOT.format("pass"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def compare(referee: Any, *words: object) -> Any:
    """With one worker: starting two takes longer than these matches."""
    return referee("compare", "stop_me_go", *words, "--no-sandbox", "--workers", "1")


def test_a_better_bot_is_found_and_the_exit_code_says_so(referee: Any) -> None:
    done = compare(referee, "tuned=patient", "random", "--seed", "x")
    assert done.code == 0, done.err
    sentence = done.out.splitlines()[-1]
    assert sentence.startswith("tuned is better than random: it comes in ")
    assert "95 % sure" in sentence
    for word in ("mean rank", "win share", "mean score", "95 % interval"):
        assert word in done.out


def test_a_worse_bot_gives_exit_code_1_and_json_holds_everything(referee: Any, bots: Path) -> None:
    done = compare(referee, "random", "steady.py", "--seed", "x", "--json")
    value = done.json
    assert (done.code, value["verdict"], value["new"], value["old"]) == (1, "worse", "random", "steady")
    assert value["rank"]["low"] > 0
    assert value["matches"] == 2 * value["blocks"] <= value["budget"]
    for name in MEASURES:
        measure = value[name]
        assert measure["difference"] == pytest.approx(measure["new"] - measure["old"])
        if measure["low"] is not None:
            assert measure["low"] <= measure["difference"] <= measure["high"]
    assert value["sentence"].startswith("random is worse than steady")
    assert (value["faults"], value["interrupted"], value["seed"]) == ({}, False, "x")


def test_equal_bots_cannot_be_told_within_the_budget_and_the_same_seed_gives_the_same_answer(referee: Any) -> None:
    words = ("random", "random", "--budget", "21", "--seed", "1", "--json")
    one, many = compare(referee, *words, "--concurrency", "1"), compare(referee, *words)
    assert one.code == many.code == 1
    value = many.json
    assert (value["verdict"], value["matches"]) == ("unknown", 20)
    assert (value["new"], value["old"]) == ("random", "random-2")
    assert "it cannot be told within the budget whether random is better than random-2" in value["sentence"]
    assert value["rank"]["low"] < 0 < value["rank"]["high"]
    assert one.json | {"seconds": 0} == value | {"seconds": 0}


def test_against_opponents_every_deal_is_played_twice_for_every_seat(referee: Any) -> None:
    words = ("random", "patient", "--against", "random,patient", "--against", "random", "--budget", "12")
    value = compare(referee, *words, "--json").json
    assert (value["players"], value["matches_per_block"], value["matches"]) == (4, 8, 8)
    assert value["against"] == ["random-2", "patient-2", "random-3"]


def test_opponents_are_repeated_to_fill_the_table() -> None:
    bots, design = _design([parse(name) for name in ("patient", "random", "detective", "mixed")], 6)
    assert design.opponents == ("detective", "mixed", "detective-2", "mixed-2", "detective-3")
    assert bots.keys() == {"patient", "random", *design.opponents}


def test_forfeits_are_told(referee: Any, bots: Path) -> None:
    (bots / "clumsy.py").write_text(BOT.format("if decision.seat == 1: return 'fold'"))
    done = compare(referee, "clumsy.py", "random", "--budget", "10")
    assert "clumsy forfeited " in done.out
    assert "(illegal " in done.out
    assert "'fold'" in done.out


def test_a_bot_that_finishes_no_match_is_broken_and_not_worse(referee: Any, bots: Path) -> None:
    (bots / "broken.py").write_text("import sys\nsys.exit('there is a hole in my bucket')\n")
    done = compare(referee, "random", "broken.py")
    assert done.code == 2
    assert "error: broken forfeited all of its " in done.err
    assert "'referee check' says what is wrong with it" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("chess", "random", "random"), "unknown game 'chess'"),
        (("stop_me_go", "randm", "random"), "did you mean 'random'?"),
        (("stop_me_go", "random", "nowhere.py"), "nowhere.py"),
        (("stop_me_go", "random", "cautious"), "cautious does not play stop_me_go"),
        (("stop_me_go", "random", "random", "--against", "randm"), "did you mean 'random'?"),
        (("stop_me_go", "random", "random", "--against", "random,,random"), "cannot read --against"),
        (("stop_me_go", "random", "random", "--players", "99"), "players"),
        (("stop_me_go", "random", "random", "--budget", "1"), "--budget 1 is too small: every deal is played 2 times"),
        (("stop_me_go", "random", "random", "--confidence", "sure"), "'sure' is not a confidence"),
        (("stop_me_go", "random", "random", "--confidence", "100%"), "'100%' is not a confidence"),
        (("stop_me_go", "random", "random", "--seed", " "), "--seed is empty"),
        (("stop_me_go", "random", "random", "--option", "x=1"), "x"),
        (("stop_me_go", "random"), "OLD"),
    ],
)
def test_wrong_use_is_told_in_one_sentence(referee: Any, words: tuple[str, ...], told: str) -> None:
    done = referee("compare", *words)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.splitlines()) == 1


def test_ctrl_c_prints_what_is_known_so_far(bots: Path) -> None:
    words = ["compare", "stop_me_go", "random", "random", "--budget", "1000000", "--json", "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if " of at most " in line:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    value = json.loads(out)
    assert process.returncode == 130
    assert value["interrupted"]
    assert value["matches"] > 0
    assert value["rank"]["low"] is not None
    assert "Traceback" not in err
