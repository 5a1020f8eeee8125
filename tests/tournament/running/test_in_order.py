"""Matches of a series end in any order and are handed out in their own; what is cut short is played again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence

import pytest

from referee.match.clock import TimeControl
from referee.match.result import Ending, Termination, void
from referee.tournament.running.in_order import CameToNothing, in_order
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture


class FakeVenue:
    """Holds matches until the test ends them."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.running: dict[str, Callable[[Played | None], object]] = {}
        self.broken_off: list[str] = []
        self.announced: list[str] = []

    def play(self, fixture: Fixture, done: Callable[[Played | None], object]) -> None:
        self.started.append(fixture.id)
        self.running[fixture.id] = done

    def break_off(self, match: str) -> None:
        self.broken_off.append(match)

    def end(self, match: str, ending: Ending) -> None:
        self.running.pop(match)(Played(ending, b"", (), lambda: self.announced.append(match)))

    def present(self, bot: str) -> bool:
        return True

    def free(self, bot: str) -> int:
        return 1

    def same_deal(self, bots: Sequence[str], interrupted: bool) -> bool:
        return True

    def scores(self, match: str) -> Sequence[int] | None:
        return None

    def on_change(self, call: Callable[[], object]) -> None: ...


def fixtures(count: int) -> Iterator[Fixture]:
    for number in range(count):
        yield Fixture(str(number), "g", ("a", "b"), {}, b"", TimeControl(), "", 0)


def won(score: int = 1) -> Ending:
    return Ending((1, 2), (score, 0), (Termination.FINISHED,) * 2, ("", ""), "finished")


async def taken(results: AsyncGenerator[tuple[Fixture, Played], None]) -> list[str]:
    return [fixture.id async for fixture, _ in results]


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_results_come_in_the_order_of_the_series_whichever_match_ends_first() -> None:
    venue = FakeVenue()
    taking = asyncio.ensure_future(taken(in_order(venue, fixtures(5), lambda taken: 3)))
    await turns()
    assert venue.started == ["0", "1", "2"]
    for match in ("2", "1"):
        venue.end(match, won())
        await turns()
    assert venue.started == ["0", "1", "2"], "nothing more is started before the first has ended"
    venue.end("0", won())
    await turns()
    for match in ("4", "3"):
        venue.end(match, won())
    assert await taking == ["0", "1", "2", "3", "4"]
    assert sorted(venue.announced) == ["0", "1", "2", "3", "4"]


async def test_more_are_under_way_the_more_have_been_taken() -> None:
    venue = FakeVenue()
    taking = asyncio.ensure_future(taken(in_order(venue, fixtures(20), lambda taken: 1 + taken)))
    most = []
    for number in range(20):
        await turns()
        most.append(len(venue.running))
        venue.end(str(number), won())
    await taking
    assert most[:4] == [1, 2, 3, 4]


async def test_a_match_that_was_cut_short_is_played_again_and_one_that_is_void_three_times_ends_the_series() -> None:
    venue = FakeVenue()
    taking = asyncio.ensure_future(taken(in_order(venue, fixtures(2), lambda taken: 1)))
    await turns()
    venue.running.pop("0")(None)
    await turns()
    assert venue.started == ["0", "0"]
    venue.end("0", won())
    for _ in range(3):
        await turns()
        venue.end("1", void((0, 0), "the game failed"))
    with pytest.raises(CameToNothing, match="match 1 came to nothing 3 times: the game failed"):
        await taking


async def test_stopping_early_breaks_off_what_is_running() -> None:
    venue = FakeVenue()
    results = in_order(venue, fixtures(4), lambda taken: 4)
    first = asyncio.ensure_future(anext(results))
    await turns()
    venue.end("0", won())
    venue.end("2", won())
    await first
    await results.aclose()
    assert venue.broken_off == ["1", "3"]
    venue.end("1", won())  # too late, and no harm


async def test_the_failure_of_the_venue_ends_the_series() -> None:
    venue = FakeVenue()
    failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    taking = asyncio.ensure_future(taken(in_order(venue, fixtures(4), lambda taken: 2, failed)))
    await turns()
    failed.set_exception(RuntimeError("workers keep dying"))
    with pytest.raises(RuntimeError, match="workers keep dying"):
        await taking
    assert venue.broken_off == ["0", "1"]
