"""One answer for all who ask at the same time."""

from __future__ import annotations

import asyncio

import pytest

from referee.hall.single_flight import SingleFlight
from referee.store import StoreError

from ..waiting import soon


async def test_one_answer_is_made_for_all_who_ask_and_it_is_no_older_than_the_question() -> None:
    made = 0
    go_on = asyncio.Event()

    async def make() -> int:
        nonlocal made
        made += 1
        number = made
        await go_on.wait()
        if number == 3:
            raise StoreError("the disk is gone")
        return number

    shared = SingleFlight(make)
    early = [asyncio.create_task(shared.now()) for _ in range(20)]
    await soon(lambda: made == 1)
    late = [asyncio.create_task(shared.now()) for _ in range(20)]  # the first one had begun before they asked
    await asyncio.sleep(0)
    go_on.set()
    assert await asyncio.gather(*early) == [1] * 20
    assert await asyncio.gather(*late) == [2] * 20
    with pytest.raises(StoreError):
        await shared.now()
    assert await shared.now() == 4
