"""`referee new` in the languages with an SDK: from the package that `make dist` made to a bot that is fit to play."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .language import BUILD_SECONDS, QUICK_BUILDS, ROOT, Language

pytestmark = [pytest.mark.sdks, pytest.mark.timeout(2 * BUILD_SECONDS)]

REFEREE = Path(sys.executable).with_name("referee")


def referee(*words: object) -> str:
    done = subprocess.run([str(REFEREE), *map(str, words)], capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    return done.stdout


def build(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words = ["sh", str(folder / "build.sh")]
    outer = os.environ | QUICK_BUILDS | environment
    return subprocess.run(words, env=outer, capture_output=True, text=True, timeout=BUILD_SECONDS, check=False)


@contextmanager
def libraries_built_before(language: Language, bot: Path) -> Iterator[None]:
    """For Rust, what cargo has built of other people's crates; the SDK and the bot are built from the bot's folder."""
    shared = bot / "target"
    if language.name == "rust":
        shared.symlink_to(language.folder / "target")
    yield
    if shared.is_symlink():
        shared.unlink()


def test_a_new_bot_builds_from_the_package_of_its_sdk_and_is_fit_to_play(language: Language, tmp_path: Path) -> None:
    assert language.packages()
    tmp_path.chmod(0o755)
    bot = tmp_path / "mybot"
    referee("new", bot, "--game", language.game, "--lang", language.name, "--sdk", ROOT / "dist")
    with libraries_built_before(language, bot):
        done = build(bot)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
    # The build of bot.toml, in the sandbox and without network, finds that all is done.
    report = json.loads(referee("check", bot, "--matches", "1", "--json"))
    assert report["ok"], report
    words = ("--rounds", "1", "--time", "20s", "--bank", "10m")
    played = json.loads(referee("run", language.game, bot, *[language.rival] * 2, *words, "--json"))
    assert {row["bot"]: row["faults"] for row in played["standings"]}["mybot"] == 0, played


def test_a_new_bot_says_which_tool_is_missing_to_build_it(language: Language, tmp_path: Path) -> None:
    bot = tmp_path / "mybot"
    referee("new", bot, "--game", language.game, "--lang", language.name)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "find"):
        (tools / name).symlink_to(Path("/usr/bin") / name)
    done = build(bot, PATH=str(tools))
    assert done.returncode == 3, done.stdout + done.stderr
    assert done.stderr.startswith("error: there is no ")
    assert "install" in done.stderr


@pytest.mark.xdist_group("typescript")
def test_an_error_in_typescript_is_shown_where_the_author_wrote_it(typescript: Language, tmp_path: Path) -> None:
    assert typescript.packages()
    tmp_path.chmod(0o755)
    bot = tmp_path / "mybot"
    referee("new", bot, "--game", "flip7", "--lang", "typescript", "--sdk", ROOT / "dist")
    source = bot / "bot.ts"
    before, signature, after = source.read_text().partition("function decide(decision: Decision<flip7.View>): string {")
    source.write_text(f'{before}{signature} if (decision.number > 0) throw new Error("out of ideas");{after}')
    assert build(bot).returncode == 0
    words = [str(REFEREE), "check", str(bot), "--matches", "1", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 1, done.stdout[-6000:] + done.stderr[-6000:]
    place = f"bot.ts:{before.count(chr(10)) + 1}:"
    assert any(place in line for line in json.loads(done.stdout)["last_lines"]), done.stdout
