"""Zip files of strangers: what must not be unpacked is refused in one sentence, before anything is written."""

from __future__ import annotations

import stat
import struct
import zipfile
from pathlib import Path

import pytest

from referee.hosting.submission.zip_check import PackageLimits, PackageRefused, check_zip, unpack

from .zips import bot_zip, entry

FEW = PackageLimits(packed=1 << 20, unpacked=1 << 20, files=50)
LINK = stat.S_IFLNK | 0o777


def refusal(path: Path, limits: PackageLimits = FEW) -> str:
    with pytest.raises(PackageRefused) as refused:
        check_zip(path, limits).archive.close()
    text = str(refused.value)
    assert "\n" not in text
    assert not text.endswith(".")
    return text


@pytest.mark.parametrize(
    ("name", "mode", "said"),
    [
        ("/etc/passwd", stat.S_IFREG, "absolute path"),
        ("C:/boot.ini", stat.S_IFREG, "absolute path"),
        ("a/../../b", stat.S_IFREG, "leads out of it"),
        ("..", stat.S_IFREG, "leads out of it"),
        ("a\\..\\b", stat.S_IFREG, "backslash"),
        ("a//b", stat.S_IFREG, "empty part"),
        ("./a", stat.S_IFREG, "empty part"),
        ("a\nb", stat.S_IFREG, "no file name has"),
        ("link", LINK, "has a link"),
        ("pipe", stat.S_IFIFO, "neither a file nor a folder"),
        ("device", stat.S_IFCHR, "neither a file nor a folder"),
        ("BOT.toml", stat.S_IFREG, "differ only in case"),
        ("caf\u00e9", stat.S_IFREG, ""),
        ("bot.toml/x", stat.S_IFREG, "as a file and as a folder"),
        ("/".join("a" * 40), stat.S_IFREG, "folders inside each other"),
        ("x" * 300, stat.S_IFREG, "too long"),
    ],
)
def test_a_name_or_kind_that_is_not_taken_is_said_in_a_sentence(
    tmp_path: Path, name: str, mode: int, said: str
) -> None:
    path = bot_zip(tmp_path / "bot.zip", (entry(name, mode | 0o644), b"x"))
    if not said:
        check_zip(path, FEW).archive.close()
        return
    assert said in refusal(path)


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        path = bot_zip(tmp_path / "bot.zip", (entry("bot.sh"), b"other"))
    assert "bot.sh twice" in refusal(path)


def test_accents_written_in_two_ways_are_one_name(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", (entry("caf\u00e9"), b"1"), (entry("cafe\u0301"), b"2"))
    assert "case or accents" in refusal(path)


def test_a_zero_byte_in_a_name_hides_nothing(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", (entry("botXsh.txt"), b"x"))
    path.write_bytes(path.read_bytes().replace(b"botXsh.txt", b"bot\0sh.txt"))
    assert "no file name has" in refusal(path)


def test_a_bomb_is_refused_by_what_its_list_says(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", *((entry(f"zeros-{number}"), bytes(200_000)) for number in range(6)))
    assert path.stat().st_size < 20_000
    assert "more than 1 MB" in refusal(path)


def test_a_bomb_that_lies_about_its_size_is_not_unpacked_further_than_it_says(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", (entry("zeros"), bytes(500_000)))
    path.write_bytes(path.read_bytes().replace(struct.pack("<I", 500_000), struct.pack("<I", 10)))
    folder = tmp_path / "out"
    folder.mkdir()
    with pytest.raises(PackageRefused, match=r"damaged|not as long"):
        unpack(check_zip(path, FEW), folder)
    assert (folder / "zeros").stat().st_size <= 10


def test_too_many_files_are_refused_and_so_are_a_hundred_thousand(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", *((entry(f"f{number}"), b"") for number in range(60)))
    assert "lists 62 files" in refusal(path)
    many = tmp_path / "many.zip"  # the end of a zip of so many files, as all programs write it
    zip64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 100_000, 100_000, 4_600_000, 3_600_000)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, 8_200_000, 1)
    many.write_bytes(zip64 + locator + struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0, 0, 0))
    assert "65,535 files (zip64), and at most 10,000" in refusal(many, PackageLimits())


def test_a_list_that_says_it_is_short_is_not_believed(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", *((entry(f"f{number}"), b"") for number in range(60)))
    content = bytearray(path.read_bytes())
    end = content.rfind(b"PK\x05\x06")
    content[end + 8 : end + 12] = struct.pack("<HH", 1, 1)
    path.write_bytes(bytes(content))
    assert "62 files" in refusal(path)


def test_a_list_that_says_it_begins_later_than_it_does_is_damage(tmp_path: Path) -> None:
    """Python reckons the places of files from it, and would look before the beginning of the zip."""
    zipped = bot_zip(tmp_path / "bot.zip")
    data = bytearray(zipped.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    data[end + 16 : end + 20] = (0x7FFFFFFF).to_bytes(4, "little")
    zipped.write_bytes(data)
    assert refusal(zipped) == "bot.toml in the zip is damaged: pack it anew"


def test_a_zip_that_is_too_large_damaged_encrypted_or_none_is_refused(tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip")
    assert "at most" in refusal(path, PackageLimits(packed=100))
    text = tmp_path / "text.zip"
    text.write_text("this is a letter")
    assert "not a zip file" in refusal(text)
    text.write_bytes(b"")
    assert "not a zip file" in refusal(text)
    cut = tmp_path / "cut.zip"
    cut.write_bytes(path.read_bytes()[:-10])
    assert "not a zip file" in refusal(cut)
    content = bytearray(path.read_bytes())
    content[content.find(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(content))
    assert "encrypted" in refusal(path)
    empty = tmp_path / "empty.zip"
    zipfile.ZipFile(empty, "w").close()
    assert "empty" in refusal(empty)


def test_a_lone_folder_around_the_bot_is_taken_off_and_what_a_mac_adds_is_left_out(tmp_path: Path) -> None:
    more = (entry("__MACOSX/mine-main/._bot.sh"), b"x"), (entry("mine-main/data/x"), b"y")
    path = bot_zip(tmp_path / "bot.zip", *more, top="mine-main/")
    folder = tmp_path / "out"
    folder.mkdir()
    unpack(check_zip(path, FEW), folder)
    found = sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file())
    assert found == ["bot.sh", "bot.toml", "data/x"]
    modes = [stat.S_IMODE((folder / name).stat().st_mode) for name in ("bot.sh", "bot.toml", "data")]
    assert modes == [0o755, 0o644, 0o755]
