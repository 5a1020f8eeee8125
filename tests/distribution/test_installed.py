"""Installed from the wheels, away from any checkout, Referee is complete: it plays, serves, and starts new bots."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import urlopen

import pytest

if TYPE_CHECKING:
    from tests.installation import Installation

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("encore", "flip7", "stop", "stop_me_go")
pytestmark = pytest.mark.xdist_group("distribution")

WHERE = """
import json, arena, referee, referee_leaderboard
from importlib.metadata import distribution, entry_points
print(json.dumps({
    "files": [arena.__file__, referee.__file__, referee_leaderboard.__file__],
    "metadata": [str(distribution(name).locate_file("")) for name in ("referee-arena", "referee-sdk")],
    "games": sorted(entry.name for entry in entry_points(group="referee.games")),
}))
"""


def test_the_packages_come_from_the_wheels(installed: Installation) -> None:
    where = json.loads(installed.run([installed.python, "-c", WHERE]))
    packages = installed.packages
    for file in where["files"]:
        assert packages in Path(file).parents
    assert [Path(place) for place in where["metadata"]] == [packages, packages]
    assert where["games"] == sorted(GAMES)  # once each: no second installation shows through


def test_it_lists_the_games_and_prints_their_rules(installed: Installation) -> None:
    listed = json.loads(installed.referee("games", "--json"))["games"]
    assert sorted(game["name"] for game in listed) == sorted(GAMES)
    for game in GAMES:
        assert len(installed.referee("rules", game)) > 1000


def test_it_plays_a_tournament_of_house_bots(installed: Installation) -> None:
    value = json.loads(installed.referee("run", "flip7", "random", "cautious", "odds", "--rounds", "2", "--json"))
    assert sorted(row["bot"] for row in value["standings"]) == ["cautious", "odds", "random"]
    assert all(row["matches"] == 2 and row["faults"] == 0 for row in value["standings"])


def test_it_brings_the_cases_of_the_conformance_kit(installed: Installation) -> None:
    assert "hello_is_first" in installed.referee("conform", "--list")
    bot = installed.packages / "referee" / "conformance" / "cases" / "lines_bot.py"
    assert "1 of 1 cases passed" in installed.referee(
        "conform", "--lines", "-c", "one_question", "--", installed.python, bot
    )


def test_it_creates_a_database(installed: Installation) -> None:
    assert "token" in installed.referee("bot", "add", "ada", "--db", "new.db")
    assert (installed.home / "new.db").is_file()


def test_a_server_starts_answers_and_stops(installed: Installation) -> None:
    server = subprocess.Popen(
        [installed.bin / "referee", "serve", "--listen", "127.0.0.1:0", "--db", "served.db"],
        env=installed.environment,
        cwd=installed.home,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stderr is not None
        said = []
        for line in server.stderr:
            said.append(line)
            if line.startswith("Ctrl-C stops it"):
                break
        assert server.poll() is None, "".join(said)
        found = re.search(r"listens on (127\.0\.0\.1:\d+)", "".join(said))
        assert found, said
        assert json.loads(installed.referee("tournament", "list", "--server", found[1], "--json")) == []
        server.send_signal(signal.SIGTERM)
        rest = server.stderr.read()
        assert server.wait() == 0, rest
        assert "stopped" in rest
    finally:
        server.kill()
        server.wait()


def test_a_new_bot_is_fit_to_play(installed: Installation) -> None:
    installed.referee("new", "mybot", "--game", "flip7", "--lang", "python")
    installed.referee("check", "./mybot", "--no-sandbox")


def test_pip_installs_both_from_a_checkout(empty: Installation) -> None:
    """`pip install -e sdk/python -e .`, with the build backend and the dependencies that are there already."""
    pip = [sys.executable, "-m", "pip", "--python", empty.python, "--disable-pip-version-check", "install", "--quiet"]
    empty.run([*pip, "--no-index", "--no-build-isolation", "-e", ROOT / "sdk" / "python", "-e", ROOT])
    where = json.loads(empty.run([empty.python, "-c", WHERE]))
    assert [Path(file).parent for file in where["files"]] == [
        ROOT / "sdk" / "python" / "arena",
        ROOT / "server" / "referee",
        ROOT / "leaderboard" / "referee_leaderboard",
    ]
    assert where["games"] == sorted(GAMES)
    assert "odds" in empty.referee("simulate", "flip7", "-p", "3", "-m", "1", "--bots", "odds,random")


def test_the_page_comes_out_of_the_wheel_with_all_its_files(installed: Installation) -> None:
    words = [installed.bin / "referee", "serve", "--db", "page.db", "--listen", "127.0.0.1:0", "--web", "127.0.0.1:0"]
    command = [str(word) for word in words]
    with subprocess.Popen(
        command, cwd=installed.home, env=installed.environment, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stderr is not None
            line = next(line for line in process.stderr if "in a browser:" in line)
            url = line.partition("in a browser:")[2].strip()
            with urlopen(url) as answer:
                page = answer.read().decode()
            files = re.findall(r'(?:src|href)="/(static/[^"]+)"', page)
            with urlopen(url + "play") as answer:
                files += re.findall(r'(?:src|href)="/(static/[^"]+)"', answer.read().decode())
            assert len(files) > 3
            for file in files:
                with urlopen(url + file) as answer:
                    assert answer.read()
            with urlopen(url + "api/v1/API.md") as answer:
                assert answer.read().startswith(b"# JSON API")
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 0
