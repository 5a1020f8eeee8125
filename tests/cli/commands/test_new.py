"""`referee new`: a bot that is fit to play as it is, and nothing of the author's overwritten."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from arena import __version__
from referee.cli import main
from referee.cli.languages import LANGUAGES

GAMES = ("encore", "flip7", "stop", "stop_me_go")
BUILT = [name for name, language in LANGUAGES.items() if language.built]


@pytest.mark.parametrize("lang", [name for name, language in LANGUAGES.items() if not language.built])
def test_a_new_bot_is_fit_to_play_as_it_is(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which(lang) is None and lang != "python":
        pytest.skip(f"{lang} is not installed")
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "mybot", "--game", "stop_me_go", "--lang", lang]) == 0
    assert "referee check ./mybot" in capsys.readouterr().out
    [source] = [path for path in (tmp_path / "mybot").iterdir() if path.stem == "bot" and path.suffix != ".toml"]
    assert [mark for mark in ("(1)", "(2)", "(3)") if source.read_text().count(mark) == 1] == ["(1)", "(2)", "(3)"]
    assert not re.search(r"@\w+@", source.read_text())
    if lang != "perl":  # whose lists are written with it
        assert "@" not in source.read_text().replace("$@", "")
    assert main.main(["check", "mybot", "--json", "--matches", "1", "--no-sandbox"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert report["bot"] == "mybot"
    assert {finding["game"] for finding in report["findings"]} == {"", "stop_me_go"}


def package(folder: Path, lang: str, version: str = "0.9.1") -> Path:
    """A package of an SDK in outline, with the name and the shape that `make dist` gives it."""
    path = folder / LANGUAGES[lang].package.replace("*", version)
    if lang == "go":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"github.com/referee-arena/referee/sdk/go@v{version}/go.mod", "module sdk")
            archive.writestr(f"github.com/referee-arena/referee/sdk/go@v{version}/games/flip7v1/view.go", "package v")
    elif lang == "java":
        path.write_text("<project/>")
        path.with_suffix(".jar").write_bytes(b"a jar")
    else:
        with tarfile.open(path, "w:gz") as packed:
            for name in ("README.md", "src/lib"):
                entry = tarfile.TarInfo(f"referee-sdk-{version}/{name}")
                entry.size = 4
                packed.addfile(entry, io.BytesIO(b"text"))
    return path


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("lang", BUILT)
def test_a_bot_to_be_built_names_the_sdk_of_this_version_and_the_view_of_its_game(
    lang: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "mybot", "--game", game, "--lang", lang]) == 0
    said = capsys.readouterr()
    assert "sh mybot/build.sh" in said.out
    assert said.err.startswith(f"warning: the SDK for {lang} ")
    assert f"rm -r mybot && referee new mybot --game {game} --lang {lang} --sdk " in said.err
    files = {path: path.read_text() for path in (tmp_path / "mybot").rglob("*") if path.is_file()}
    source = files[tmp_path / "mybot" / LANGUAGES[lang].source]
    assert [mark for mark in ("(1)", "(2)", "(3)") if source.count(mark) == 1] == ["(1)", "(2)", "(3)"]
    assert not re.search(r"@\w+@", "".join(files.values()))
    assert f"referee run {game} . " in source
    assert "View" in source
    settings = tomllib.loads(files[tmp_path / "mybot" / "bot.toml"])
    assert settings["build"] == "sh build.sh"
    assert settings["games"] == [game]
    assert any(__version__ in text for path, text in files.items() if path.name in MANIFESTS)
    assert not (tmp_path / "mybot" / "sdk").exists()


def test_npm_gives_up_soon_where_there_is_no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "mybot", "--game", "flip7", "--lang", "typescript"]) == 0
    npm = tmp_path / "tools" / "npm"
    npm.parent.mkdir()
    npm.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/asked\nexit 1\n')
    npm.chmod(0o755)
    build = ["sh", "mybot/build.sh"]
    done = subprocess.run(
        build, env={"PATH": f"{npm.parent}:/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "--fetch-retries=1 --fetch-retry-mintimeout=1000" in (tmp_path / "asked").read_text()


MANIFESTS = ("package.json", "go.mod", "Cargo.toml", "pom.xml", "CMakeLists.txt")


@pytest.mark.parametrize("whole_folder", [True, False])
@pytest.mark.parametrize("lang", BUILT)
def test_the_package_of_the_sdk_comes_into_the_folder_of_the_bot(
    lang: str, whole_folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "dist"
    made.mkdir()
    for each in BUILT:
        file = package(made, each)
        if each == lang:
            mine = file
    assert main.main(["new", "mybot", "-g", "flip7", "-l", lang, "--sdk", str(made if whole_folder else mine)]) == 0
    assert capsys.readouterr().err == ""
    held = {str(path.relative_to("mybot/sdk")) for path in Path("mybot/sdk").rglob("*") if path.is_file()}
    assert (
        held
        == {
            "typescript": {"referee-sdk-0.9.1.tgz"},
            "go": {"go.mod", "games/flip7v1/view.go"},
            "rust": {"README.md", "src/lib"},
            "java": {"referee-sdk.jar", "referee-sdk.pom"},
            "cpp": {"README.md", "src/lib"},
        }[lang]
    )
    texts = [path.read_text() for path in Path("mybot").iterdir() if path.name in MANIFESTS]
    assert any("sdk" in text and ("0.9.1" in text or lang == "rust") for text in texts)


@pytest.mark.parametrize(
    ("lang", "given", "sentence"),
    [
        ("go", "nowhere", "--sdk: there is no nowhere"),
        ("go", "empty", "empty holds no referee-sdk-go-v*.zip"),
        ("go", "dist/referee-sdk-0.9.1.crate", "is not a package of the go SDK"),
        ("go", "broken/referee-sdk-go-v1.zip", "is damaged"),
        ("rust", "broken/referee-sdk-1.crate", "is damaged"),
        ("cpp", "broken", "is damaged"),
        ("java", "broken", "referee-sdk-1.jar cannot be read"),
        ("typescript", "two", "name one of them"),
        ("python", "dist", "--sdk goes with typescript, go, rust, java, cpp"),
        ("lua", "dist", "--sdk goes with typescript, go, rust, java, cpp"),
    ],
)
def test_a_package_that_cannot_be_taken_is_refused_in_one_sentence_and_no_folder_is_made(
    lang: str,
    given: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "dist", "broken", "two"):
        (tmp_path / name).mkdir()
    package(tmp_path / "dist", "rust")
    package(tmp_path / "two", "typescript", "0.1.0")
    package(tmp_path / "two", "typescript", "0.2.0")
    for name in ("referee-sdk-go-v1.zip", "referee-sdk-1.crate", "referee-sdk-1.pom"):
        (tmp_path / "broken" / name).write_bytes(b"no archive")
    with tarfile.open(tmp_path / "broken" / "referee-sdk-cpp-1.tar.gz", "w:gz") as packed:
        packed.addfile(tarfile.TarInfo("referee-sdk-cpp-1/../../outside"))
    assert main.main(["new", "mybot", "--game", "flip7", "--lang", lang, "--sdk", given]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert not (tmp_path / "mybot").exists()
    assert not (tmp_path / "outside").exists()


def test_what_to_type_next_can_be_typed_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "my bots/mine", "--game", "flip7"]) == 0
    said = capsys.readouterr().out
    assert "referee check 'my bots/mine'" in said
    assert "REFEREE_TOKEN=… python 'my bots/mine/bot.py'" in said


def test_no_token_has_to_stand_on_a_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every user of the machine can read those."""
    for language in LANGUAGES:
        assert main.main(["new", str(tmp_path / language), "--game", "flip7", "--lang", language]) == 0
        assert "REFEREE_TOKEN=… " in capsys.readouterr().out
    written = [file.read_text(encoding="utf-8") for file in tmp_path.rglob("*") if file.is_file()]
    assert written
    assert not [text for text in written if "--token TOKEN" in text]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["there", "--game", "flip7"], "there is there already"),
        (["file", "--game", "flip7"], "file is there already"),
        (["x", "--game", "flop7"], "did you mean 'flip7'?"),
        (["x", "--game", "flip7", "--lang", "pyhton"], "did you mean 'python'?"),
        (
            ["x", "--game", "flip7", "--lang", "cobol"],
            "there are: python, typescript, go, rust, java, cpp, sh, ruby, perl, lua",
        ),
        (["bad name", "--game", "flip7"], "is not a name for a bot"),
        (["x"], "--game"),
    ],
)
def test_new_refuses_in_one_sentence_and_leaves_everything_as_it_was(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("precious")
    (tmp_path / "file").write_text("precious")
    assert main.main(["new", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "mine", "there"]


@pytest.mark.parametrize("lang", ["go", "rust", "java", "cpp", "typescript", "ruby", "perl", "lua"])
def test_what_to_type_next_stands_in_columns_whatever_the_game_is_called(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "mybot", "-g", "flip7", "-l", lang]) == 0
    texts = [path.read_text() for path in Path("mybot").rglob("*") if path.is_file()]
    (text,) = [text for text in texts if "referee check ." in text]
    meanings = ("the rules, the moves", "is it fit to play?", "let it play")
    assert len({line.index(one) for line in text.splitlines() for one in meanings if f"  {one}" in line}) == 1
