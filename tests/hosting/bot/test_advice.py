"""Authors of bots that were named or packed wrongly are told what to write; bots that bring their folder play."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.conformance import examination
from referee.hosting.bot import advice
from referee.hosting.bot.spec import BotSpec, parse
from referee.hosting.process.bot_process import BotProcess, Exit, RestartPolicy
from referee.hosting.sandbox.bubblewrap import Sandbox
from referee.hosting.sandbox.launch import Launcher, NoSandbox
from referee.match.result import Termination
from referee.rules.game import WrongUse

from ...waiting import PATIENCE

if TYPE_CHECKING:
    from tests.hosted_bots import Host

PLAYS = """
import json, sys
import helper
for line in sys.stdin:
    message = json.loads(line)
    if "legal" in message:
        print(json.dumps({"decision": message["decision"], "move": helper.pick(message["legal"])}), flush=True)
"""
ONCE = RestartPolicy(crashes=1)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    folder = tmp_path / "bots"
    (folder / "lib").mkdir(parents=True)
    (folder / "mybot.py").write_text(PLAYS)
    (folder / "helper.py").write_text("from lib.inner import pick\n")
    (folder / "lib" / "inner.py").write_text(
        "from pathlib import Path\n"
        "place = int((Path(__file__).parents[1] / 'weights.txt').read_text())\n"
        "def pick(legal):\n    return legal[place]\n"
    )
    (folder / "weights.txt").write_text("0")
    return folder


async def end_of(spec: BotSpec, launcher: Launcher) -> Exit:
    process = BotProcess(spec, launcher, restart_policy=ONCE)
    over: asyncio.Future[Exit] = asyncio.get_running_loop().create_future()
    process.on_exit = over.set_result
    await process.start()
    try:
        return await asyncio.wait_for(over, PATIENCE)
    finally:
        await process.stop()


@pytest.mark.parametrize(
    "text", ["folder:stdio:mybot.py", "stdio:folder:mybot.py", "mine=folder:stdio:python3 mybot.py"]
)
async def test_a_lone_file_brings_its_folder_when_its_author_says_so(
    host: Host, sandbox: Sandbox, here: Path, text: str
) -> None:
    ending = await host.play(await host.start_bot(parse(text, here), sandbox))
    assert ending.terminations[0] is Termination.FINISHED


async def test_without_that_word_the_neighbours_stay_outside_and_the_author_is_told(
    sandbox: Sandbox, here: Path
) -> None:
    leaving = await end_of(parse("stdio:mybot.py", here), sandbox)
    assert "helper.py beside mybot.py was left outside" in leaving.advice
    assert f"'folder:stdio:mybot.py' to bring all of {here}" in leaving.advice


@pytest.mark.parametrize(
    "script",
    ["cat weights.txt; exit 1", "open() { cat <weights.txt; }; open || exit 2"],
)
async def test_a_missing_file_of_any_language_is_told(sandbox: Sandbox, here: Path, script: str) -> None:
    (here / "run.sh").write_text(script)
    leaving = await end_of(parse("x=stdio:sh run.sh", here), sandbox)
    assert "weights.txt beside run.sh was left outside" in leaving.advice
    assert "'x=folder:stdio:sh run.sh'" in leaving.advice


@pytest.mark.parametrize(("named", "better"), [("python3 lone.py", "'lone.py'"), ("x=python3 lone.py", "'x=lone.py'")])
def test_a_python_without_the_sdk_is_told_how_to_get_one_that_has_it(here: Path, named: str, better: str) -> None:
    (here / "lone.py").write_text("import arena\n")
    lines = ["ModuleNotFoundError: No module named 'arena'"]
    told = advice.after_exit(parse(named, here), 1, lines, sandboxed=True, arrived=False)
    assert f"name the bot by its file alone, {better}" in told


async def test_outside_the_sandbox_nothing_was_left_outside(here: Path) -> None:
    (here / "weights.txt").unlink()
    leaving = await end_of(parse("stdio:mybot.py", here), NoSandbox())
    assert leaving.code == 1
    assert leaving.advice == ""


@pytest.mark.parametrize(
    ("package", "told"),
    [("referee.rules", 'imports = \\["referee"\\]'), ("nosuchpackage", "requirements.txt")],
)
async def test_a_missing_package_is_told(sandbox: Sandbox, here: Path, package: str, told: str) -> None:
    (here / "lone.py").write_text(f"import {package}\n")
    leaving = await end_of(parse("stdio:lone.py", here), sandbox)
    assert leaving.advice
    assert told.replace("\\", "") in leaving.advice


def test_no_folder_is_brought_that_holds_a_home(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(here / "lib"))
    with pytest.raises(WrongUse, match="would show all of"):
        parse("folder:mybot.py", here)
    with pytest.raises(WrongUse, match="names no file"):
        parse("folder:sh -c true", here)
    with pytest.raises(WrongUse, match="needs a command behind it"):
        parse("folder:", here)


async def test_a_program_that_speaks_lines_is_recognised_whatever_its_exit_code(here: Path) -> None:
    (here / "weights.txt").write_text("0")
    leaving = await end_of(parse("mybot.py", here), NoSandbox())
    assert leaving.code == 0
    assert leaving.advice == "It seems to speak JSON lines: write stdio: before it: 'stdio:mybot.py'"
    (here / "strict.py").write_text(PLAYS + "\nsys.exit('decision, move: stdin has ended')\n")
    leaving = await end_of(parse("strict.py", here), NoSandbox())
    assert leaving.code == 1
    assert "'stdio:strict.py'" in leaving.advice


async def test_a_folder_is_told_what_its_bot_toml_lacks(here: Path) -> None:
    (here / "bot.toml").write_text('name = "x"\ngames = ["*"]\nabout = "x"\ncommand = "python3 mybot.py"\n')
    report = await examination.check(parse(str(here)), NoSandbox(), ["stop_me_go"])
    assert f'write kind = "stdio" into {here / "bot.toml"}' in report.findings[0].text


def test_a_bot_that_has_connected_and_crashes_is_not_taken_for_one_that_speaks_lines(here: Path) -> None:
    spec = parse("mybot.py", here)
    assert advice.after_exit(spec, 0, [], sandboxed=True, arrived=True) == advice.BY_ITSELF
    assert advice.after_exit(spec, 0, [], sandboxed=True, arrived=False)
