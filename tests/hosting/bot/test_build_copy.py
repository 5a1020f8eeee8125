"""What comes back from a build: plain files, folders and links that stay inside, and not too much of them."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest
from tests.hosting.bot.built_folder import FIRST_LEGAL, built, folder

from referee.hosting.bot import build_copy
from referee.hosting.bot.build import build
from referee.hosting.bot.spec import parse
from referee.rules.game import WrongUse


def test_a_build_makes_files_in_the_bots_folder_and_sees_where_it_is(place: Path) -> None:
    path = built(place, "pwd > where; mkdir -p a/b; echo deep > a/b/c; rm bot.src.old 2>/dev/null; ln -s a/b/c link")
    assert (path / "where").read_text() == f"{path}\n"
    assert (path / "a" / "b" / "c").read_text() == "deep\n"
    assert os.readlink(path / "link") == "a/b/c"
    assert (path / "bot.py").read_text() == FIRST_LEGAL
    assert {one.stat().st_uid for one in path.rglob("*")} == {os.getuid()}


def test_what_a_build_changes_and_removes_is_changed_and_removed(place: Path) -> None:
    path = folder(
        place, "rm old; rm -r gone; echo new > changed; rm swapped; mkdir swapped; touch swapped/x; touch bot.py"
    )
    for name in ("old", "changed", "kept", "swapped"):
        (path / name).write_text("before")
    (path / "gone" / "inner").mkdir(parents=True)
    os.utime(path / "kept", (1, 1))
    inode = (path / "kept").stat().st_ino
    asyncio.run(build([parse(str(path))]))
    assert not (path / "old").exists()
    assert not (path / "gone").exists()
    assert (path / "changed").read_text() == "new\n"
    assert (path / "swapped" / "x").exists()
    assert ((path / "kept").read_text(), (path / "kept").stat().st_ino) == ("before", inode)


def test_nothing_but_plain_files_comes_back(place: Path) -> None:
    path = built(
        place,
        "cp /bin/sh shell; chmod 6755 shell; mkdir sticky; chmod 7777 sticky; mkfifo pipe;"
        "echo x > closed; chmod 0 closed;"
        "mkdir shut; echo x > shut/y; chmod 0 shut;"
        "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"sock\")'; ln -s pipe to-pipe; ln shell twin",
    )
    assert {stat.S_IFMT(one.lstat().st_mode) for one in path.rglob("*")} <= {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}
    assert not [one for one in path.rglob("*") if not one.is_symlink() and one.stat().st_mode & 0o7022]
    assert not [one for one in (path / "pipe", path / "sock") if os.path.lexists(one)]
    assert (path / "shell").stat().st_nlink == 1
    assert os.access(path / "shell", os.X_OK)
    needed = 0o004 if os.geteuid() == 0 else 0o400
    assert all((path / name).stat().st_mode & needed for name in ("closed", "shut/y", "bot.py"))


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("out", "/etc/shadow"),
        ("out", "../secret"),
        ("out", "a/../../secret"),
        ("out", "/usr/../etc/shadow"),
        ("a/out", "../../secret"),
        ("out", "{folder}/../secret"),
        ("bot.toml", "../other/bot.toml"),
    ],
)
def test_a_link_out_of_the_folder_is_told_and_nothing_is_taken_over(link: str, target: str, place: Path) -> None:
    path = folder(
        place, f"mkdir a; touch bot.py made; rm -f {link}; ln -s {target.format(folder=place / 'entry')} {link}"
    )
    before = sorted(one.name for one in path.rglob("*"))
    with pytest.raises(WrongUse, match="it made a link that leads out of the folder") as refused:
        asyncio.run(build([parse(str(path))]))
    assert str(link) in str(refused.value)
    assert sorted(one.name for one in path.rglob("*")) == before
    assert not (path / "bot.toml").is_symlink()


def test_links_inside_the_folder_and_to_the_system_and_those_of_before_stay(place: Path) -> None:
    path = folder(
        place,
        f"mkdir -p a/b; ln -s ../../bot.src a/b/up; ln -s /usr/bin/env env; ln -s {place}/entry/a abs; touch bot.py",
    )
    (path / "hosts").symlink_to(place)
    asyncio.run(build([parse(str(path))]))
    assert (path / "a" / "b" / "up").read_text() == FIRST_LEGAL
    assert os.readlink(path / "env") == "/usr/bin/env"
    assert (path / "abs").is_dir()
    assert os.readlink(path / "hosts") == str(place)


@pytest.mark.parametrize(
    ("name", "most", "script", "sentence"),
    [
        (
            "MOST_FILES",
            20,
            "for i in 1 2 3 4 5 6 7 8 9 a b c d e f g h i j k; do touch n$i; done",
            "more than 20 files",
        ),
        ("MOST_BYTES", 3 << 20, "truncate -s 4M hole", "more than 3 MB"),
        ("DEEPEST", 5, "mkdir -p 1/2/3/4/5/6/7", "more than 5 folders inside each other"),
    ],
)
def test_too_much_is_told_and_nothing_of_it_taken_over(
    name: str, most: int, script: str, sentence: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_copy, name, most)
    with pytest.raises(WrongUse, match=sentence):
        built(place, script)
    assert sorted(one.name for one in (place / "entry").iterdir()) == ["bot.src", "bot.toml", "build.sh"]


def test_a_folder_without_end_is_refused_and_cleared_away(place: Path) -> None:
    deep = "python3 -c 'import os\nfor _ in range(3000): os.mkdir(chr(100)); os.chdir(chr(100))'; chmod 0 d"
    with pytest.raises(WrongUse, match="more than 64 folders inside each other"):
        built(place, deep)


def test_copies_of_killed_referees_are_cleared_away(place: Path) -> None:
    dead = place / "copies" / "referee-build-dead"
    (dead / "folder" / "closed").mkdir(parents=True)
    (dead / "folder" / "closed").chmod(0)
    with build_copy.staged(folder(place, ""), os.getuid()) as living:
        build_copy._clear_away(str(place / "copies"))
        assert living.copy.is_dir()
        assert not dead.exists()
