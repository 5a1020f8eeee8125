"""`referee run`: a whole tournament in one command, with real workers and real bot processes.

The command itself runs in this process, except where it is killed or interrupted: that saves starting it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from referee.cli.main import main

from ..command import Referee
from ..waiting import PATIENCE, eventually

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

HELD = """\
import asyncio, pathlib
import arena

gate = pathlib.Path(__file__).with_name("gate")

async def decide(decision):
    while int(decision.match.rpartition("/")[2]) >= {first} and not gate.exists():
        await asyncio.sleep(0.01)
    return decision.legal[0]

arena.run(decide)
"""
"""A bot that plays its first matches, and the others once a file is there: until then no run is over."""
FEW = 4
MANY = 12
HELD_RUN = [
    *("stop_me_go", "held.py", "random", "patient", "--players", "3", "--no-sandbox", "--time", "1h"),
    *("--rounds", str(MANY), "--seed", "5", "--concurrency", str(FEW)),
]


Run = Callable[..., str]
Result = Callable[..., dict[str, Any]]


@pytest.fixture
def run(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> Run:
    """What `referee run` says in a folder: on stdout, or on stderr if it is to fail."""

    def call(*words: str, folder: Path, code: int = 0) -> str:
        monkeypatch.chdir(folder)
        done = referee("run", *words)
        assert done.code == code, done.err
        assert "Traceback" not in done.err
        return done.out if code == 0 else done.err

    return call


@pytest.fixture
def result(run: Run) -> Result:
    """What it writes with --json."""

    def call(*words: str, folder: Path) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(run(*words, "--json", folder=folder))
        return value

    return call


def workers_of(process: subprocess.Popen[str]) -> list[int]:
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


def test_the_json_of_a_run_holds_what_programs_rely_on(result: Result, tmp_path: Path) -> None:
    value = result(*LINE_UP, "--rounds", "4", "--seed", "x", folder=tmp_path)
    assert (value["game"], value["players"], value["matches"]) == ("flip7", 3, 4)
    assert len(value["digest"]) == 64
    assert {row["bot"] for row in value["standings"]} == {"cautious", "random", "random-2"}
    for row in value["standings"]:
        assert {"bot", "mu", "sigma", "score", "matches", "wins", "mean_rank", "faults"} <= set(row)
    assert not list(tmp_path.iterdir()), "without --db nothing is left behind"


def test_the_same_seed_gives_the_same_digest_with_one_match_at_once_or_eight(result: Result, tmp_path: Path) -> None:
    words = ["stop_me_go", "patient", "random", "random", "mixed", "--players", "3", "--rounds", "12", "--seed", "7"]
    digests = {
        result(*words, "--concurrency", str(at_once), folder=tmp_path)["digest"] for at_once in (1, 8)
    }  # fmt: skip
    assert len(digests) == 1
    assert result(*words[:-1], "8", folder=tmp_path)["digest"] not in digests


def test_a_seed_leads_to_the_same_tournament_root_and_digest_in_every_version(result: Result, tmp_path: Path) -> None:
    """These values are in people's notes: a change of any of them breaks what they have published.

    `random` is not among the bots: its dice are a hash of the view's bytes, so they change with the protocol. Four
    players: how often equal bots end level at other tables of this game was measured anew, and ratings follow it. The
    digest is not the first one: ratings rested on functions of the C library, which differ from machine to machine.
    """
    words = ["stop_me_go", "patient", "mixed", "patient", "mixed", "--players", "4", "--rounds", "12", "--seed", "7"]
    value = result(*words, folder=tmp_path)
    assert value["tournament"] == "stop_me_go-3ee4f0ec"
    assert value["root"] == "6611d1f4d9e78a6ffdfc4ea5104642f9d052ef6d9a72510f052a3e4ddcfb85b8"
    assert value["commitment"] == "28f1c30eb317c731f3cef635f5e971342aa24960f5347434dfce1a766c5e3b89"
    assert value["digest"] == "694ab9b05337af8b9486fecc8b3a02930d229693c738193d5ac87b974d010615"


def test_a_bot_of_ones_own_plays_as_a_program_of_its_own(result: Result, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FIRST_LEGAL)
    value = result("flip7", "mine.py", "random", "cautious", "--no-sandbox", "--rounds", "3", folder=tmp_path)
    rows = {row["bot"]: row for row in value["standings"]}
    assert rows["mine"]["matches"] == 3
    assert all(row["faults"] == 0 for row in rows.values())


@pytest.mark.parametrize("more", [[], ["--mirror"]])
def test_a_bot_is_built_once_however_many_workers_and_fresh_processes(
    result: Result, tmp_path: Path, more: list[str]
) -> None:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "bot.py").write_text(FIRST_LEGAL)
    (folder / "bot.toml").write_text(
        'name = "built"\ngames = ["*"]\nabout = "x"\nmain = "bot.py"\nbuild = "sh -c \'echo built >> log\'"\n'
    )
    words = ["stop_me_go", "./built", "random", "--no-sandbox", "--workers", "2", "--rounds", "2", *more]
    assert result(*words, folder=tmp_path)["standings"][0]["faults"] == 0
    assert (folder / "log").read_text() == "built\n"


def test_a_bot_that_keeps_crashing_is_benched_with_its_last_words_and_the_others_play_on(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "leaky.py").write_text(CRASHING)
    words = ["flip7", "leaky.py", "random", "cautious", "--no-sandbox", "--rounds", "2"]
    monkeypatch.chdir(tmp_path)
    done = referee("run", *words, "--json")
    assert done.code == 0, done.err
    assert "there is a hole in my bucket" in done.err
    rows = {row["bot"]: row for row in done.json["standings"]}
    assert rows["leaky"]["faults"] == 2
    assert rows["random"]["faults"] == rows["cautious"]["faults"] == 0
    assert rows["leaky"]["mean_rank"] == 3


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of a run that was left alone."""
    folder = held(tmp_path_factory.mktemp("whole"), FEW)
    (folder / "gate").touch()
    out = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(StringIO()):
        patch.chdir(folder)
        assert main(["run", *HELD_RUN, "--json"]) == 0
    return str(json.loads(out.getvalue())["digest"])


def held(folder: Path, first: int) -> Path:
    """A folder with a bot that plays no match from this number on before there is a gate."""
    (folder / "held.py").write_text(HELD.format(first=first))
    return folder


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """`referee run` as a process of its own."""
    return subprocess.Popen(
        [*REFEREE, "run", *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.xdist_group("held run")
def test_a_killed_run_goes_on_with_the_same_command_and_ends_with_the_same_digest(
    result: Result, tmp_path: Path, whole: str
) -> None:
    kept = [*HELD_RUN, "--db", "kept.db"]
    process = started(held(tmp_path, FEW), *kept)
    eventually(lambda: matches_in(tmp_path / "kept.db") >= 2, why=lambda: f"exit code {process.poll()}")
    workers = workers_of(process)
    process.kill()
    process.communicate()
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
    assert 2 <= matches_in(tmp_path / "kept.db") <= FEW
    (tmp_path / "gate").touch()
    again = result(*kept, folder=tmp_path)
    assert (again["matches"], again["digest"]) == (MANY, whole)
    assert result(*kept, folder=tmp_path)["digest"] == whole, "a finished run says the same again"


@pytest.mark.xdist_group("held run")
def test_a_worker_that_dies_takes_only_its_running_matches_and_they_are_played_again(
    tmp_path: Path, whole: str
) -> None:
    process = started(held(tmp_path, FEW), *HELD_RUN, "--json", "--db", "kept.db")
    eventually(
        lambda: matches_in(tmp_path / "kept.db") == FEW and playing_in(tmp_path / "kept.db") == FEW,
        why=lambda: f"exit code {process.poll()}",
    )
    os.kill(workers_of(process)[0], signal.SIGKILL)
    (tmp_path / "gate").touch()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    value = json.loads(out)
    assert (value["matches"], value["digest"]) == (MANY, whole)


def test_the_page_of_a_run_shows_it_and_counts_its_decisions(tmp_path: Path) -> None:
    process = started(tmp_path, "stop_me_go", "patient", "random", "--rounds", "3", "--web", "127.0.0.1:0", "--json")
    assert process.stderr is not None
    try:
        lines = iter(process.stderr.readline, "")
        stays = next(line for line in lines if "the page stays at" in line)  # all matches are played
        url = stays.partition("stays at ")[2].split()[0]
        with urllib.request.urlopen(f"{url}metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            home = answer.read().decode()
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    value = json.loads(out)
    assert value["tournament"] in home
    figures = {
        name: float(number)
        for name, _, number in (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    }
    assert figures['referee_matches_ended_total{game="stop_me_go"}'] == value["matches"] > 0
    assert figures["referee_decisions_total"] > 0
    assert figures["referee_decision_seconds_count"] >= figures["referee_decisions_total"]
    assert figures["referee_matches_playing"] == 0
    assert figures['referee_faults_total{kind="timeout"}'] == 0


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    words = ["stop_me_go", "patient", "random", "--rounds", "20000", "--db", "kept.db", "--concurrency", "2"]
    process = started(tmp_path, *words)
    eventually(lambda: matches_in(tmp_path / "kept.db") >= 1, why=lambda: f"exit code {process.poll()}")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "the same command goes on" in err


def test_interrupted_twice_it_stops_at_once_and_goes_on_later_with_nothing_lost(result: Result, tmp_path: Path) -> None:
    words = ["stop_me_go", "held.py", "random", "--no-sandbox", "--time", "1h", "--rounds", "40", "--seed", "1"]
    process = started(held(tmp_path, 0), *words, "--db", "kept.db")
    eventually(lambda: playing_in(tmp_path / "kept.db") >= 40, why=lambda: f"exit code {process.poll()}")
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "Ctrl-C again stops at once" not in (line := process.stderr.readline()):
        assert line, "it ended before it said that it heard"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert matches_in(tmp_path / "kept.db") == 0, "no match could end"
    assert "goes on from here" in err
    (tmp_path / "gate").touch()
    assert result(*words, "--db", "kept.db", folder=tmp_path)["matches"] == 40


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
def test_wrong_use_is_one_sentence_and_exit_code_2(run: Run, words: list[str], said: str, tmp_path: Path) -> None:
    err = run(*words, folder=tmp_path, code=2)
    assert err.count("\n") == 1
    assert err.startswith("error: ")
    assert said in err


def test_a_name_that_stands_for_other_settings_is_refused(run: Run, result: Result, tmp_path: Path) -> None:
    words = ["stop_me_go", "patient", "random", "--rounds", "2", "--name", "mine", "--db", "kept.db"]
    first = result(*words, "--seed", "1", folder=tmp_path)
    assert result(*words, "--seed", "1", folder=tmp_path)["digest"] == first["digest"]
    assert "choose another --name" in run(*words, "--seed", "2", folder=tmp_path, code=2)
    assert "choose another --name" in run(*words, "--seed", "1", "--time", "2s", folder=tmp_path, code=2)


def test_mirrored_deals_are_reported_with_both_intervals(result: Result, tmp_path: Path) -> None:
    value = result("stop_me_go", "patient", "random", "--mirror", "--rounds", "5", "--seed", "1", folder=tmp_path)
    assert value["matches"] == 10
    [pair] = value["mirror"]
    assert (pair["bot"], pair["other"], pair["blocks"]) == ("patient", "random", 5)
    assert pair["half_width_independent"] > 0


def test_a_worker_starts_without_the_database() -> None:
    """Workers are started again and again, and never store anything themselves."""
    script = "import referee.workers.worker, sys; print([name for name in sys.modules if name.startswith('sql')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout.strip() == "[]"


def test_mirrored_deals_are_refused_for_bots_that_connect_and_the_reason_is_told(referee: Referee) -> None:
    words = ["tournament", "create", "league", "--game", "flip7", "--bots", "ada,bob,odds", "--mirror"]
    done = referee(*words)
    assert done.code == 2
    assert "they would remember the cards" in done.err
    assert "referee run GAME BOT … --mirror" in done.err
