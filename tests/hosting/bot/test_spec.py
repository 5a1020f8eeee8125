"""What a person writes where a bot is wanted, and what is meant by it."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from referee.hosting.bot import folders, programs
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.rules.game import WrongUse


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with bots of every kind."""
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "bot.toml").write_text(
        'name = "mine"\ngames = ["flip7", "stop"]\ncommand = "sh run.sh --fast"\nkind = "stdio"\n'
        'build = "make all"\nmemory = 64\nabout = "A test"\n'
    )
    (mine / "run.sh").write_text("")
    plain = tmp_path / "plain folder"
    plain.mkdir()
    (plain / "bot.py").write_text("")
    (tmp_path / "lone.py").write_text("")
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "mine.zip").write_text("")
    for name, first in (("windows", "#!/bin/sh\r"), ("strange", "#!/no/such/thing")):
        (tmp_path / name).write_text(f"{first}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_a_house_bot_is_meant_by_its_name_and_can_run_as_a_program_of_its_own(here: Path) -> None:
    spec = parse("random", here)
    assert (spec.name, spec.kind, spec.games) == ("random", Kind.HOUSE, ())
    assert spec.argv == (sys.executable, str(folders.house().resolve() / "random" / "bot.py"))
    assert parse("builtin:random", here).argv == spec.argv


def test_a_house_bot_that_is_no_python_runs_as_a_program(here: Path) -> None:
    spec = parse("awk", here)
    assert spec.kind is Kind.STDIO
    assert spec.folder == folders.house().resolve() / "awk"


def test_a_folder_is_a_bot_as_its_bot_toml_says(here: Path) -> None:
    spec = parse("mine", here)
    assert (spec.name, spec.kind, spec.games, spec.memory) == ("mine", Kind.STDIO, ("flip7", "stop"), 64 << 20)
    assert spec.argv[0].endswith("/sh")
    assert spec.argv[1:] == ("run.sh", "--fast")
    assert (spec.cwd, spec.folder, spec.build) == (here / "mine", here / "mine", ("make", "all"))
    assert spec.plays("stop")
    assert not spec.plays("encore")
    assert parse("./mine/", here).argv == spec.argv


def test_a_folder_with_just_a_bot_py_is_a_bot_for_every_game(here: Path) -> None:
    spec = parse("plain folder", here)
    assert (spec.name, spec.kind) == ("plain-folder", Kind.GRPC)
    assert spec.argv == (sys.executable, str(here / "plain folder" / "bot.py"))
    assert spec.plays("anything")


def test_a_lone_python_file_is_a_bot_named_after_it(here: Path) -> None:
    spec = parse("lone.py", here)
    assert (spec.name, spec.kind, spec.folder, spec.files) == ("lone", Kind.GRPC, None, (here / "lone.py",))


def test_a_command_is_a_bot_and_may_read_the_files_it_names_but_not_the_whole_place(here: Path) -> None:
    spec = parse("sh lone.py notes.txt . --depth 3", here)
    assert spec.argv[0].endswith("/sh")
    assert spec.argv[1:] == ("lone.py", "notes.txt", ".", "--depth", "3")
    assert spec.files == (here / "lone.py", here / "notes.txt")
    assert (spec.name, spec.cwd) == ("lone", here)
    assert parse("./program --deep", here).files == (here / "program",)


def test_stdio_before_any_of_them_means_json_lines(here: Path) -> None:
    assert parse("stdio:sh -c 'cat'", here).kind is Kind.STDIO
    assert parse("stdio:sh -c 'cat'", here).argv[1:] == ("-c", "cat")
    assert parse("stdio:lone.py", here).argv == (sys.executable, str(here / "lone.py"))
    assert parse("stdio: ./program", here).kind is Kind.STDIO


def test_a_script_inside_a_word_is_not_taken_for_a_file(here: Path) -> None:
    assert parse("sh -c 'cat x | awk -f bot.awk'", here).argv[1:] == ("-c", "cat x | awk -f bot.awk")
    assert parse(f"sh -c {'x' * 5000}", here).files == ()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "a bot is missing"),
        ("randm", "did you mean 'random'?"),
        ("qqqqqq", "house bots are: "),
        ("builtin:nobody", "unknown bot 'nobody'"),
        ("stdio:", "needs a command"),
        ("no/such/folder", "there is no program"),
        ("missing.py", "neither a house bot"),
        ("sh missing.js", "there is no file"),
        ("nosuchprogram --fast", "no program 'nosuchprogram' on the PATH"),
        ("./notes.txt", "chmod +x"),
        ("./notes.txt --fast", "chmod +x"),
        ("empty", "neither bot.toml nor bot.py"),
        (".", "there is one in mine"),
        ("windows", "end as on Windows (CR LF)"),
        ("./windows --fast", "end as on Windows (CR LF)"),
        ("./strange --fast", "is to be run by /no/such/thing, which is not there"),
        ("program --fast", "the one in"),
        ("mine.zip", "is an archive: unpack it"),
        ("sh 'unclosed", "cannot be read"),
    ],
)
def test_what_cannot_be_meant_is_told_in_one_sentence(here: Path, text: str, sentence: str) -> None:
    with pytest.raises(WrongUse) as told:
        parse(text, here)
    assert sentence in str(told.value)
    assert "\n" not in str(told.value)


def test_a_folder_here_with_the_name_of_a_house_bot_has_to_be_made_clear(here: Path) -> None:
    (here / "random").mkdir()
    (here / "random" / "bot.py").write_text("")
    with pytest.raises(WrongUse, match=r"builtin:random or mine=\./random"):
        parse("random", here)
    assert parse("mine=./random", here).folder == here / "random"
    assert parse("builtin:random", here).kind is Kind.HOUSE


def test_a_folder_without_a_bot_does_not_stand_in_the_way_of_a_house_bot(here: Path) -> None:
    (here / "random").mkdir()
    assert parse("random", here).kind is Kind.HOUSE
    with pytest.raises(WrongUse, match="no bot in this folder"):
        parse("./random", here)
    (here / "random" / "bot.toml").write_text("nonsense")
    with pytest.raises(WrongUse, match=r"bot\.toml"):  # it is meant to be one
        parse("random", here)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('kind = "telepathy"', "'kind' is 'grpc' or 'stdio'"),
        ("memory = 2", "16 or more"),
        ("memory = true", "16 or more"),
        ('main = "run.sh"', "either 'main'"),
        ("build = 7", "'build' is a command line"),
        ("build = ''", "'build' is empty"),
        ("build = 'make && make install'", "no shell reads it"),
        ('colour = "red"', "unknown key 'colour'"),
    ],
)
def test_a_wrong_bot_toml_is_told_with_its_file(here: Path, line: str, sentence: str) -> None:
    (here / "mine" / "bot.toml").write_text(
        f'name = "mine"\ngames = ["*"]\ncommand = "sh run.sh"\nabout = "x"\n{line}\n'
    )
    with pytest.raises(WrongUse) as told:
        parse("mine", here)
    assert sentence in str(told.value)
    assert "bot.toml" in str(told.value)


def test_a_program_in_the_folder_is_told_from_one_on_the_path(here: Path) -> None:
    (here / "mine" / "bot.toml").write_text('name = "mine"\ngames = ["*"]\ncommand = "run.sh"\nabout = "x"\n')
    with pytest.raises(WrongUse, match=r"is meant by '\./run\.sh'"):
        parse("mine", here)


def test_an_unpacked_folder_may_have_another_name_and_a_mark_before_its_text(here: Path) -> None:
    (here / "mine").rename(here / "mine-main")
    toml = here / "mine-main" / "bot.toml"
    toml.write_text("\ufeff" + toml.read_text())
    assert parse("mine-main", here).name == "mine"


def test_a_version_managers_stand_in_gives_way_to_the_program_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "langenv" / "versions" / "1" / "bin" / "lang"
    for path, text in (
        (real, "#!/bin/sh\n"),
        (tmp_path / "langenv" / "shims" / "lang", "#!/bin/sh\n"),
        (tmp_path / "langenv" / "bin" / "langenv", f'#!/bin/sh\n[ "$*" = "which lang" ] && echo {real}\n'),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/langenv/shims:{os.environ['PATH']}")
    programs.on_path.cache_clear()
    assert parse("lang --fast", tmp_path).argv == (str(real), "--fast")
    (tmp_path / "langenv" / "bin" / "langenv").unlink()
    programs.on_path.cache_clear()
    assert parse("lang", tmp_path).argv == (str(tmp_path / "langenv" / "shims" / "lang"),)
    programs.on_path.cache_clear()


def test_house_bots_that_are_programs_of_their_own_are_not_offered_to_play_inside() -> None:
    assert {"shell", "awk", "random"} <= set(folders.names())
    assert not {"shell", "awk"} & set(folders.names(inside=True))
    assert "random" in folders.names("flip7", inside=True)
    with pytest.raises(WrongUse, match="a program of its own"):
        folders.load(folders.find("awk"))


def test_a_program_that_is_still_to_be_built_is_told_with_the_command_that_builds_it(here: Path) -> None:
    folder = here / "compiled"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "compiled"\ngames = ["flip7"]\ncommand = "./compiled"\nabout = "x"\n')
    (folder / "Makefile").write_text("build:\n")
    with pytest.raises(
        WrongUse, match=rf"there is no program {folder}/compiled; build it first: make -C {folder} build"
    ):
        parse("compiled", here)


@pytest.mark.parametrize("text", ["mine", "random", "lone.py", "./program --deep", "stdio:sh mine/run.sh", "ann=mine"])
def test_a_worker_is_told_the_whole_bot_and_reads_no_file_again(here: Path, text: str) -> None:
    bot = parse(text, here)
    assert BotSpec.from_value(json.loads(json.dumps(bot.to_value()))) == bot


def test_a_folder_that_many_entrants_name_is_read_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = tomllib.loads

    def watched(text: str) -> dict[str, Any]:
        read.append(text)
        return whole(text)

    monkeypatch.setattr("tomllib.loads", watched)
    assert len({parse(f"bot{number}=mine", here).name for number in range(20)}) == 20
    assert len(read) == 1
    file = here / "mine" / "bot.toml"
    file.write_text(file.read_text().replace("memory = 64", "memory = 128"))
    assert parse("mine", here).memory == 128 << 20
    assert len(read) == 2
