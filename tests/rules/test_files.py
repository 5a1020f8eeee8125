"""A file that an option names is opened only where the caller allows it, and never read without a bound."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from referee.rules.files import NO_FILES, AnyFile, Files, FilesInside, Missing
from referee.rules.scenario import ScenarioUnreadable, load

HARLEQUIN = Path(__file__).parents[1] / "scenarios" / "encore" / "harlequin_sheet.json"


def read(files: Files, name: str, most: int = 100) -> str:
    return files.read_text(name, "map file", most)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file of 100 bytes, a folder with another, and much that is none."""
    inside = tmp_path / "inside"
    (inside / "below").mkdir(parents=True)
    (inside / "map.txt").write_text("m" * 100)
    (inside / "below" / "map.txt").write_text("below")
    (inside / "link.txt").symlink_to("map.txt")
    (inside / "ring.txt").symlink_to("ring.txt")
    (inside / "out.txt").symlink_to("../secret.txt")
    (inside / "up").symlink_to("..")
    (inside / "zero.txt").symlink_to("/dev/zero")
    (inside / "latin.txt").write_bytes(b"\xe9")
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside too").mkdir()
    (tmp_path / "inside too" / "map.txt").write_text("secret")
    os.mkfifo(inside / "pipe.txt")
    return inside


@pytest.mark.parametrize("name", ["map.txt", "nowhere.txt", "pipe.txt", "/dev/zero", "below", "a\0b"])
def test_without_files_none_is_opened_and_the_sentence_is_always_the_same(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError, match=r"^a map file is read only where a person names it on the command line: "):
        read(NO_FILES, name)


def test_a_person_may_name_any_file(folder: Path) -> None:
    files = AnyFile(folder)
    assert read(files, "map.txt") == "m" * 100
    assert read(files, "../secret.txt") == read(files, str(folder.parent / "secret.txt")) == "secret"
    assert read(files, "out.txt") == "secret"


def test_a_person_may_name_a_pipe(folder: Path) -> None:
    writer = threading.Thread(target=lambda: (folder / "pipe.txt").write_text("through a pipe"))
    writer.start()
    assert read(AnyFile(folder), "pipe.txt") == "through a pipe"
    writer.join()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/dev/zero", "'/dev/zero' cannot be read: it is larger than 100 bytes"),
        ("below", "cannot be read: Is a directory"),
        ("ring.txt", "cannot be read: Too many levels of symbolic links"),
        ("latin.txt", "is not UTF-8 text"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_what_a_person_cannot_have_is_said(name: str, words: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=words):
        read(AnyFile(folder), name)


@pytest.mark.parametrize("kind", [AnyFile, FilesInside])
def test_a_file_is_read_up_to_its_bound_and_not_a_byte_further(
    kind: type[AnyFile] | type[FilesInside], folder: Path
) -> None:
    assert len(read(kind(folder), "map.txt", 100)) == 100
    with pytest.raises(ValueError, match="it is larger than 99 bytes"):
        read(kind(folder), "map.txt", 99)
    with pytest.raises(Missing, match=r"there is no map file '.*nowhere.txt'"):
        read(kind(folder), "nowhere.txt")


def test_a_long_file_is_read_whole(folder: Path) -> None:
    long = "0123456789" * 30_000
    (folder / "long.txt").write_text(long)
    assert read(AnyFile(folder), "long.txt", len(long)) == long
    with pytest.raises(ValueError, match="it is larger than 299,999 bytes"):
        read(AnyFile(folder), "long.txt", len(long) - 1)


@pytest.mark.parametrize(
    ("name", "text"), [("below/map.txt", "below"), ("link.txt", "m" * 100), ("up/inside/below/map.txt", "below")]
)
def test_a_file_inside_is_found_also_by_a_link_that_stays_inside(name: str, text: str, folder: Path) -> None:
    assert read(FilesInside(folder), name) == text


@pytest.mark.parametrize(
    "name", ["../secret.txt", "out.txt", "up/secret.txt", "ABSOLUTE", "../inside too/map.txt", "/dev/zero", "zero.txt"]
)
def test_no_path_and_no_link_leads_out(name: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=r"it must lie in the folder '.*inside' or below it"):
        read(FilesInside(folder), name.replace("ABSOLUTE", str(folder / "map.txt")))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pipe.txt", "it is no regular file"),
        ("below", "it is no regular file"),
        (".", "it is no regular file"),
        ("ring.txt", "cannot be read: .*loop"),
        ("a\0b", "cannot be read: embedded null byte"),
    ],
)
def test_inside_a_folder_only_regular_files_are_read(name: str, words: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=words):
        read(FilesInside(folder), name)


def test_a_scenario_reads_files_of_its_own_folder_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "encore").mkdir()
    (tmp_path / "encore" / "mine.json").write_bytes(HARLEQUIN.read_bytes())
    (tmp_path / "other.json").write_bytes(HARLEQUIN.read_bytes())

    def scenario(sheet: str) -> Path:
        path = tmp_path / "encore" / "case.toml"
        path.write_text(f'game = "encore"\nplayers = 2\noptions = {{ sheet = "{sheet}" }}\nscript = "over = no"\n')
        return path

    assert load(scenario("mine.json")).options["sheet"]["name"]
    for outside in ("../other.json", tmp_path / "other.json", tmp_path / "encore" / "mine.json", "/dev/zero"):
        with pytest.raises(ScenarioUnreadable, match=r"case.toml:3: .*must lie in the folder"):
            load(scenario(str(outside)))
