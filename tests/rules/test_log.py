"""The log: what is news to whom."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules.log import Log

steps = st.lists(st.tuples(st.sets(st.integers(0, 2), min_size=1), st.integers(0, 40)), max_size=60)


@given(steps)
@settings(max_examples=60)
def test_news_is_what_was_added_since_a_seat_decided(turns: list[tuple[set[int], int]]) -> None:
    log: Log[int] = Log(3)
    everything: list[int] = []
    marks, latest = [0, 0, 0], 0
    for seats, added in turns:
        log.decided(seats)
        latest = len(everything)
        for seat in seats:
            marks[seat] = latest
        for _ in range(added):
            log.add(len(everything))
            everything.append(len(everything))
        assert [log.since(seat) for seat in range(3)] == [everything[mark:] for mark in marks]
        assert log.since(None) == everything[latest:]


@given(steps, st.lists(st.booleans(), min_size=1))
@settings(max_examples=60)
def test_news_is_written_once_however_many_are_told(turns: list[tuple[set[int], int]], told: list[bool]) -> None:
    log: Log[int] = Log(3)
    number = 0
    seen: list[int] = []

    def write(event: int) -> bytes:
        seen.append(event)
        return b"%d" % event

    for turn, (seats, added) in enumerate(turns):
        log.decided(seats)
        for _ in range(added):
            log.add(number)
            number += 1
        if told[turn % len(told)]:
            for seat in (None, 0, 1, 2):
                assert log.written(seat, write) == [b"%d" % event for event in log.since(seat)]
            twin = log.copy()
            twin.add(-1)
            assert twin.written(0, b"%d".__mod__)[-1] == b"-1"
    assert len(seen) == len(set(seen))


def test_a_copy_goes_its_own_way() -> None:
    log: Log[str] = Log(2)
    log.add("deal")
    twin = log.copy()
    twin.decided([0])
    twin.add("hit")
    assert log.since(0) == ["deal"]
    assert twin.since(0) == ["hit"]
    assert twin.since(1) == ["deal", "hit"]


def test_old_news_is_dropped() -> None:
    log: Log[int] = Log(2)
    for number in range(1000):
        log.decided([0, 1])
        log.add(number)
    assert len(log._events) < 300
    assert log.since(0) == [999]
