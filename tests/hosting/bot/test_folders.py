"""Bot folders: found by name, checked strictly, loaded from their own files."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import WrongUse

GOOD = 'name = "cautious"\ngames = ["flip7"]\nmain = "bot.py"\nabout = "stays early"\n'


def folder(tmp_path: Path, toml: str = GOOD, code: str = "def decide(decision):\n    return 'stay'\n") -> Path:
    path = tmp_path / "cautious"
    path.mkdir()
    (path / "bot.toml").write_text(toml)
    (path / "bot.py").write_text(code)
    return path


def test_a_folder_tells_about_its_bot(tmp_path: Path) -> None:
    bot = folders.read(folder(tmp_path))
    assert (bot.name, bot.games, bot.main.name, bot.about) == ("cautious", ("flip7",), "bot.py", "stays early")
    assert bot.plays("flip7")
    assert not bot.plays("stop")


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        (GOOD + "gmaes = 1\n", "unknown key 'gmaes'; did you mean 'games'"),
        (GOOD.replace("about", "#"), "the key 'about' is missing"),
        (GOOD.replace('["flip7"]', '"flip7"'), "'games' must be a list"),
        (GOOD.replace('["flip7"]', "[]"), "'games' must be a list"),
        (GOOD.replace('"stays early"', "3"), "'about' must be a text"),
        (GOOD.replace('"cautious"', '"bold"'), "the folder is called 'cautious'"),
        (GOOD.replace("bot.py", "main.py"), "not a file in this folder"),
        (GOOD.replace("bot.py", "../cautious.py"), "not a file in this folder"),
        ("name = \n", "not TOML"),
    ],
)
def test_a_broken_description_is_refused(tmp_path: Path, toml: str, words: str) -> None:
    (tmp_path / "cautious.py").write_text("")
    with pytest.raises(WrongUse, match=words):
        folders.read(folder(tmp_path, toml))


def test_a_bot_may_be_split_into_several_files(tmp_path: Path) -> None:
    path = folder(tmp_path, code="from habits import MOVE\ndef decide(decision):\n    return MOVE\n")
    (path / "habits.py").write_text("MOVE = 'hit'\n")
    assert folders.load(folders.read(path))(None) == "hit"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nothing_like_it\n", "cannot be loaded: ModuleNotFoundError"),
        ("def decide(\n", "cannot be loaded: SyntaxError"),
        ("raise SystemExit(3)\n", "cannot be loaded: SystemExit"),
        ("answer = 42\n", "neither a function decide"),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_named(tmp_path: Path, code: str, words: str) -> None:
    with pytest.raises(WrongUse, match=words):
        folders.load(folders.read(folder(tmp_path, code=code)))


def test_a_bot_in_another_language_cannot_play_in_process(tmp_path: Path) -> None:
    path = folder(tmp_path, GOOD.replace("bot.py", "bot.js"))
    (path / "bot.js").write_text("")
    with pytest.raises(WrongUse, match="cannot play in this process"):
        folders.load(folders.read(path))


def test_bots_of_others_are_found_through_the_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots").mkdir()
    folder(tmp_path / "bots")
    metadata = tmp_path / "site" / "club_bots-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bots\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[referee.bots]\nclub = club_bots:PLACE\n")
    (tmp_path / "site" / "club_bots.py").write_text(f"PLACE = {str(tmp_path / 'bots')!r}\n")
    monkeypatch.setattr(folders, "house", lambda: tmp_path / "nowhere")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert folders.names("flip7") == ["cautious"]
    assert folders.names("stop") == []
    assert folders.find("cautious").path == tmp_path / "bots" / "cautious"


def test_every_house_bot_is_in_order_and_plays_known_games() -> None:
    assert folders.house().is_dir()
    for name in folders.names():
        bot = folders.find(name)
        if bot.main.suffix == ".py":
            assert callable(folders.load(bot))
        assert set(bot.games) <= {"*", *registry.names()}
