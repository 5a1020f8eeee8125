"""Workers seen from the process that gives them matches."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import pytest

from referee.workers.worker_pool import Hosting, WorkersFailed, WorkersVenue

from ..waiting import PATIENCE


@pytest.mark.parametrize("last_words", ['{"say":"pla', '{"say":"played","match":"cup/1"}\\n{"events":'])
async def test_a_worker_that_dies_in_the_middle_of_a_line_is_known_to_be_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last_words: str
) -> None:
    dying = tmp_path / "dying"
    dying.write_text(f"#!/bin/sh\nread order\nprintf '{last_words}'\nexit 1\n")
    dying.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(dying))
    venue = WorkersVenue(Hosting({}))
    await venue.open()
    with pytest.raises(WorkersFailed, match="keep dying"):
        await asyncio.wait_for(asyncio.shield(venue.failed), PATIENCE)
    await venue.close()


async def test_a_worker_that_cannot_be_replaced_ends_the_run_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    real, starts = asyncio.create_subprocess_exec, iter(range(9))

    async def once(*arguments: Any, **named: Any) -> Any:
        if next(starts):
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return await real("/bin/sh", "-c", "exit 1", **named)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", once)
    venue = WorkersVenue(Hosting({}))
    await venue.open()
    with pytest.raises(WorkersFailed, match="temporarily unavailable"):
        await asyncio.wait_for(asyncio.shield(venue.failed), PATIENCE)
    await venue.close()


async def test_bots_of_an_interrupted_match_start_anew_and_are_dealt_the_same(tmp_path: Path) -> None:
    venue = WorkersVenue(Hosting({}))
    assert venue.same_deal(["ada", "bob"], interrupted=True)
    assert not venue.same_deal(["ada", "bob"], interrupted=False)  # they live on, and have been told the seed
