"""The content store: a package has its digest for a name, is whole or not there, and what is refused leaves nothing."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from referee.hosting.submission.content_store import ContentStore, MissingPackage, digest_of
from referee.hosting.submission.zip_check import PackageRefused

from .zips import TOML, bot_folder, bot_zip, entry


@pytest.fixture
def store(tmp_path: Path) -> ContentStore:
    made = ContentStore(tmp_path / "submissions")
    made.open()
    return made


def everything(store: ContentStore) -> list[str]:
    return sorted(path.relative_to(store.folder).as_posix() for path in store.folder.rglob("*") if path.is_file())


def test_a_package_lies_under_the_digest_of_its_files_whatever_it_was_packed_in(
    store: ContentStore, tmp_path: Path
) -> None:
    package = store.take(bot_zip(tmp_path / "bot.zip"))
    assert package.digest == digest_of(bot_folder(tmp_path / "same"))
    assert package.digest == store.take(bot_zip(tmp_path / "again.zip", top="mine/")).digest
    assert package.digest != digest_of(bot_folder(tmp_path / "other", "another"))
    assert (package.files, package.size) == (2, sum(path.stat().st_size for path in (tmp_path / "same").iterdir()))
    assert everything(store) == [f"packages/{package.digest}/bot.sh", f"packages/{package.digest}/bot.toml"]
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (TOML.replace("games", "game"), "bot.toml: unknown key 'game'"),
        ("", "bot.toml: the key 'name' is missing"),
        (TOML.replace('command = "sh bot.sh"', 'main = "none.py"'), "'main' names 'none.py'"),
    ],
)
def test_what_is_no_bot_is_refused_and_leaves_nothing(
    store: ContentStore, tmp_path: Path, toml: str, said: str
) -> None:
    with pytest.raises(PackageRefused) as refused:
        store.take(bot_zip(tmp_path / "bot.zip", toml=toml))
    assert said in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert everything(store) == []


def test_a_damaged_zip_leaves_nothing(store: ContentStore, tmp_path: Path) -> None:
    path = bot_zip(tmp_path / "bot.zip", (entry("data"), bytes(range(256)) * 40))
    content = bytearray(path.read_bytes())
    content[content.rfind(b"data", 0, content.find(b"PK\x01\x02")) + 20] ^= 0xFF
    path.write_bytes(bytes(content))
    with pytest.raises(PackageRefused, match="damaged"):
        store.take(path)
    assert sorted(path.name for path in store.folder.rglob("*")) == ["built", "incoming", "packages"]


def test_what_a_killed_server_was_unpacking_is_removed_by_the_next(store: ContentStore) -> None:
    (store.folder / "incoming" / "unpack-x" / "files").mkdir(parents=True)
    store.receive()
    ContentStore(store.folder).open()
    assert list((store.folder / "incoming").iterdir()) == []


def test_what_is_built_is_a_copy_of_what_was_submitted(store: ContentStore, tmp_path: Path) -> None:
    package = store.take(bot_zip(tmp_path / "bot.zip"))
    built = store.lay_out(package.digest, 7)
    assert digest_of(built) == package.digest
    (built / "made").touch()
    assert not (store.lay_out(package.digest, 7) / "made").exists()
    (store.package(package.digest) / "bot.sh").write_text("evil")
    with pytest.raises(MissingPackage, match="were changed"):
        store.lay_out(package.digest, 8)
    store.drop(package.digest)
    with pytest.raises(MissingPackage, match="are missing"):
        store.lay_out(package.digest, 8)
    store.drop_built(7)
    assert everything(store) == []
