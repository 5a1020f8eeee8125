"""The SDKs in other languages: generated code, their own tests, the conformance kit, and play on the real server."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ...waiting import PATIENCE, eventually
from .language import ROOT, Language

pytestmark = [pytest.mark.sdks, pytest.mark.timeout(1200)]

REFEREE = Path(sys.executable).with_name("referee")


def referee(*words: object, code: int = 0) -> str:
    done = subprocess.run([str(REFEREE), *map(str, words)], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == code, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


class Serving:
    """`referee serve` in a process of its own, which can be killed and started again on the same port and database."""

    def __init__(self, folder: Path) -> None:
        self.db = folder / "referee.db"
        self.address = "127.0.0.1:0"  # the system chooses, once
        self._said = folder / "server.log"
        self.start()

    def start(self) -> None:
        words = [str(REFEREE), "serve", "--db", str(self.db), "--listen", self.address]
        with self._said.open("w") as said:
            self.process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT)

        def listens() -> re.Match[str] | None:
            assert self.process.poll() is None, self._said.read_text()
            return re.search(r"listens on (\S+:\d+)", self._said.read_text())

        eventually(listens, 2 * PATIENCE, self._said.read_text)
        found = listens()
        assert found is not None
        self.address = found[1]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def token(self, name: str) -> str:
        return str(json.loads(referee("bot", "add", name, "--db", self.db, "--json"))["token"])


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    serving = Serving(tmp_path)
    yield serving
    serving.kill()


def practising(language: Language, serving: Serving, matches: int, *more: str) -> subprocess.Popen[str]:
    words = ["--practice", language.game, "--against", f"{language.rival},{language.rival}", "--matches", str(matches)]
    return subprocess.Popen(
        [language.conformbot, *words, *more],
        env=os.environ | {"REFEREE_SERVER": serving.address, "REFEREE_TOKEN": serving.token(language.name)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_generated_code_is_what_the_protocol_generates(language: Language) -> None:
    language.make("check-generated")


def test_its_own_tests_pass(language: Language) -> None:
    language.make("test")


def test_every_case_of_the_conformance_kit_holds(language: Language, tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    lacks = [word for feature in language.lacks for word in ("--lacks", feature)]
    referee("conform", *lacks, "--jobs", "4", "--patience", PATIENCE, "--json", results, "--", language.conformbot)
    assert results.is_file()


def test_practice_on_the_real_server_ends_with_zero(language: Language, serving: Serving) -> None:
    bot = practising(language, serving, 3)
    _, said = bot.communicate(timeout=10 * PATIENCE)
    assert bot.returncode == 0, said
    assert said.count("conformbot: end") == 3, said
    assert "finished" in said


def test_a_server_that_is_killed_and_comes_back_is_found_again(language: Language, serving: Serving) -> None:
    bot = practising(language, serving, 1000)  # so many that they are not over before the server is killed
    assert bot.stderr is not None
    heard: list[str] = []
    for line in bot.stderr:
        heard.append(line)
        if "conformbot: end" in line:
            break
    serving.kill()
    for line in bot.stderr:
        heard.append(line)
        if "trying again in" in line:
            break
    serving.start()
    for line in bot.stderr:
        heard.append(line)
        if line.startswith("connected to"):
            break
    for line in bot.stderr:
        heard.append(line)
        if "conformbot: end" in line:
            break
    else:
        pytest.fail("".join(heard))
    bot.kill()
    bot.communicate()


def test_its_package_can_be_made(language: Language) -> None:
    assert language.packages(), "make dist left nothing in dist/"


def test_its_bot_plays_sandboxed_from_its_folder(language: Language) -> None:
    folder = ROOT / "bots" / language.bot
    language.make("build", folder)
    rivals = [language.rival] * (1 if language.game in ("encore", "stop_me_go") else 2)
    words = ("--rounds", "16", "--time", "20s", "--bank", "10m")  # many matches at once, and time for a busy machine
    played: Any = json.loads(referee("run", language.game, folder, *rivals, *words, "--json"))
    faults = {row["bot"]: row["faults"] for row in played["standings"]}
    assert faults[language.bot] == 0, played
