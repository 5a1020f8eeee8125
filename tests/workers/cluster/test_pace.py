"""How many matches a worker gets at a time."""

from __future__ import annotations

from referee.workers.cluster.pace import MOST, SIDE_BY_SIDE, Pace


def test_tasks_grow_and_shrink_until_they_take_about_a_second() -> None:
    pace = Pace(cores=2)
    for _ in range(20):
        pace.took(pace.size, pace.size / 500)  # five hundred matches a second
    assert 400 <= pace.size <= 600
    for _ in range(20):
        pace.took(pace.size, pace.size / 100)  # the machine has got slower
    assert 80 <= pace.size <= 125


def test_slow_tasks_keep_as_many_side_by_side_as_cost_nothing_until_they_take_very_long() -> None:
    pace = Pace(cores=1)
    for _ in range(20):
        pace.took(pace.size, 3.0)
    assert pace.size == SIDE_BY_SIDE
    for _ in range(20):
        pace.took(pace.size, 60.0)
    assert pace.size == 1
    for _ in range(40):
        pace.took(pace.size, 0.001)
    assert pace.size == MOST


def test_a_small_task_that_was_quick_tells_nothing() -> None:
    pace = Pace(cores=8)
    before = pace.size
    pace.took(1, 0.01)
    assert pace.size == before
    pace.took(1, 40.0)
    assert pace.size < before
