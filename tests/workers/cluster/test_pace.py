"""How many matches a worker has in hand."""

from __future__ import annotations

from referee.workers.cluster.pace import AHEAD_SECONDS, FEWEST, LONG_SECONDS, SIDE_BY_SIDE, Pace
from referee.workers.cluster.remote_worker import RemoteWorker
from referee.workers.room import PER_WORKER


def told(pace: Pace, rate: float, times: int = 200) -> None:
    """A worker that ends so many matches in a second, asked every second."""
    for _ in range(times):
        pace.told(round(rate), 1.0, pace.level)


def begun(cores: int) -> Pace:
    """The pace of a worker whose first match has ended."""
    pace = Pace(cores)
    pace.told(1, 1.0, pace.level)
    return pace


def test_a_worker_has_as_many_as_last_for_a_few_seconds() -> None:
    pace = Pace(cores=2)
    told(pace, 500)
    assert pace.level == round(500 * AHEAD_SECONDS)
    told(pace, 300)  # the machine has got slower
    assert pace.level == round(300 * AHEAD_SECONDS)


def test_as_many_are_played_side_by_side_as_on_one_machine_for_then_they_share_messages() -> None:
    pace = Pace(cores=2)
    told(pace, 50)
    assert pace.level == 2 * PER_WORKER


def test_slow_matches_keep_as_many_side_by_side_as_cost_least_until_they_take_very_long() -> None:
    pace = Pace(cores=1)
    told(pace, 20)
    assert pace.level == SIDE_BY_SIDE
    told(pace, 2)
    assert pace.level == 2 * LONG_SECONDS
    told(pace, 0)
    assert pace.level == FEWEST
    told(pace, 1000)
    assert pace.level == 1000 * AHEAD_SECONDS


def test_matches_that_begin_together_and_end_together_are_no_slower_than_others() -> None:
    together, spread = Pace(cores=2), Pace(cores=2)
    for _ in range(40):
        for ended in (0, 0, 0, together.level):  # none for three seconds, then all of them
            together.told(ended, 1.0, together.level)
        for _ in range(4):
            spread.told(spread.level // 4, 1.0, spread.level)
        assert together.level == spread.level


def test_how_long_the_bots_take_to_start_is_no_pace() -> None:
    pace = Pace(cores=1)
    for _ in range(10 * round(LONG_SECONDS)):
        pace.told(0, 1.0, pace.level)
    pace.told(1, 1.0, pace.level)
    assert pace.level == SIDE_BY_SIDE
    for _ in range(round(LONG_SECONDS)):
        pace.told(0, 1.0, pace.level)
    assert pace.level == SIDE_BY_SIDE // 2


def test_it_changes_step_by_step() -> None:
    pace = begun(cores=1)
    before = pace.level
    pace.told(10_000, 1.0, before)
    assert pace.level == 2 * before
    pace = begun(cores=1)
    pace.told(0, 60.0, before)
    assert pace.level == before // 2


def test_a_worker_that_had_little_to_do_tells_nothing_unless_it_was_quick() -> None:
    pace = begun(cores=8)
    before = pace.level
    pace.told(1, 1.0, 1)
    assert pace.level == before
    pace.told(1000, 1.0, 1)
    assert pace.level > before


def worker(pace: Pace) -> RemoteWorker:
    return RemoteWorker("tcp://127.0.0.1:1", "one", 0.0, 0.0, ready=True, room=10_000, pace=pace)


def test_a_worker_alone_gets_all_that_it_may_have() -> None:
    one = worker(Pace(cores=2))
    assert one.share(waiting=100, workers=1) == 100
    assert one.share(waiting=1000, workers=1) == one.pace.level


def test_several_workers_leave_half_of_their_part_to_the_quicker() -> None:
    one = worker(Pace(cores=2))
    assert one.share(waiting=100, workers=2) == 25
    assert one.share(waiting=1, workers=2) == 1
