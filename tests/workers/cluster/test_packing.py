"""Bots packed for other machines: the same bytes for the same files, nothing from elsewhere, nothing that leads out."""

from __future__ import annotations

import io
import os
import tarfile
from pathlib import Path

import pytest

from referee.hosting.bot.spec import parse
from referee.rules.game import WrongUse
from referee.workers.cluster.bot_cache import BotCache
from referee.workers.cluster.packing import digest_of, pack, unpack

BOT = "import arena\narena.run(lambda decision: decision.legal[0])\n"


def bot_folder(place: Path) -> Path:
    folder = place / "mine"
    (folder / "deep").mkdir(parents=True)
    (folder / "bot.toml").write_text('name = "mine"\ngames = ["flip7"]\nabout = "x"\nmain = "bot.py"\n')
    (folder / "bot.py").write_text(BOT)
    (folder / "deep" / "table.txt").write_text("1 2 3")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o700)
    return folder


def test_the_same_files_make_the_same_archive_wherever_and_whenever_they_lie(tmp_path: Path) -> None:
    one, two = bot_folder(tmp_path / "one"), bot_folder(tmp_path / "two")
    os.utime(two / "bot.py", (1, 1))
    (two / "__pycache__").mkdir()
    (two / "__pycache__" / "bot.pyc").write_bytes(b"x")
    first, second = (pack(parse(str(folder), tmp_path), tmp_path) for folder in (one, two))
    assert first.digest == second.digest
    (two / "deep" / "table.txt").write_text("1 2 4")
    assert pack(parse(str(two), tmp_path), tmp_path).digest != first.digest


def test_an_unpacked_bot_is_named_by_its_text_and_may_be_read_by_others(tmp_path: Path) -> None:
    packed = pack(parse("mine", bot_folder(tmp_path).parent), tmp_path)
    unpack(packed.data, packed.digest, tmp_path / "there")
    spec = parse(packed.text, tmp_path / "there")
    assert (spec.name, spec.folder) == ("mine", (tmp_path / "there").resolve())
    assert (tmp_path / "there" / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "there" / "bot.py").stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("lone.py", "./lone.py"),
        ("named=lone.py", "./lone.py"),
        ("folder:lone.py", "folder:./lone.py"),
        ("stdio:sh deep/lines.sh", "stdio:sh deep/lines.sh"),
    ],
)
def test_files_and_commands_are_packed_below_one_top(tmp_path: Path, text: str, there: str) -> None:
    home = tmp_path / "home"
    (home / "deep").mkdir(parents=True)
    (home / "lone.py").write_text(BOT)
    (home / "deep" / "lines.sh").write_text("exit\n")
    packed = pack(parse(text, home), home)
    assert packed.text == there
    unpack(packed.data, packed.digest, tmp_path / "top")
    assert parse(packed.text, tmp_path / "top").files[0].is_relative_to(tmp_path / "top")


def test_house_bots_are_not_sent(tmp_path: Path) -> None:
    packed = pack(parse("cautious", tmp_path), tmp_path)
    assert (packed.text, packed.data, packed.digest) == ("cautious", b"", "")


def test_files_outside_and_links_that_lead_out_are_refused(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "other.sh").write_text("exit\n")
    with pytest.raises(WrongUse, match=r"its command names .*other\.sh|lies outside"):
        pack(parse(f"stdio:sh {tmp_path / 'other.sh'}", tmp_path / "home"), tmp_path / "home")
    folder = bot_folder(tmp_path)
    (folder / "out").symlink_to("/etc/passwd")
    with pytest.raises(WrongUse, match="a link leads out of it"):
        pack(parse("mine", tmp_path), tmp_path)


def test_an_archive_that_is_not_the_promised_one_or_leads_out_is_not_unpacked(tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="arrived damaged"):
        unpack(b"something", digest_of(b"something else"), tmp_path / "one")
    evil = io.BytesIO()
    with tarfile.open(fileobj=evil, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../outside"), io.BytesIO())
    with pytest.raises(WrongUse, match="cannot be unpacked"):
        unpack(evil.getvalue(), digest_of(evil.getvalue()), tmp_path / "two")
    assert not (tmp_path / "outside").exists()


async def test_a_bot_is_built_once_kept_while_it_is_used_and_removed_when_there_is_too_much(tmp_path: Path) -> None:
    packed = pack(parse("mine", bot_folder(tmp_path).parent), tmp_path)
    (tmp_path / "cache").mkdir()
    cache = BotCache(tmp_path / "cache", most=0)
    built: list[Path] = []

    async def build(place: Path) -> None:
        built.append(place)

    assert cache.missing([packed.digest]) == [packed.digest]
    half = len(packed.data) // 2
    for offset in (half, 0, half):  # in any order, and twice
        cache.arrived(packed.digest, offset, packed.data[offset : offset + half + 1])
    place = await cache.use(packed.digest, build)
    assert await cache.use(packed.digest, build) == place
    assert built == [place]
    assert cache.missing([packed.digest]) == []
    cache.leave([packed.digest])
    assert place.is_dir()
    cache.leave([packed.digest])
    assert not place.exists()


async def test_a_bot_that_did_not_arrive_whole_or_cannot_be_built_leaves_nothing_behind(tmp_path: Path) -> None:
    packed = pack(parse("mine", bot_folder(tmp_path).parent), tmp_path)
    (tmp_path / "cache").mkdir()
    cache = BotCache(tmp_path / "cache")

    async def fails(place: Path) -> None:
        raise WrongUse("it cannot be built")

    cache.arrived(packed.digest, 0, packed.data[:100])
    with pytest.raises(WrongUse, match="arrived damaged"):
        await cache.use(packed.digest, fails)
    cache.arrived(packed.digest, 0, packed.data)
    with pytest.raises(WrongUse, match="it cannot be built"):
        await cache.use(packed.digest, fails)
    assert list((tmp_path / "cache").iterdir()) == []
    with pytest.raises(WrongUse, match="is no SHA-256"):
        cache.arrived("../../etc/passwd", 0, b"x")
