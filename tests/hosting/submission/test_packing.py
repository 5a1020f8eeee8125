"""Packing a folder: the same files give the same bytes, links are refused, and caches stay at home."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from referee.hosting.submission.packing import pack
from referee.hosting.submission.zip_check import PackageLimits, check_zip, unpack
from referee.rules.game import WrongUse

from .zips import bot_folder


def packed(folder: Path, limits: PackageLimits | None = None) -> tuple[bytes, list[str]]:
    out = io.BytesIO()
    left_out = pack(folder, out, limits or PackageLimits())
    return out.getvalue(), left_out


def test_the_same_files_give_the_same_bytes_and_come_back_as_they_were(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot")
    first, _ = packed(folder)
    os.utime(folder / "bot.sh", (0, 0))
    assert packed(folder)[0] == first
    path = tmp_path / "bot.zip"
    path.write_bytes(first)
    (tmp_path / "out").mkdir()
    unpack(check_zip(path), tmp_path / "out")
    assert (tmp_path / "out" / "bot.sh").read_bytes() == (folder / "bot.sh").read_bytes()
    assert os.access(tmp_path / "out" / "bot.sh", os.X_OK)


def test_version_control_and_caches_are_not_sent(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot")
    for name in (".git", "deep/__pycache__"):
        (folder / name).mkdir(parents=True)
        (folder / name / "x").touch()
    content, left_out = packed(folder)
    assert left_out == [".git", "deep/__pycache__"]
    assert zipfile.ZipFile(io.BytesIO(content)).namelist() == ["bot.sh", "bot.toml"]


def test_what_cannot_be_sent_is_said(tmp_path: Path) -> None:
    folder = bot_folder(tmp_path / "bot")
    with pytest.raises(WrongUse, match="more than 1 files"):
        packed(folder, PackageLimits(files=1))
    with pytest.raises(WrongUse, match="more than 0 MB"):
        packed(folder, PackageLimits(unpacked=10))
    (folder / "link").symlink_to("bot.sh")
    with pytest.raises(WrongUse, match="link is a link"):
        packed(folder)
    with pytest.raises(WrongUse, match="no bot in this folder"):
        packed(tmp_path)
