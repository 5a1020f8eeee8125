"""A database file that is removed or replaced while it is in use: noticed at the next write, and rescued."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.store import FileGone, Store


def removed(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replaced(path: Path) -> None:
    moved(path)
    path.write_bytes(b"")


@pytest.mark.parametrize("happens", [removed, moved, replaced])
def test_nothing_is_written_to_a_file_that_has_lost_its_name_and_what_it_held_is_rescued(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    path, rescued = tmp_path / "hall.db", tmp_path / "hall.db-rescued"
    with Store.open(str(path)) as store:
        store.bots.add("ada")
        happens(path)
        for _ in range(2):
            with pytest.raises(FileGone, match="was removed or replaced by another file while it was in use") as told:
                store.bots.add("bob")
        assert f"all that was stored is in {rescued}" in str(told.value)
    assert [one.name for one in tmp_path.iterdir() if "rescued" in one.name] == ["hall.db-rescued"]
    assert rescued.stat().st_mode & 0o777 == 0o600
    os.replace(rescued, path)
    with Store.open(str(path)) as store:
        assert [bot.name for bot in store.bots.all()] == ["ada"]
        store.bots.add("bob")


def test_an_earlier_rescue_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    (tmp_path / "hall.db-rescued").write_text("of another day")
    with Store.open(str(path)) as store:
        store.bots.add("ada")
        removed(path)
        with pytest.raises(FileGone, match=r"hall\.db-rescued-2"):
            store.bots.add("bob")
    assert (tmp_path / "hall.db-rescued").read_text() == "of another day"


def test_where_nothing_can_be_copied_it_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "hall.db"
    with Store.open(str(path)) as store:
        store.bots.add("ada")
        removed(path)
        for other in folder.iterdir():
            other.unlink()
        folder.rmdir()
        with pytest.raises(FileGone, match="could not be copied"):
            store.bots.add("bob")


def test_a_file_that_stays_where_it_is_may_be_linked_and_changed_in_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "hall.db"
    with Store.open(str(path)) as store:
        os.link(path, tmp_path / "also.db")
        path.chmod(0o640)
        store.bots.add("ada")
