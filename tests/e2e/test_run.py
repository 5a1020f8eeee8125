"""`referee run`: a whole tournament in one command, with real workers and real bot processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..waiting import eventually

REFEREE = [sys.executable, "-m", "referee"]
LINE_UP = ["flip7", "cautious", "random", "random"]

FIRST_LEGAL = """\
import arena

def decide(decision):
    return decision.legal[0]

arena.run(decide)
"""

CRASHING = """\
import sys
sys.exit("there is a hole in my bucket")
"""


def run(*words: str, folder: Path, code: int = 0) -> str:
    done = subprocess.run([*REFEREE, "run", *words], cwd=folder, capture_output=True, text=True, timeout=150)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def result(*words: str, folder: Path) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(run(*words, "--json", folder=folder))
    return value


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(pid) for pid in children if b"referee.workers.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def playing_in(db: Path) -> int:
    return matches_in(db, "playing")


def matches_in(db: Path, state: str = "finished") -> int:
    import sqlite3

    if not db.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=5) as connection:
            query = "select count(*) from matches where state = ?"
            [count] = connection.execute(query, (state,)).fetchone()
            return int(count)
    except sqlite3.OperationalError:  # not made yet
        return 0


def test_the_json_of_a_run_holds_what_programs_rely_on(tmp_path: Path) -> None:
    value = result(*LINE_UP, "--rounds", "4", "--seed", "x", folder=tmp_path)
    assert (value["game"], value["players"], value["matches"]) == ("flip7", 3, 4)
    assert len(value["digest"]) == 64
    assert {row["bot"] for row in value["standings"]} == {"cautious", "random", "random-2"}
    for row in value["standings"]:
        assert {"bot", "mu", "sigma", "score", "matches", "wins", "mean_rank", "faults"} <= set(row)
    assert not list(tmp_path.iterdir()), "without --db nothing is left behind"


def test_the_same_seed_gives_the_same_digest_with_one_match_at_once_or_eight(tmp_path: Path) -> None:
    words = ["stop_me_go", "patient", "random", "random", "mixed", "--players", "3", "--rounds", "12", "--seed", "7"]
    digests = {
        result(*words, "--concurrency", str(at_once), folder=tmp_path)["digest"] for at_once in (1, 8)
    }  # fmt: skip
    assert len(digests) == 1
    assert result(*words[:-1], "8", folder=tmp_path)["digest"] not in digests


def test_a_seed_leads_to_the_same_tournament_root_and_digest_in_every_version(tmp_path: Path) -> None:
    """These values are in people's notes: a change of any of them breaks what they have published."""
    words = ["stop_me_go", "patient", "random", "random", "mixed", "--players", "3", "--rounds", "12", "--seed", "7"]
    value = result(*words, folder=tmp_path)
    assert value["tournament"] == "stop_me_go-a56342d8"
    assert value["root"] == "6611d1f4d9e78a6ffdfc4ea5104642f9d052ef6d9a72510f052a3e4ddcfb85b8"
    assert value["commitment"] == "28f1c30eb317c731f3cef635f5e971342aa24960f5347434dfce1a766c5e3b89"
    assert value["digest"] == "9f70dd371c255da393744dafdfcad3917da3316a954d1baf1a81fdf85a174efb"


def test_a_bot_of_ones_own_plays_as_a_program_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FIRST_LEGAL)
    value = result("flip7", "mine.py", "random", "cautious", "--no-sandbox", "--rounds", "3", folder=tmp_path)
    rows = {row["bot"]: row for row in value["standings"]}
    assert rows["mine"]["matches"] == 3
    assert all(row["faults"] == 0 for row in rows.values())


@pytest.mark.parametrize("more", [[], ["--mirror"]])
def test_a_bot_is_built_once_however_many_workers_and_fresh_processes(tmp_path: Path, more: list[str]) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "bot.py").write_text(FIRST_LEGAL)
    (folder / "bot.toml").write_text(
        'name = "built"\ngames = ["*"]\nabout = "x"\nmain = "bot.py"\nbuild = "sh -c \'echo built >> log\'"\n'
    )
    words = ["stop_me_go", "./built", "random", "--no-sandbox", "--workers", "2", "--rounds", "2", *more]
    assert result(*words, folder=tmp_path)["standings"][0]["faults"] == 0
    assert (folder / "log").read_text() == "built\n"


def test_a_bot_that_keeps_crashing_is_benched_with_its_last_words_and_the_others_play_on(tmp_path: Path) -> None:
    (tmp_path / "leaky.py").write_text(CRASHING)
    words = ["flip7", "leaky.py", "random", "cautious", "--no-sandbox", "--rounds", "2"]
    done = subprocess.run(
        [*REFEREE, "run", *words, "--json"], cwd=tmp_path, capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stderr
    assert "there is a hole in my bucket" in done.stderr
    rows = {row["bot"]: row for row in json.loads(done.stdout)["standings"]}
    assert rows["leaky"]["faults"] == 2
    assert rows["random"]["faults"] == rows["cautious"]["faults"] == 0
    assert rows["leaky"]["mean_rank"] == 3


def test_a_killed_run_goes_on_with_the_same_command_and_ends_with_the_same_digest(tmp_path: Path) -> None:
    words = ["encore", "tidy", "random", "random", "--rounds", "12", "--seed", "5", "--concurrency", "4"]
    whole = result(*words, folder=tmp_path)
    kept = [*words, "--db", "kept.db"]
    process = subprocess.Popen(
        [*REFEREE, "run", *kept], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    eventually(lambda: matches_in(tmp_path / "kept.db") >= 2 or process.poll() is not None)
    workers = workers_of(process) if process.poll() is None else []
    process.send_signal(signal.SIGKILL)
    process.wait()
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    before = matches_in(tmp_path / "kept.db")
    again = result(*kept, folder=tmp_path)
    assert before < 12, "it was killed too late to show anything"
    assert again["matches"] == whole["matches"] == 12
    assert again["digest"] == whole["digest"]
    assert result(*kept, folder=tmp_path)["digest"] == whole["digest"], "a finished run says the same again"


def test_a_worker_that_dies_takes_only_its_running_matches_and_they_are_played_again(tmp_path: Path) -> None:
    words = ["encore", "tidy", "random", "random", "--rounds", "10", "--seed", "5", "--concurrency", "4"]
    whole = result(*words, folder=tmp_path)
    process = subprocess.Popen(
        [*REFEREE, "run", *words, "--json", "--db", "kept.db"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    eventually(lambda: matches_in(tmp_path / "kept.db") >= 1)
    os.kill(workers_of(process)[0], signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    value = json.loads(out)
    assert value["digest"] == whole["digest"]
    assert value["matches"] == 10


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    words = ["encore", "tidy", "tidy", "tidy", "--rounds", "200", "--db", "kept.db", "--concurrency", "2"]
    process = subprocess.Popen(
        [*REFEREE, "run", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    eventually(lambda: matches_in(tmp_path / "kept.db") >= 1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command goes on" in err


def test_interrupted_twice_it_stops_at_once_and_goes_on_later_with_nothing_lost(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(FIRST_LEGAL.replace("    return", "    import time; time.sleep(0.3)\n    return"))
    words = ["stop_me_go", "slow.py", "random", "--no-sandbox", "--rounds", "40", "--db", "kept.db", "--seed", "1"]
    process = subprocess.Popen(
        [*REFEREE, "run", *words], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    eventually(lambda: (tmp_path / "kept.db").exists() and playing_in(tmp_path / "kept.db") >= 40)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "Ctrl-C again stops at once" not in (line := process.stderr.readline()):
        assert line, "it ended before it said that it heard"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert matches_in(tmp_path / "kept.db") < 40, "it played on to the end"
    assert "goes on from here" in err
    (tmp_path / "slow.py").write_text(FIRST_LEGAL)
    assert result(*words, folder=tmp_path)["matches"] == 40


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["flip8", "random", "random", "random"], "did you mean 'flip7'"),
        (["flip7", "randon", "random", "random"], "did you mean 'random'"),
        (["flip7", "random", "random"], "name more"),
        (["flip7", "patient", "random", "random"], "does not play flip7"),
        (["flip7", "random", "random", "random", "--players", "2"], "3 to 36 players"),
        (["flip7", "random", "random", "random", "--schedule", "swiss"], "swiss"),
        (["flip7", "random", "random", "random", "--time", "soon"], "not a duration"),
        (["flip7", "nowhere.py", "random", "random"], "nowhere.py"),
        (["flip7", "random", "random", "random", "--seed", " "], "--seed is empty"),
    ],
)
def test_wrong_use_is_one_sentence_and_exit_code_2(words: list[str], said: str, tmp_path: Path) -> None:
    err = run(*words, folder=tmp_path, code=2)
    assert err.count("\n") == 1
    assert err.startswith("error: ")
    assert said in err


def test_a_name_that_stands_for_other_settings_is_refused(tmp_path: Path) -> None:
    words = ["stop_me_go", "patient", "random", "--rounds", "2", "--name", "mine", "--db", "kept.db"]
    first = result(*words, "--seed", "1", folder=tmp_path)
    assert result(*words, "--seed", "1", folder=tmp_path)["digest"] == first["digest"]
    assert "choose another --name" in run(*words, "--seed", "2", folder=tmp_path, code=2)
    assert "choose another --name" in run(*words, "--seed", "1", "--time", "2s", folder=tmp_path, code=2)


def test_mirrored_deals_are_reported_with_both_intervals(tmp_path: Path) -> None:
    value = result("stop_me_go", "patient", "random", "--mirror", "--rounds", "5", "--seed", "1", folder=tmp_path)
    assert value["matches"] == 10
    [pair] = value["mirror"]
    assert (pair["bot"], pair["other"], pair["blocks"]) == ("patient", "random", 5)
    assert pair["half_width_independent"] > 0


def test_a_worker_starts_without_the_database() -> None:
    """Workers are started again and again, and never store anything themselves."""
    script = "import referee.workers.worker, sys; print([name for name in sys.modules if name.startswith('sql')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_mirrored_deals_are_refused_for_bots_that_connect_and_the_reason_is_told(tmp_path: Path) -> None:
    words = ["tournament", "create", "league", "--game", "flip7", "--bots", "ada,bob,odds", "--mirror"]
    done = subprocess.run([*REFEREE, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "they would remember the cards" in done.stderr
    assert "referee run GAME BOT … --mirror" in done.stderr
